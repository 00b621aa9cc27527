//! The disk under a directory, as far as it can be known without writing to it.

use super::probe::Probe;
use crate::root::Root;
use rustix::fs::{major, minor, stat, statvfs};
use std::path::{Path, PathBuf};

/// What kind of disk it calls itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskKind {
    /// It says that it rotates; virtual disks often do so without truth.
    Rotational,
    /// Flash.
    Solid,
    /// It does not tell: a file system over several devices, or none.
    Unknown,
}

/// The disk under a data directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Disk {
    /// What it calls itself.
    pub kind: DiskKind,
    /// Its name in `/sys/block`, or its partition's; none where there is no single device.
    pub name: Option<String>,
    /// Room for ordinary users, bytes; none where it cannot be told.
    pub free_bytes: Option<u64>,
    /// What it was measured to do; none where nobody asked.
    pub measured: Option<Probe>,
}

impl Disk {
    /// The disk under `data`, or under the closest directory above it that exists. The directory
    /// is the machine's own; what its device says is read at `root`.
    pub fn under(data: &Path, root: &Root) -> Self {
        let existing = existing(data);
        let free = statvfs(&existing).ok().map(|it| it.f_bavail.saturating_mul(it.f_frsize));
        let device = stat(&existing).ok().map(|it| (major(it.st_dev), minor(it.st_dev)));
        let device = device.map(|(major, minor)| format!("sys/dev/block/{major}:{minor}"));
        // A partition has its queue in the directory above.
        let queue = |below: &str| device.as_ref().map(|device| format!("{device}/{below}"));
        let rotational = ["queue/rotational", "../queue/rotational"]
            .iter()
            .find_map(|below| root.number::<u8>(queue(below)?));
        let kind = match rotational {
            Some(0) => DiskKind::Solid,
            Some(_) => DiskKind::Rotational,
            None => DiskKind::Unknown,
        };
        let link = device.and_then(|device| root.path(device).canonicalize().ok());
        let name = link.and_then(|link| Some(link.file_name()?.to_str()?.to_owned()));
        Self { kind, name, free_bytes: free, measured: None }
    }

    pub(super) fn share(mut self, share: f64) -> Self {
        self.free_bytes = self.free_bytes.map(|bytes| (bytes as f64 * share) as u64);
        self.measured = self.measured.map(|probe| probe.share(share));
        self
    }
}

fn existing(path: &Path) -> PathBuf {
    let existing = path.ancestors().find(|path| path.exists());
    existing.unwrap_or(Path::new("/")).to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    #[test]
    fn the_device_tells_its_kind_also_for_a_partition() {
        let data = tempfile::tempdir().unwrap();
        let device = stat(data.path()).unwrap().st_dev;
        let number = format!("{}:{}", major(device), minor(device));
        for (file, text, kind) in [
            ("queue/rotational", "0\n", DiskKind::Solid),
            ("../queue/rotational", "1\n", DiskKind::Rotational),
            ("size", "1\n", DiskKind::Unknown),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let root = Root::at(dir.path());
            let block = root.path(format!("sys/dev/block/{number}"));
            fs::create_dir_all(&block).unwrap();
            let file = block.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
            let disk = Disk::under(&data.path().join("not/yet"), &root);
            assert_eq!(disk.kind, kind);
            assert!(disk.free_bytes.is_some());
        }
    }
}
