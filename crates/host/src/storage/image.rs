//! A file that stands for a disk: a file system in it, mounted by a loop device of the kernel's.

use super::{
    FileSystem,
    error::StorageError,
    format::{refuse_absent, run},
    mount::Mount,
};
use crate::root::Root;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// Smallest image, bytes: mkfs.xfs takes nothing smaller than 300 MiB.
pub const IMAGE_BYTES_MIN: u64 = 300 << 20;

/// The kernel's door to loop devices.
const CONTROL: &str = "dev/loop-control";

/// A disk in a file. Nothing of it is held by anybody but the mount: when that goes, the loop
/// device goes with it, so that whoever knows the mount point can undo all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The file.
    pub file: PathBuf,
    /// Where its file system is mounted.
    pub mount: PathBuf,
}

impl Image {
    /// Whether one of that size can be made, without touching anything.
    ///
    /// # Errors
    /// [`StorageError::ImageSize`], [`StorageError::NotRoot`], [`StorageError::NoLoop`],
    /// [`StorageError::NoProgram`].
    pub fn plan(bytes: u64, file_system: FileSystem, root: &Root) -> Result<(), StorageError> {
        if bytes < IMAGE_BYTES_MIN {
            return Err(StorageError::ImageSize(bytes));
        }
        require_root()?;
        if !root.path(CONTROL).exists() {
            return Err(StorageError::NoLoop);
        }
        let (program, package) = file_system.program();
        refuse_absent(program, package)
    }

    /// Makes the file anew, without a block in it, and a file system in it, and mounts that.
    ///
    /// # Errors
    /// [`StorageError::Io`], [`StorageError::Failed`]; what there is then is for [`Self::remove`].
    pub fn make(&self, bytes: u64, file_system: FileSystem) -> Result<(), StorageError> {
        self.remove(&Root::real())?;
        let failed = |error| StorageError::io("create", &self.file, error);
        File::create(&self.file).and_then(|file| file.set_len(bytes)).map_err(failed)?;
        let made = |error| StorageError::io("create", &self.mount, error);
        fs::create_dir_all(&self.mount).map_err(made)?;
        let (file, point) = (self.file.display().to_string(), self.mount.display().to_string());
        let (program, _) = file_system.program();
        let quietly = match file_system {
            FileSystem::Xfs => "-f",
            FileSystem::Ext4 => "-F",
        };
        run(&[program, "-q", quietly, &file].map(str::to_owned))?;
        run(&["mount", "-o", "loop", &file, &point].map(str::to_owned))
    }

    /// Unmounts the file system, as often as it is mounted, and deletes the file; nothing where
    /// there is nothing.
    ///
    /// # Errors
    /// [`StorageError::Failed`] while something on it is open, [`StorageError::Io`].
    pub fn remove(&self, root: &Root) -> Result<(), StorageError> {
        unmount(&self.mount, root)?;
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StorageError::io("remove", &self.file, error))
            }
            _ => Ok(()),
        }
    }
}

/// Unmounts whatever is mounted at a directory of our own, the last first.
///
/// # Errors
/// [`StorageError::Failed`] while something on it is open, [`StorageError::Io`].
pub fn unmount(point: &Path, root: &Root) -> Result<(), StorageError> {
    // A point that is gone has nothing mounted.
    let Ok(real) = point.canonicalize() else { return Ok(()) };
    let failed = |error| StorageError::io("read the mounts of", &real, error);
    let mounts = Mount::all(root).map_err(failed)?;
    for _ in mounts.iter().filter(|mount| mount.point == real) {
        run(&["umount", &real.display().to_string()].map(str::to_owned))?;
    }
    Ok(())
}

/// The file of the device that a directory lies on, as the kernel's table of mounts has it.
///
/// # Errors
/// [`StorageError::NoDevice`] where it lies on no device of its own, [`StorageError::Io`].
pub fn device_of(dir: &Path, root: &Root) -> Result<PathBuf, StorageError> {
    let failed = |error| StorageError::io("find", dir, error);
    let real = dir.canonicalize().map_err(failed)?;
    let mounts = Mount::all(root).map_err(failed)?;
    match Mount::under(&mounts, &real) {
        Some(mount) if mount.source.starts_with("/dev/") => Ok(PathBuf::from(&mount.source)),
        _ => Err(StorageError::NoDevice(real)),
    }
}

/// Refuses whoever may not mount.
///
/// # Errors
/// [`StorageError::NotRoot`].
pub fn require_root() -> Result<(), StorageError> {
    match rustix::process::geteuid().is_root() {
        true => Ok(()),
        false => Err(StorageError::NotRoot),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr)]
    use super::*;
    use crate::storage::Fill;

    /// An image that goes with the test, however that ends.
    struct Guard(Image);

    impl Drop for Guard {
        fn drop(&mut self) {
            let _whatever_is_left = self.0.remove(&Root::real());
        }
    }

    #[test]
    fn a_size_that_no_file_system_takes_is_refused() {
        let error = Image::plan(1 << 20, FileSystem::Xfs, &Root::real()).unwrap_err();
        assert!(error.to_string().contains("300"), "{error}");
    }

    #[test]
    fn a_machine_without_loop_devices_is_told() {
        if require_root().is_err() {
            eprintln!("SKIPPED: mounting takes root");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let plan = Image::plan(1 << 30, FileSystem::Xfs, &Root::at(dir.path()));
        assert!(matches!(plan, Err(StorageError::NoLoop)), "{plan:?}");
    }

    #[test]
    fn an_image_is_made_anew_and_leaves_nothing() {
        let root = Root::real();
        if let Err(error) = Image::plan(IMAGE_BYTES_MIN, FileSystem::Xfs, &root) {
            eprintln!("SKIPPED: {error}");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let image = Image { file: dir.path().join("disk.img"), mount: dir.path().join("disk") };
        let guard = Guard(image.clone());
        image.make(IMAGE_BYTES_MIN, FileSystem::Xfs).unwrap();
        let device = device_of(&image.mount, &root).unwrap();
        assert!(device.to_string_lossy().starts_with("/dev/loop"), "{device:?}");
        assert_eq!(Fill::of(&image.mount, &root).unwrap().file_system, "xfs");
        fs::write(image.mount.join("old"), "x").unwrap();
        image.make(IMAGE_BYTES_MIN, FileSystem::Xfs).unwrap();
        assert!(!image.mount.join("old").exists(), "made anew");
        drop(guard);
        assert!(!image.file.exists());
        let mounts = Mount::all(&root).unwrap();
        assert!(mounts.iter().all(|mount| mount.point != image.mount));
        image.remove(&root).unwrap();
    }
}
