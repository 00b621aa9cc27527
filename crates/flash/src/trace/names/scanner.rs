//! The files of the file systems on a device, and where they lie, looked at again and again.

use super::{Extent, FileId, FileMap};
use crate::trace::{extents, place::Place};
use std::{
    collections::{HashMap, HashSet},
    fs::{self, File, Metadata, OpenOptions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Why files cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The kernel does not tell where the device is mounted.
    #[error("/sys/block: {0}; where the device is mounted is not known")]
    Mounts(io::Error),
}

/// Finds files and where they lie. A look touches nothing: no file is flushed for it, so what has
/// no place yet is found by the next look.
#[derive(Debug)]
pub struct Scanner {
    mounts: Vec<Mount>,
    seen: HashMap<Identity, Seen>,
}

/// A directory where a file system is mounted, and the sector of the device where it begins.
#[derive(Debug)]
struct Mount {
    point: PathBuf,
    start_sector: u64,
}

/// A file while it lives: device, number of its inode, and when that was made, since numbers are
/// used again.
type Identity = (u64, u64, Option<SystemTime>);

#[derive(Debug)]
struct Seen {
    file: FileId,
    path: PathBuf,
    /// Size and blocks: while they are the same, the file lies where it lay.
    size: (u64, u64),
    extents: Vec<Extent>,
}

impl Scanner {
    /// Of the file systems that are mounted from the device now.
    ///
    /// # Errors
    /// The kernel's files cannot be read.
    pub fn new(place: &Place) -> Result<Self, ScanError> {
        let mounts = place.mounts(Path::new("/")).map_err(ScanError::Mounts)?;
        let mounts = mounts.into_iter().map(|(point, start_sector)| Mount { point, start_sector });
        Ok(Self { mounts: mounts.collect(), seen: HashMap::new() })
    }

    /// Whether a file system is mounted from the device.
    #[must_use]
    pub fn has_mounts(&self) -> bool {
        !self.mounts.is_empty()
    }

    /// Files that are new, were renamed, or lie elsewhere than at the last look. What vanishes
    /// while it is looked at, or may not be, is left out: the next look may find it.
    pub fn look(&mut self) -> Vec<FileMap> {
        let mut changed = Vec::new();
        // By which of several names a file goes is decided once a look.
        let mut met = HashSet::new();
        for mount in &self.mounts {
            let Ok(root) = fs::metadata(&mount.point) else { continue };
            let mut waiting = vec![mount.point.clone()];
            while let Some(dir) = waiting.pop() {
                let Ok(entries) = fs::read_dir(&dir) else { continue };
                for entry in entries.flatten() {
                    // Neither a link's target nor another file system below.
                    let Ok(metadata) = entry.metadata() else { continue };
                    if metadata.dev() != root.dev() {
                        continue;
                    }
                    if metadata.is_dir() {
                        waiting.push(entry.path());
                    } else if metadata.is_file() && met.insert(identity(&metadata)) {
                        let start = mount.start_sector;
                        changed.extend(look_at(&mut self.seen, &entry.path(), &metadata, start));
                    }
                }
            }
        }
        changed
    }
}

fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino(), metadata.created().ok())
}

fn look_at(
    seen: &mut HashMap<Identity, Seen>,
    path: &Path,
    metadata: &Metadata,
    start_sector: u64,
) -> Option<FileMap> {
    let identity = identity(metadata);
    let size = (metadata.size(), metadata.blocks());
    let known = seen.get(&identity);
    if known.is_some_and(|known| known.size == size && known.path == path) {
        return None;
    }
    let file = match known {
        Some(known) => known.file,
        None => FileId(seen.len().try_into().ok()?),
    };
    let extents = extents_of(path, start_sector).ok()?;
    let path = path.to_owned();
    let news = known.is_none_or(|known| known.extents != extents || known.path != path);
    let map = FileMap { file, path: path.clone(), extents: extents.clone() };
    seen.insert(identity, Seen { file, path, size, extents });
    news.then_some(map)
}

fn extents_of(path: &Path, start_sector: u64) -> io::Result<Vec<Extent>> {
    let mut options = OpenOptions::new();
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOATIME;
    let file: File = options.read(true).custom_flags(flags).open(path)?;
    let mut found = extents::of(&file)?;
    for extent in &mut found {
        extent.sector = extent.sector.saturating_add(start_sector);
    }
    Ok(found)
}
