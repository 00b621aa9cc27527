//! How full a device is, in the terms of df(1).

use std::path::{Path, PathBuf};

use rustix::fs::StatVfs;
use serde::Serialize;

use super::{
    error::StorageError,
    mount::Mount,
    share::{Percent, PercentRange},
};
use crate::root::Root;

/// How full the file system under a path is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fill {
    /// Its device as the kernel's table of mounts names it.
    pub device: String,
    /// Its type.
    pub file_system: String,
    /// Where it is mounted.
    pub mount_point: PathBuf,
    /// All its space, bytes.
    pub size_bytes: u64,
    /// What is taken, bytes.
    pub used_bytes: u64,
    /// What anybody can still take, bytes.
    pub available_bytes: u64,
    /// What is kept for the administrator, bytes.
    pub reserved_bytes: u64,
    /// Used, as a share of used and available: the figure of df(1), which rounds it up.
    pub used_percent: Percent,
}

impl Fill {
    /// The file system that `path` lies on.
    ///
    /// # Errors
    /// [`StorageError::Io`] when the path does not exist or the kernel does not tell.
    pub fn of(path: &Path, root: &Root) -> Result<Self, StorageError> {
        let real = path.canonicalize().map_err(|e| StorageError::io("find", path, e))?;
        let mounts =
            Mount::all(root).map_err(|e| StorageError::io("read the mounts of", path, e))?;
        let counts = rustix::fs::statvfs(&real)
            .map_err(|error| StorageError::io("ask the file system of", path, error.into()))?;
        let mount = Mount::under(&mounts, &real);
        let told = |text: Option<&String>| text.map_or("unknown".to_owned(), Clone::clone);
        Ok(Self {
            device: told(mount.map(|mount| &mount.source)),
            file_system: told(mount.map(|mount| &mount.file_system)),
            mount_point: mount.map_or(PathBuf::from("/"), |mount| mount.point.clone()),
            ..Self::counted(&counts)
        })
    }

    fn counted(counts: &StatVfs) -> Self {
        let bytes = |blocks: u64| blocks.saturating_mul(counts.f_frsize);
        let used = counts.f_blocks.saturating_sub(counts.f_bfree);
        Self {
            device: String::new(),
            file_system: String::new(),
            mount_point: PathBuf::new(),
            size_bytes: bytes(counts.f_blocks),
            used_bytes: bytes(used),
            available_bytes: bytes(counts.f_bavail),
            reserved_bytes: bytes(counts.f_bfree.saturating_sub(counts.f_bavail)),
            used_percent: Percent::of(used, used + counts.f_bavail),
        }
    }

    /// How many bytes more make it so full; none when it is fuller already.
    pub fn bytes_to(&self, share: Percent) -> u64 {
        let usable = self.used_bytes + self.available_bytes;
        let wanted = (usable as f64 * share.value() / 100.0) as u64;
        wanted.saturating_sub(self.used_bytes)
    }

    /// Whether it is as full as a procedure wants it.
    pub fn is_between(&self, range: &PercentRange) -> bool {
        range.contains(self.used_percent)
    }
}

/// Refuses what would not fit: `bytes` more on the file system under `path`, or under what of the
/// path exists. A loader asks this before it begins.
///
/// # Errors
/// [`StorageError::NoRoom`] with how much is missing.
pub fn require_room(path: &Path, bytes: u64) -> Result<(), StorageError> {
    let there = path.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    let counts = rustix::fs::statvfs(there)
        .map_err(|error| StorageError::io("ask the file system of", there, error.into()))?;
    let available_bytes = Fill::counted(&counts).available_bytes;
    match bytes > available_bytes {
        true => Err(StorageError::NoRoom { path: path.to_owned(), bytes, available_bytes }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn fill(used_bytes: u64, available_bytes: u64) -> Fill {
        Fill {
            device: "/dev/x".into(),
            file_system: "xfs".into(),
            mount_point: "/data".into(),
            size_bytes: 110,
            used_bytes,
            available_bytes,
            reserved_bytes: 10,
            used_percent: Percent::of(used_bytes, used_bytes + available_bytes),
        }
    }

    #[test]
    fn what_is_kept_for_the_administrator_counts_neither_as_used_nor_as_free() {
        let half = fill(50, 50);
        assert_eq!(half.used_percent.value(), 50.0);
        assert_eq!(half.bytes_to("65%".parse().unwrap()), 15);
        assert_eq!(half.bytes_to("40%".parse().unwrap()), 0);
        assert!(half.is_between(&"50..60".parse().unwrap()));
        assert!(!half.is_between(&"60..70".parse().unwrap()));
    }

    #[test]
    fn the_file_system_of_a_path_is_told_as_df_tells_it() {
        let dir = tempfile::tempdir().unwrap();
        let fill = Fill::of(dir.path(), &Root::real()).unwrap();
        let df = std::process::Command::new("df")
            .args(["--output=size,fstype,target", "-B1"])
            .arg(dir.path())
            .output()
            .unwrap();
        let text = String::from_utf8(df.stdout).unwrap();
        let words: Vec<_> = text.lines().last().unwrap().split_whitespace().collect();
        let target = fill.mount_point.to_str().unwrap();
        assert_eq!(words, [&*fill.size_bytes.to_string(), &*fill.file_system, target]);
        assert!(Fill::of(Path::new("/nowhere/at/all"), &Root::real()).is_err());
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("not/yet");
        require_room(&path, 1).unwrap();
        let error = require_room(&path, u64::MAX).unwrap_err().to_string();
        assert!(error.contains("not/yet") && error.contains("missing"), "{error}");
    }
}
