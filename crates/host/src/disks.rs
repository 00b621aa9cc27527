//! The disks under a file system.

use crate::{Root, storage::Mount};
use std::path::Path;

/// The file system that a directory, absolute and without links, is on; none where the machine
/// does not tell its mounts.
pub fn mount_of(root: &Root, directory: &Path) -> Option<Mount> {
    Mount::under(&Mount::all(root).ok()?, directory).cloned()
}

/// The whole disks that a file system lies on, by their names in `/sys/block`, and what joins them
/// (`dm-0`, `md0`) first; none for a file system without a device, such as tmpfs.
pub fn disks_of(root: &Root, mount: &Mount) -> Vec<String> {
    let (major, minor) = mount.number;
    let name = disk_by_number(root, &format!("{major}:{minor}")).or_else(|| {
        // A file system that spans devices (btrfs) has a number of its own.
        disk_by_name(root, mount.source.strip_prefix("/dev/")?)
    });
    let mut disks = Vec::new();
    let mut waiting: Vec<String> = name.into_iter().collect();
    while let Some(disk) = waiting.pop() {
        let slaves = root.names(format!("sys/block/{disk}/slaves"));
        waiting.extend(slaves.iter().filter_map(|slave| disk_by_name(root, slave)));
        if !disks.contains(&disk) {
            disks.push(disk);
        }
    }
    disks
}

/// The disk with a device number, or with a partition of that number.
fn disk_by_number(root: &Root, number: &str) -> Option<String> {
    let is = |path: String| root.text(path).is_some_and(|text| text == number);
    root.names("sys/block").into_iter().find(|disk| {
        is(format!("sys/block/{disk}/dev"))
            || partitions(root, disk).any(|part| is(format!("sys/block/{disk}/{part}/dev")))
    })
}

/// The disk of that name, or with a partition of that name.
fn disk_by_name(root: &Root, name: &str) -> Option<String> {
    root.names("sys/block")
        .into_iter()
        .find(|disk| disk == name || partitions(root, disk).any(|part| part == name))
}

fn partitions(root: &Root, disk: &str) -> impl Iterator<Item = String> {
    // Partitions are named after their disk, which spares looking into every other directory.
    let disk = disk.to_owned();
    let names = root.names(format!("sys/block/{disk}"));
    names.into_iter().filter(move |name| name.starts_with(&disk))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::tree;

    const MOUNTS: &str = "\
27 1 8:2 / / rw,relatime - ext4 /dev/sda2 rw,discard\n\
28 27 259:1 / /data rw,noatime shared:1 - xfs /dev/nvme0n1p1 rw,attr2\n\
29 27 0:40 / /data\\040two rw - tmpfs none rw,size=1k\n\
30 27 252:0 / /lvm rw - xfs /dev/mapper/vg-a rw\n\
31 27 0:50 / /btrfs rw - btrfs /dev/sdb1 rw\n";

    fn machine() -> (tempfile::TempDir, Root) {
        tree(&[
            ("proc/self/mountinfo", MOUNTS),
            ("sys/block/sda/dev", "8:0"),
            ("sys/block/sda/sda2/dev", "8:2"),
            ("sys/block/sdb/dev", "8:16"),
            ("sys/block/sdb/sdb1/dev", "8:17"),
            ("sys/block/nvme0n1/dev", "259:0"),
            ("sys/block/nvme0n1/nvme0n1p1/dev", "259:1"),
            ("sys/block/dm-0/dev", "252:0"),
            ("sys/block/dm-0/slaves/sda2/dev", "8:2"),
            ("sys/block/dm-0/slaves/nvme0n1/dev", "259:0"),
        ])
    }

    #[test]
    fn the_whole_disks_under_a_file_system_are_found() {
        let (_dir, root) = machine();
        let disks = |path: &str| disks_of(&root, &mount_of(&root, Path::new(path)).unwrap());
        assert_eq!(disks("/"), ["sda"]);
        assert_eq!(disks("/data"), ["nvme0n1"]);
        assert_eq!(disks("/lvm"), ["dm-0", "sda", "nvme0n1"]);
        assert_eq!(disks("/btrfs"), ["sdb"]);
        assert_eq!(disks("/data two"), [""; 0]);
        assert_eq!(mount_of(&Root::at(&root.path("sys")), Path::new("/")), None);
    }
}
