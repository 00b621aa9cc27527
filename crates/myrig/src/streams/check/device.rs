//! A block device by the kernel's files: what it is, and what it stands on.

use host::Root;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A block device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Device {
    /// Its name: `nvme0n1`; of a partition that of the whole.
    pub(super) name: String,
    /// Its directory in `/sys`.
    dir: PathBuf,
    /// Its number, major and minor.
    pub(super) number: (u32, u32),
}

/// What a device is, as far as hints go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A file on another file system.
    Loop {
        /// The file.
        file: String,
    },
    /// The device mapper: LVM, dm-crypt, multipath.
    Mapper {
        /// Whether it encrypts.
        crypt: bool,
    },
    /// Linux' RAID.
    Raid {
        /// `raid1`.
        level: String,
    },
    /// NVMe.
    Nvme,
    /// A SATA or USB disk in the clothes of a SCSI one.
    Ata,
    /// SCSI, SAS, UFS.
    Scsi,
    /// A hypervisor's, by a protocol that has no place for hints.
    Virtual,
    /// Memory.
    Memory,
    /// Over a network, or something else.
    Other,
}

impl Device {
    /// The device of a number, or the one that it is a partition of.
    pub(super) fn of(number: (u32, u32), root: &Root) -> Option<Self> {
        let link = format!("sys/dev/block/{}:{}", number.0, number.1);
        let mut dir = root.path(link).canonicalize().ok()?;
        if dir.join("partition").exists() {
            dir = dir.parent()?.to_owned();
        }
        let name = dir.file_name()?.to_str()?.to_owned();
        let number = parse(&fs::read_to_string(dir.join("dev")).ok()?)?;
        Some(Self { name, dir, number })
    }

    /// The text of one of its files; none where there is none or nothing in it.
    pub(super) fn text(&self, file: impl AsRef<Path>) -> Option<String> {
        let bytes = fs::read(self.dir.join(file)).ok()?;
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// The bytes of one of its files; none where there is none.
    pub(super) fn bytes(&self, file: &str) -> Option<Vec<u8>> {
        fs::read(self.dir.join(file)).ok()
    }

    /// The number in one of its files.
    pub(super) fn number_in(&self, file: &str) -> Option<u64> {
        self.text(file)?.parse().ok()
    }

    /// What it is.
    pub(super) fn kind(&self) -> Kind {
        let starts = |words: &[&str]| words.iter().any(|word| self.name.starts_with(word));
        if let Some(file) = self.text("loop/backing_file") {
            return Kind::Loop { file };
        }
        if self.dir.join("dm").is_dir() {
            let uuid = self.text("dm/uuid").unwrap_or_default();
            return Kind::Mapper { crypt: uuid.starts_with("CRYPT-") };
        }
        if let Some(level) = self.text("md/level") {
            return Kind::Raid { level };
        }
        match () {
            () if starts(&["nvme"]) => Kind::Nvme,
            () if starts(&["vd", "xvd"]) => Kind::Virtual,
            () if starts(&["ram", "zram", "pmem"]) => Kind::Memory,
            () if !starts(&["sd"]) => Kind::Other,
            () if self.text("device/vendor").is_some_and(|vendor| vendor == "ATA") => Kind::Ata,
            () => Kind::Scsi,
        }
    }

    /// The devices that it is built on, by name.
    pub(super) fn below(&self, root: &Root) -> Vec<Self> {
        let entries = fs::read_dir(self.dir.join("slaves")).into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| fs::read_to_string(entry.path().join("dev")).ok());
        let mut found: Vec<Self> =
            numbers.filter_map(|text| Self::of(parse(&text)?, root)).collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found.dedup();
        found
    }
}

/// Major and minor number of `259:0`.
fn parse(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.trim().split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::symlink;

    /// A device: its path, its number, and its files with what stands in them.
    type Made<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

    /// A tree with devices.
    pub(in super::super) fn tree(devices: &[Made<'_>]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, number, files) in devices {
            let device = dir.path().join("sys/devices").join(path);
            fs::create_dir_all(&device).unwrap();
            fs::write(device.join("dev"), number).unwrap();
            for (file, text) in *files {
                let file = device.join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                match text.strip_prefix("-> ") {
                    Some(to) => symlink(dir.path().join("sys/devices").join(to), file).unwrap(),
                    None => fs::write(file, text).unwrap(),
                }
            }
            let links = dir.path().join("sys/dev/block");
            fs::create_dir_all(&links).unwrap();
            symlink(&device, links.join(number)).unwrap();
        }
        dir
    }

    #[test]
    fn devices_are_what_their_files_say() {
        let dir = tree(&[
            ("nvme0n1", "259:0", &[]),
            ("nvme0n1/nvme0n1p1", "259:1", &[("partition", "1")]),
            ("loop0", "7:0", &[("loop/backing_file", "/image\n")]),
            (
                "dm-0",
                "253:0",
                &[("dm/uuid", "LVM-x"), ("slaves/nvme0n1p1", "-> nvme0n1/nvme0n1p1")],
            ),
            ("dm-1", "253:1", &[("dm/uuid", "CRYPT-LUKS2-x")]),
            ("md0", "9:0", &[("md/level", "raid1\n")]),
            ("sda", "8:0", &[("device/vendor", "ATA     \n")]),
            ("sdb", "8:16", &[("device/vendor", "SEAGATE\n")]),
            ("vda", "254:0", &[]),
            ("ram0", "1:0", &[]),
            ("nbd0", "43:0", &[]),
        ]);
        let root = Root::at(dir.path());
        let kind = |major, minor| Device::of((major, minor), &root).unwrap().kind();
        assert_eq!(
            Device::of((259, 1), &root).unwrap().name,
            "nvme0n1",
            "the whole of a partition"
        );
        assert_eq!(kind(259, 1), Kind::Nvme);
        assert_eq!(kind(7, 0), Kind::Loop { file: "/image".into() });
        assert_eq!(kind(253, 0), Kind::Mapper { crypt: false });
        assert_eq!(kind(253, 1), Kind::Mapper { crypt: true });
        assert_eq!(kind(9, 0), Kind::Raid { level: "raid1".into() });
        assert_eq!(kind(8, 0), Kind::Ata);
        assert_eq!(kind(8, 16), Kind::Scsi);
        assert_eq!(kind(254, 0), Kind::Virtual);
        assert_eq!(kind(1, 0), Kind::Memory);
        assert_eq!(kind(43, 0), Kind::Other);
        assert_eq!(Device::of((0, 1), &root), None);
        let below = Device::of((253, 0), &root).unwrap().below(&root);
        assert_eq!(below, [Device::of((259, 0), &root).unwrap()]);
    }
}
