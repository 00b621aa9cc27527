//! `restore`: a snapshot's data back into its instance, or into a new one.
//!
//! - `existing` puts data into the place of an instance's; `fresh` makes an instance of it.
//! - `fit`: whether server and settings fit the data.

mod existing;
mod fit;
mod fresh;

use std::{
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use host::storage::require_room;

use super::{
    Snapshot,
    copy::Progress,
    error::SnapshotError,
    hold,
    layout::Layout,
    manifest::{FileEntry, Part, hex},
    transfer::{self, Job, Method},
};
use crate::{
    home::{Home, InstanceName},
    installation::Installation,
    instance::Instance,
};

/// The file by which a MySQL server knows itself among others.
const SERVER_UUID: &str = "auto.cnf";

/// How closely a snapshot is looked at before it takes the place of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Every byte, by its checksum.
    #[default]
    Full,
    /// The length of every file.
    Size,
}

/// What is to become of a snapshot.
#[derive(Clone, Debug, Default)]
pub struct RestoreOptions {
    /// The instance to restore; the snapshot's own without one. One that does not exist is made.
    pub into: Option<InstanceName>,
    /// How closely to look.
    pub verify: Verify,
    /// Copy even where blocks could be shared: what is shared costs an allocation when it is
    /// written next, which a benchmark would measure.
    pub copy: bool,
    /// Bring back the settings and the size, too. A new instance gets them anyway.
    pub with_settings: bool,
    /// Delete the old data first, where there is no room for both. A restore that fails after
    /// that leaves an instance without data.
    pub discard_old: bool,
    /// Where the data of a new instance is to lie.
    pub data: Option<PathBuf>,
    /// Port of a new instance.
    pub port: Option<u16>,
    /// Server of a new instance; the snapshot's own without one.
    pub installation: Option<Installation>,
}

/// A snapshot that has been restored.
#[derive(Clone, Debug)]
pub struct Restored {
    /// The instance.
    pub instance: Instance,
    /// Whether it was made for this.
    pub made: bool,
    /// How its data was copied.
    pub method: Method,
    /// What one should know about it, a sentence each.
    pub remarks: Vec<String>,
}

impl Snapshot {
    /// Restores the snapshot into an instance, which stays stopped. Until all of it is there and
    /// verified, the old data stays where it is.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`], [`SnapshotError::WrongServer`], [`SnapshotError::Settings`],
    /// too little room, [`SnapshotError::Interrupted`], and what can go wrong with any instance:
    /// one that runs is refused.
    pub fn restore(
        &self,
        home: &Home,
        options: &RestoreOptions,
        progress: &Progress,
    ) -> Result<Restored, SnapshotError> {
        let _held = hold(&self.dir, self.name(), false)?;
        self.check_sizes()?;
        progress.total_bytes.store(self.manifest.size_bytes(), Ordering::Relaxed);
        let name = options.into.as_ref().unwrap_or(&self.manifest.instance.name);
        match home.layout(name).dir().is_dir() {
            true => self.put_back(Instance::open(home, name)?, options, progress),
            false => self.make_anew(home, name, options, progress),
        }
    }

    /// Lays a part out in an empty directory and verifies it there.
    fn lay_out(
        &self,
        part: &Part,
        dir: &Path,
        options: &RestoreOptions,
        progress: &Progress,
    ) -> Result<Method, SnapshotError> {
        let layout = Layout { part: &part.name, dir };
        let files: Vec<(&FileEntry, PathBuf)> = self
            .manifest
            .files
            .iter()
            .filter_map(|file| Some((file, layout.place(&file.path)?)))
            .collect();
        let job = |(file, to): &(&FileEntry, PathBuf)| Job {
            from: self.dir.join(&file.path),
            to: to.clone(),
            size_bytes: file.size_bytes,
            access: file.access,
        };
        let jobs: Vec<Job> = files.iter().map(job).collect();
        let first = jobs.iter().find(|job| job.size_bytes > 0).map(|job| job.from.as_path());
        let method = if options.copy { Method::Copy } else { transfer::method(first, dir) };
        if method == Method::Copy {
            require_room(dir, jobs.iter().map(|job| allocated(&job.from)).sum())?;
        }
        layout.begin(&self.manifest.directories, &self.manifest.links)?;
        let crcs = transfer::run(&jobs, method, options.verify, progress)?;
        layout.finish(&self.manifest.directories)?;
        if options.verify == Verify::Full {
            let differs = |(file, crc): (&(&FileEntry, PathBuf), u32)| {
                let (file, crc) = (file.0, hex(crc));
                let was = &file.crc32c;
                let told = || format!("{}: its CRC-32C is {crc} and was {was}", file.path);
                (crc != *was).then(told)
            };
            self.refuse(files.iter().zip(crcs).filter_map(differs).collect())?;
        }
        Ok(method)
    }

    /// A file of the snapshot that belongs to no part, with its contents verified.
    fn own_file(&self, name: &str) -> Result<Vec<u8>, SnapshotError> {
        let path = self.dir.join(name);
        let bytes = std::fs::read(&path).map_err(|e| SnapshotError::io("read", &path, e))?;
        let entry = self.manifest.files.iter().find(|file| file.path == name);
        let was = entry.map_or("none", |entry| entry.crc32c.as_str());
        if was != hex(crc32c::crc32c(&bytes)) {
            self.refuse(vec![format!("{name}: its CRC-32C is not what it was ({was})")])?;
        }
        Ok(bytes)
    }

    fn password(&self) -> Result<Vec<u8>, SnapshotError> {
        self.own_file("root.password")
    }
}

/// What a file takes on its device, bytes.
fn allocated(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).map_or(0, |facts| facts.blocks() * 512)
}
