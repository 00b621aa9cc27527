//! Where a server is on this machine: its process, its disk, its binary logs.

use super::ask::text;
use crate::cpu::ServerProcess;
use client::{Connection, Target};
use host::{Root, counters::Disk, disks_of, mount_of};
use std::{fs, os::unix::fs::MetadataExt, path::Path};

/// What of a server is on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Its process.
    pub(super) pid: Option<u32>,
    /// The device of its data directory, major and minor number.
    pub(super) disk: Option<(u32, u32)>,
    /// The path of its binary logs without their numbers.
    pub(super) binlog: Option<String>,
}

impl Place {
    /// Asks the server; nothing where it is on another machine.
    pub(super) async fn of(connection: &mut Connection, target: &Target) -> Self {
        let Some((process, data)) = ServerProcess::by_asking(connection, target).await else {
            return Self::default();
        };
        Self {
            pid: process.pid(),
            disk: disk(&Root::real(), &data),
            // Errors are for the one who asks for counters next.
            binlog: text(connection, "SELECT @@log_bin_basename").await.ok().flatten(),
        }
    }
}

/// The block device that a directory of this machine is on, by its number. A file system over
/// several devices has a number of its own: then it is the first of them.
fn disk(root: &Root, directory: &Path) -> Option<(u32, u32)> {
    let directory = fs::canonicalize(directory).ok()?;
    let device = fs::metadata(&directory).ok()?.dev();
    let number = (rustix::fs::major(device), rustix::fs::minor(device));
    if Disk::of(root, number).is_some() {
        return Some(number);
    }
    let name = disks_of(root, &mount_of(root, &directory)?).into_iter().next()?;
    let text = root.text(format!("sys/block/{name}/dev"))?;
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_system_with_a_number_of_its_own_is_found_by_its_mount() {
        let dir = tempfile::tempdir().unwrap();
        let file = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        file("proc/self/mountinfo", "1 0 0:42 / / rw - btrfs /dev/nvme7n1 rw\n");
        file("proc/diskstats", "259 7 nvme7n1 1 0 0 0 0 0 0 0 0 0 0\n");
        file("sys/block/nvme7n1/dev", "259:7\n");
        let root = Root::at(dir.path());
        assert_eq!(disk(&root, dir.path()), Some((259, 7)));
        fs::remove_file(dir.path().join("sys/block/nvme7n1/dev")).unwrap();
        assert_eq!(disk(&root, dir.path()), None);
        assert_eq!(disk(&root, &dir.path().join("none")), None);
    }
}
