//! Which part of which disk a block device is, and where it is mounted.

use std::{
    fs, io,
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::{Path, PathBuf},
};

/// A block device: a disk, or a partition of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The kernel's name: `nvme0n1p2`, `loop3`.
    pub name: String,
    /// Major and minor number of the disk, which is the device itself or what it is a part of.
    pub disk: (u32, u32),
    /// Where the device begins on the disk, in sectors of 512 bytes.
    pub start_sector: u64,
    /// How many sectors it has.
    pub sectors: u64,
}

/// Why a device cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// It is not there, or may not be looked at.
    #[error("{}: {source}", path.display())]
    Device {
        /// What was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is something else.
    #[error(
        "{} is not a block device; `myrig disk list --all` shows those there are", .0.display()
    )]
    NotABlockDevice(PathBuf),
    /// The kernel's files do not tell of it.
    #[error("{}: not told by the kernel's files ({source}); is /sys mounted?", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A loop device without a file, a slot without a disc.
    #[error("{} has no size: nothing is in it", .0.display())]
    Empty(PathBuf),
}

impl Place {
    /// Looks a device up in `/sys`.
    ///
    /// # Errors
    /// It is absent, no block device, or empty.
    pub fn of(device: &Path) -> Result<Self, PlaceError> {
        let failed = |source| PlaceError::Device { path: device.to_owned(), source };
        let metadata = fs::metadata(device).map_err(failed)?;
        if !metadata.file_type().is_block_device() {
            return Err(PlaceError::NotABlockDevice(device.to_owned()));
        }
        let number = metadata.rdev();
        let link = format!("/sys/dev/block/{}:{}", libc::major(number), libc::minor(number));
        let unknown = |source| PlaceError::Unknown { path: link.clone().into(), source };
        // A partition's directory lies inside that of its disk.
        let dir = fs::canonicalize(&link).map_err(unknown)?;
        let place = Self::told(&dir).map_err(unknown)?;
        match place.sectors {
            0 => Err(PlaceError::Empty(device.to_owned())),
            _ => Ok(place),
        }
    }

    fn told(dir: &Path) -> io::Result<Self> {
        let is_part = dir.join("partition").exists();
        let whole = if is_part { dir.parent().unwrap_or(dir) } else { dir };
        Ok(Self {
            name: dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            disk: numbers(&read(&whole.join("dev"))?)?,
            start_sector: if is_part { number(&dir.join("start"))? } else { 0 },
            sectors: number(&dir.join("size"))?,
        })
    }

    /// Bytes of the device.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.sectors * super::SECTOR_BYTES
    }

    /// Whether the disk consists of zones that are written from their beginning to their end.
    #[must_use]
    pub fn is_zoned(&self) -> bool {
        let (major, minor) = self.disk;
        let path = format!("/sys/dev/block/{major}:{minor}/queue/zoned");
        // Kernels without zones have no such file.
        fs::read_to_string(path).is_ok_and(|zoned| zoned.trim() != "none")
    }

    /// The file systems that lie on the device, with the sector of the device at which each begins:
    /// its own, or those of its partitions. What is built on it by other means (LVM, RAID) is not
    /// among them. `root` is `/`.
    ///
    /// # Errors
    /// There is no `/sys/block`.
    pub fn mounts(&self, root: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        let mut found = Vec::new();
        for disk in disk::device::devices(root)? {
            let block = root.join("sys/block").join(&disk.name);
            if numbers(&read(&block.join("dev"))?)? != self.disk {
                continue;
            }
            let own = disk.mounts.iter().map(|mount| (mount.point.clone(), 0));
            found.extend(own);
            for part in &disk.partitions {
                let start = number(&block.join(&part.name).join("start"))?;
                found.extend(part.mounts.iter().map(|mount| (mount.point.clone(), start)));
            }
        }
        let end = self.start_sector + self.sectors;
        found.retain(|(_, start)| (self.start_sector..end).contains(start));
        Ok(found.into_iter().map(|(point, start)| (point, start - self.start_sector)).collect())
    }
}

fn read(path: &Path) -> io::Result<String> {
    Ok(fs::read_to_string(path)?.trim().to_owned())
}

fn number(path: &Path) -> io::Result<u64> {
    read(path)?.parse().map_err(|_| io::ErrorKind::InvalidData.into())
}

fn numbers(text: &str) -> io::Result<(u32, u32)> {
    let (major, minor) = text.split_once(':').ok_or(io::ErrorKind::InvalidData)?;
    match (major.parse(), minor.parse()) {
        (Ok(major), Ok(minor)) => Ok((major, minor)),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_block_device_is_refused_by_name() {
        let error = Place::of(Path::new("/dev/null")).unwrap_err().to_string();
        assert_eq!(
            error,
            "/dev/null is not a block device; `myrig disk list --all` shows those there are"
        );
        let error = Place::of(Path::new("/dev/no-such-thing")).unwrap_err().to_string();
        assert!(error.starts_with("/dev/no-such-thing: No such file"), "{error}");
    }

    #[test]
    fn a_partition_is_told_by_its_disk_and_where_it_begins() {
        let root = tempfile::tempdir().unwrap();
        let disk = root.path().join("nvme0n1");
        let part = disk.join("nvme0n1p2");
        fs::create_dir_all(&part).unwrap();
        for (file, text) in [("dev", "259:0\n"), ("size", "4096\n")] {
            fs::write(disk.join(file), text).unwrap();
        }
        for (file, text) in [("dev", "259:2\n"), ("size", "1024\n"), ("start", "2048\n")] {
            fs::write(part.join(file), text).unwrap();
        }
        fs::write(part.join("partition"), "2\n").unwrap();
        let whole =
            Place { name: "nvme0n1".into(), disk: (259, 0), start_sector: 0, sectors: 4096 };
        assert_eq!(Place::told(&disk).unwrap(), whole);
        let name = "nvme0n1p2".into();
        let its = Place { name, disk: (259, 0), start_sector: 2048, sectors: 1024 };
        assert_eq!(Place::told(&part).unwrap(), its);
        fs::write(disk.join("dev"), "none\n").unwrap();
        assert!(Place::told(&part).is_err());
    }
}
