//! A block device, and who works on it.

use std::{
    io,
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::{Path, PathBuf},
};

use super::{error::StorageError, mount::Mount};
use crate::root::Root;

/// Bytes of a sector in the kernel's files, whatever the device's own sectors are.
const SECTOR_BYTES: u64 = 512;

/// Major and minor number of a device.
pub type DeviceNumber = (u32, u32);

/// A block device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its file, without links.
    pub path: PathBuf,
    /// Its number.
    pub number: DeviceNumber,
}

/// Who works on a block device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Where it is mounted, the last first: the order in which it comes off.
    pub mounts: Vec<PathBuf>,
    /// Devices built on it: of LVM, md, dm-crypt.
    pub holders: Vec<String>,
    /// Its partitions.
    pub partitions: Vec<String>,
    /// Whether the kernel swaps to it.
    pub swap: bool,
    /// Whether it cannot be written.
    pub read_only: bool,
    /// Its size, bytes.
    pub size_bytes: u64,
}

impl Device {
    /// The block device of that name; links are followed.
    ///
    /// # Errors
    /// [`StorageError::Io`], [`StorageError::NoDevice`].
    pub fn open(path: &Path) -> Result<Self, StorageError> {
        let failed = |error| StorageError::io("find", path, error);
        let real = path.canonicalize().map_err(failed)?;
        let facts = real.metadata().map_err(failed)?;
        match facts.file_type().is_block_device() {
            true => Ok(Self { path: real, number: split(facts.rdev()) }),
            false => Err(StorageError::NoDevice(path.to_owned())),
        }
    }

    /// Who works on it.
    ///
    /// # Errors
    /// The kernel's tables cannot be read.
    pub fn usage(&self, root: &Root) -> io::Result<Usage> {
        let dir = sysfs(self.number);
        let mounted = Mount::all(root)?.into_iter().rev().filter(|m| m.number == self.number);
        let partitions = root.names(&dir).into_iter();
        Ok(Usage {
            mounts: mounted.map(|mount| mount.point).collect(),
            holders: root.names(dir.join("holders")),
            partitions: partitions
                .filter(|name| root.path(&dir).join(name).join("partition").exists())
                .collect(),
            swap: self.swaps(root)?,
            read_only: root.number(dir.join("ro")) == Some(1_u8),
            size_bytes: root.number(dir.join("size")).unwrap_or(0_u64) * SECTOR_BYTES,
        })
    }

    /// True when what lies on the device with that number lies on this one: it is the same, one
    /// of its partitions, or built on it.
    pub fn carries(&self, number: DeviceNumber, root: &Root) -> bool {
        // Devices are stacked a few deep; the limit is against a tree made to go round.
        below(number, root, 8).contains(&self.number)
    }

    fn swaps(&self, root: &Root) -> io::Result<bool> {
        let table = root.read("proc/swaps")?.unwrap_or_default();
        let mut files = table.lines().skip(1).filter_map(|line| line.split_whitespace().next());
        Ok(files.any(|file| Path::new(file) == self.path))
    }
}

/// The number of the device that holds a path, where its file system has one.
pub(crate) fn holding(path: &Path, root: &Root) -> Option<DeviceNumber> {
    let real = path.canonicalize().ok()?;
    let own = split(real.metadata().ok()?.dev());
    if own.0 != 0 {
        return Some(own);
    }
    // btrfs and overlays number themselves; the table of mounts names what is below.
    let mounts = Mount::all(root).ok()?;
    let source = &Mount::under(&mounts, &real)?.source;
    Some(Device::open(Path::new(source)).ok()?.number)
}

/// A device and all that it stands on.
fn below(number: DeviceNumber, root: &Root, depth: u8) -> Vec<DeviceNumber> {
    let dir = sysfs(number);
    let mut found = vec![number];
    if depth == 0 {
        return found;
    }
    let mut down = Vec::new();
    for slave in root.names(dir.join("slaves")) {
        down.extend(number_in(root, &dir.join("slaves").join(slave).join("dev")));
    }
    if root.path(dir.join("partition")).exists() {
        // The directory of a partition lies in that of its disk.
        let disk = root.path(&dir).canonicalize().ok();
        let disk = disk.and_then(|dir| dir.parent().map(|disk| disk.join("dev")));
        down.extend(disk.and_then(|file| parse(&std::fs::read_to_string(file).ok()?)));
    }
    for number in down {
        found.extend(below(number, root, depth - 1));
    }
    found
}

fn number_in(root: &Root, path: &Path) -> Option<DeviceNumber> {
    parse(&root.text(path)?)
}

fn parse(text: &str) -> Option<DeviceNumber> {
    let (major, minor) = text.trim().split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn sysfs((major, minor): DeviceNumber) -> PathBuf {
    PathBuf::from(format!("sys/dev/block/{major}:{minor}"))
}

fn split(number: u64) -> DeviceNumber {
    (rustix::fs::major(number), rustix::fs::minor(number))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::{fs, os::unix::fs::symlink};

    fn write(root: &Root, path: &str, text: &str) {
        let path = root.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A disk with a partition that a logical volume stands on, which is mounted twice.
    fn machine(dir: &Path) -> Root {
        let root = Root::at(dir);
        let disk = "sys/devices/pci/block/sda";
        write(&root, &format!("{disk}/dev"), "8:0\n");
        write(&root, &format!("{disk}/size"), "2048\n");
        write(&root, &format!("{disk}/ro"), "0\n");
        write(&root, &format!("{disk}/sda1/dev"), "8:1\n");
        write(&root, &format!("{disk}/sda1/partition"), "1\n");
        write(&root, &format!("{disk}/sda1/holders/dm-0"), "");
        write(&root, "sys/devices/virtual/block/dm-0/dev", "253:0\n");
        fs::create_dir_all(root.path("sys/devices/virtual/block/dm-0/slaves/")).unwrap();
        fs::create_dir_all(root.path("sys/dev/block")).unwrap();
        for (number, place) in [
            ("8:0", disk),
            ("8:1", &format!("{disk}/sda1")),
            ("253:0", "sys/devices/virtual/block/dm-0"),
        ] {
            symlink(root.path(place), root.path(format!("sys/dev/block/{number}"))).unwrap();
        }
        let slave = root.path("sys/devices/virtual/block/dm-0/slaves/sda1");
        symlink(root.path(disk).join("sda1"), slave).unwrap();
        write(
            &root,
            "proc/self/mountinfo",
            "1 0 253:0 / / rw - ext4 /dev/dm-0 rw\n2 1 253:0 /home /home rw - ext4 /dev/dm-0 rw",
        );
        write(&root, "proc/swaps", "Filename Type Size Used Priority\n/dev/sdb partition 1 0 -2\n");
        root
    }

    fn device(path: &str, number: DeviceNumber) -> Device {
        Device { path: path.into(), number }
    }

    #[test]
    fn who_works_on_a_device_is_read_from_the_kernels_files() {
        let dir = tempfile::tempdir().unwrap();
        let root = machine(dir.path());
        let disk = device("/dev/sda", (8, 0)).usage(&root).unwrap();
        assert_eq!(disk.partitions, ["sda1"]);
        assert_eq!((disk.size_bytes, disk.read_only, disk.swap), (1 << 20, false, false));
        let part = device("/dev/sda1", (8, 1)).usage(&root).unwrap();
        assert_eq!(part.holders, ["dm-0"]);
        let volume = device("/dev/dm-0", (253, 0)).usage(&root).unwrap();
        assert_eq!(volume.mounts, [Path::new("/home"), Path::new("/")]);
        assert!(device("/dev/sdb", (8, 16)).usage(&root).unwrap().swap);
    }

    #[test]
    fn a_disk_carries_what_stands_on_its_partitions() {
        let dir = tempfile::tempdir().unwrap();
        let root = machine(dir.path());
        for number in [(8, 0), (8, 1), (253, 0)] {
            assert!(device("/dev/x", number).carries((253, 0), &root), "{number:?}");
        }
        assert!(!device("/dev/sdb", (8, 16)).carries((253, 0), &root));
        assert!(!device("/dev/dm-0", (253, 0)).carries((8, 0), &root));
    }

    #[test]
    fn a_file_is_no_device() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("image");
        fs::write(&file, "").unwrap();
        assert!(matches!(Device::open(&file).unwrap_err(), StorageError::NoDevice(_)));
        assert!(Device::open(&dir.path().join("none")).is_err());
    }
}
