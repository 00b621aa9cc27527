//! Where the data of a trial lies: on a file system that is made anew before each, in a file (a
//! loop device) or on a device whose data is given up for it.

use crate::args::parse_bytes;
use host::{
    Bytes, Root,
    storage::{FileSystem, Fill, Filling, Format, Image, Percent, fill_to, require_root, unmount},
};
use lab::experiment::{Fault, Ground, Stage, Variant, spec::Arm};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    fs, io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// The section of an experiment file.
pub(crate) const KEY: &str = "storage";

/// The key that only the command line may set.
pub(crate) const DESTROY: &str = "destroy-data";

/// Fullest that a device may be made.
const FILL_MAX: &str = "90%";

/// The section `storage`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Storage {
    /// Size of the disk that is made in a file, `2G`.
    size: Option<Value>,
    /// The device, in its place.
    device: Option<PathBuf>,
    /// The devices that were named as to be destroyed, each as often as it was named. It is typed
    /// (`--destroy-data`) and in no file.
    pub(crate) destroy_data: Vec<PathBuf>,
    /// How full it is at the start of a trial, `65%`: what the data leaves is filled up with a
    /// file that nobody touches.
    fill: Option<String>,
}

/// What there is to lie on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Disk {
    /// A file of so many bytes.
    Image(u64),
    /// A device.
    Device(PathBuf),
}

impl Storage {
    /// What a variant says of it; none where it says nothing.
    ///
    /// # Errors
    /// The key at fault.
    pub(crate) fn of(arm: &Arm) -> Result<Option<Self>, Fault> {
        let Some(section) = arm.others.get(KEY) else { return Ok(None) };
        let storage: Self =
            serde_json::from_value(section.clone()).map_err(|error| format!("storage: {error}"))?;
        storage.disk()?;
        storage.fill()?;
        Ok(Some(storage))
    }

    /// What there is to lie on.
    ///
    /// # Errors
    /// The key at fault.
    pub(crate) fn disk(&self) -> Result<Disk, Fault> {
        match (&self.size, &self.device) {
            (Some(_), Some(_)) => {
                Err("storage.size: a device has its size; leave one of the two out".into())
            }
            (None, None) => Err("storage: say `size`, for a disk in a file, or `device`".into()),
            (None, Some(device)) => Ok(Disk::Device(device.clone())),
            (Some(size), None) => {
                let text = size.as_str().map_or_else(|| size.to_string(), str::to_owned);
                Ok(Disk::Image(parse_bytes(&text).map_err(|it| format!("storage.size: {it}"))?))
            }
        }
    }

    fn fill(&self) -> Result<Option<Percent>, Fault> {
        let share = self.fill.as_deref().map(str::parse::<Percent>).transpose();
        let share = share.map_err(|error| format!("storage.fill: {error}"))?;
        match share.filter(|share| *share > limit()) {
            Some(share) => {
                Err(format!("storage.fill: {share} are more than {FILL_MAX}; take less").into())
            }
            None => Ok(share),
        }
    }

    /// How many bytes there are to lie on; none for a device that is not there.
    pub(crate) fn bytes(&self) -> Option<u64> {
        match self.disk().ok()? {
            Disk::Image(bytes) => Some(bytes),
            Disk::Device(path) => {
                let device = host::storage::Device::open(&path).ok()?;
                Some(device.usage(&Root::real()).ok()?.size_bytes)
            }
        }
    }

    fn format(&self, device: &Path, mount: PathBuf, vital: &Path) -> Format {
        Format {
            device: device.to_owned(),
            destroy: self.destroy_data.clone(),
            file_system: FileSystem::Xfs,
            mount: Some(mount),
            vital: vec![vital.to_owned()],
        }
    }

    /// What is going to be done, in words.
    ///
    /// # Errors
    /// Why it cannot be.
    fn plan(&self, home: &Path) -> Result<Vec<String>, Fault> {
        let told = |error: host::storage::StorageError| format!("storage: {error}");
        let words = match self.disk()? {
            Disk::Image(bytes) => {
                Image::plan(bytes, FileSystem::Xfs, &Root::real()).map_err(told)?;
                format!("storage: XFS, made anew, on a loop device of {}", Bytes(bytes))
            }
            Disk::Device(device) => {
                require_root().map_err(told)?;
                // The mount point lies in the home's directory and is made by us.
                let format = Format { mount: None, ..self.format(&device, PathBuf::new(), home) };
                let plan = format.plan(&Root::real()).map_err(told)?;
                format!(
                    "storage: XFS, made anew, on {} ({}), with all that is on it lost",
                    plan.device.display(),
                    Bytes(plan.size_bytes)
                )
            }
        };
        Ok(vec![words])
    }
}

/// Where the file system is mounted, by the directory of the notes.
pub(crate) fn mount_point(notes: &Path) -> PathBuf {
    notes.join("disk")
}

fn limit() -> Percent {
    FILL_MAX.parse().unwrap_or_else(|_| Percent::of(9, 10))
}

/// What is held, written down before it is taken.
#[derive(Debug, Default, Serialize, Deserialize, PartialEq)]
struct Note {
    /// Where a file system is mounted.
    mount: PathBuf,
    /// The file that it is in; none for a device.
    image: Option<PathBuf>,
}

/// The capability.
pub(super) struct MadeAnew {
    home: PathBuf,
    notes: PathBuf,
    /// What of the trial is still to be filled.
    to_fill: Option<(PathBuf, Percent)>,
}

impl MadeAnew {
    pub(super) fn new(home: &Path, notes: &Path) -> Self {
        let (home, notes) = (home.to_owned(), notes.to_owned());
        Self { home, notes, to_fill: None }
    }

    fn note(&self) -> PathBuf {
        self.notes.join("storage.json")
    }

    fn image(&self) -> Image {
        Image { file: self.notes.join("disk.img"), mount: mount_point(&self.notes) }
    }

    /// Writes down what is about to be taken.
    fn hold(&self, image: Option<PathBuf>) -> Result<(), Fault> {
        let note = Note { mount: mount_point(&self.notes), image };
        let file = fs::File::create(self.note())?;
        serde_json::to_writer(&file, &note)?;
        Ok(file.sync_all()?)
    }

    fn format(&self, storage: &Storage, device: &Path) -> Result<(), Fault> {
        let mut format = storage.format(device, mount_point(&self.notes), &self.home);
        // A device that was formatted by this experiment is ours to format again.
        let ours = self.notes.join("storage.ours");
        if fs::read(&ours).is_ok_and(|path| path == device.as_os_str().as_bytes()) {
            format.destroy = vec![device.to_owned(); 2];
        }
        format.plan(&Root::real())?;
        fs::write(&ours, device.as_os_str().as_bytes())?;
        format.carry_out(&Root::real())?;
        Ok(())
    }
}

impl Variant for MadeAnew {
    fn key(&self) -> &'static str {
        KEY
    }

    fn plan(&self, arm: &Arm) -> Result<Vec<String>, Fault> {
        Storage::of(arm)?.map_or_else(|| Ok(Vec::new()), |storage| storage.plan(&self.home))
    }

    fn before_data(&mut self, ground: &Ground<'_>) -> Result<(), Fault> {
        let Some(storage) = Storage::of(ground.arm)? else { return Ok(()) };
        match storage.disk()? {
            Disk::Image(bytes) => {
                let image = self.image();
                self.hold(Some(image.file.clone()))?;
                image.make(bytes, FileSystem::Xfs)?;
            }
            Disk::Device(device) => {
                self.hold(None)?;
                self.format(&storage, &device)?;
            }
        }
        self.to_fill = storage.fill()?.map(|share| (ground.dir.to_owned(), share));
        Ok(())
    }

    /// All data is in place when the first server is about to start.
    fn before_start(&mut self, _stage: &mut Stage<'_>) -> Result<(), Fault> {
        let Some((dir, share)) = self.to_fill.take() else { return Ok(()) };
        fill_to(&dir, share, limit(), &Filling::default())?;
        // What is written later would be taken for the load's.
        rustix::fs::syncfs(fs::File::open(&dir)?)?;
        Ok(())
    }

    fn put_back(&mut self) -> Result<(), Fault> {
        self.to_fill = None;
        let text = match fs::read(self.note()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            read => read?,
        };
        // One that was killed while it wrote had taken nothing.
        let note: Note = serde_json::from_slice(&text).unwrap_or_default();
        match note.image {
            Some(file) => Image { file, mount: note.mount }.remove(&Root::real())?,
            None => unmount(&note.mount, &Root::real())?,
        }
        Ok(fs::remove_file(self.note())?)
    }
}

/// How full the device of a directory is, in words for the trial.
///
/// # Errors
/// The file system does not tell.
pub(crate) fn filled(dir: &Path) -> Result<String, Fault> {
    let fill = Fill::of(dir, &Root::real())?;
    let (size, share) = (Bytes(fill.size_bytes), fill.used_percent);
    Ok(format!("{} of {size} was {share} full", fill.device))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::experiment::capability::testing::arm;
    use serde_json::json;

    fn refused(section: Value) -> String {
        Storage::of(&arm(KEY, section)).unwrap_err().to_string()
    }

    #[test]
    fn a_disk_is_a_file_of_a_size_or_a_device() {
        let disk = |section| Storage::of(&arm(KEY, section)).unwrap().unwrap().disk().unwrap();
        assert_eq!(disk(json!({ "size": "2G" })), Disk::Image(2 << 30));
        assert_eq!(disk(json!({ "size": 1 << 30 })), Disk::Image(1 << 30));
        let device = json!({ "device": "/dev/nvme9n1", "fill": "65%" });
        assert_eq!(disk(device), Disk::Device("/dev/nvme9n1".into()));
    }

    #[test]
    fn what_cannot_be_names_its_key() {
        for (section, words) in [
            (json!({}), "`size`"),
            (json!({ "size": "2G", "device": "/dev/x" }), "leave one of the two out"),
            (json!({ "size": "much" }), "storage.size: `much` is no size"),
            (json!({ "size": "2G", "fill": "200%" }), "storage.fill"),
            (json!({ "size": "2G", "fill": "95%" }), "more than 90%"),
            (json!({ "size": "2G", "filling": "65%" }), "filling"),
            (json!("2G"), "storage: "),
        ] {
            let error = refused(section);
            assert!(error.contains(words), "{words} in {error}");
        }
    }

    #[test]
    fn a_device_is_left_alone_unless_it_is_named_to_be_destroyed() {
        let variant = MadeAnew::new(Path::new("/"), Path::new("/nowhere"));
        let plan = |section| variant.plan(&arm(KEY, section)).unwrap_err().to_string();
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = plan(json!({ "device": file.path() }));
        if require_root().is_ok() {
            assert!(error.contains("no block device"), "{error}");
        }
        assert!(plan(json!({ "size": "1M" })).contains("300M"));
    }

    #[test]
    fn what_is_not_held_is_not_put_back() {
        let notes = tempfile::tempdir().unwrap();
        let mut variant = MadeAnew::new(Path::new("/"), notes.path());
        variant.put_back().unwrap();
        // A process that was killed between its note and the mount.
        variant.hold(Some(notes.path().join("disk.img"))).unwrap();
        fs::write(notes.path().join("disk.img"), "x").unwrap();
        variant.put_back().unwrap();
        assert_eq!(fs::read_dir(notes.path()).unwrap().count(), 0);
    }
}
