//! A file that fills a device up to a share.
//!
//! What it holds is random: a drive that compresses, or that takes zeros for nothing, would
//! otherwise stay as empty as it was.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use rustix::{fs::FallocateFlags, io::Errno};

use super::{error::StorageError, fill::Fill, share::Percent};
use crate::root::Root;

/// The filler's name in the directory that is named.
const NAME: &str = "myrig-filler";

/// How much is written at once.
const BLOCK_BYTES: usize = 1 << 20;

/// How far a filler is; shared by who writes and who watches.
#[derive(Debug, Default)]
pub struct Filling {
    /// What is to be written, bytes.
    pub total_bytes: AtomicU64,
    /// What has been, bytes.
    pub done_bytes: AtomicU64,
    /// Set from outside to end it.
    pub stop: AtomicBool,
}

impl Filling {
    fn check(&self) -> io::Result<()> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }
}

/// The filler of a directory.
pub fn filler(dir: &Path) -> PathBuf {
    dir.join(NAME)
}

/// Fills the device under `dir` up to `share` with a filler in `dir`; one that is there grows. A
/// device that is fuller already stays as it is. Returns the bytes written. What fails or is
/// stopped takes back what it has written.
///
/// # Errors
/// [`StorageError::BeyondLimit`] before anything is written; [`StorageError::Io`];
/// [`StorageError::Interrupted`].
pub fn fill_to(
    dir: &Path,
    share: Percent,
    limit: Percent,
    filling: &Filling,
) -> Result<u64, StorageError> {
    if share > limit {
        return Err(StorageError::BeyondLimit { wanted: share, limit });
    }
    if !dir.is_dir() {
        return Err(StorageError::NoDirectory(dir.to_owned()));
    }
    let bytes = whole_blocks(Fill::of(dir, &Root::real())?.bytes_to(share));
    if bytes == 0 {
        return Ok(0);
    }
    filling.total_bytes.store(bytes, Ordering::Relaxed);
    let path = filler(dir);
    let failed = |error| StorageError::io("write", &path, error);
    let file = open(&path).map_err(failed)?;
    let before = file.metadata().map_err(failed)?.len();
    let Err(error) = grow(&file, bytes, before, filling) else { return Ok(bytes) };
    let back = if before == 0 { fs::remove_file(&path) } else { file.set_len(before) };
    back.map_err(failed)?;
    match error.kind() {
        io::ErrorKind::Interrupted => Err(StorageError::Interrupted),
        _ => Err(failed(error)),
    }
}

/// Deletes the filler; returns its size in bytes, none where there was no filler.
///
/// # Errors
/// [`StorageError::Io`].
pub fn remove(dir: &Path) -> Result<Option<u64>, StorageError> {
    let path = filler(dir);
    let failed = |error| StorageError::io("remove", &path, error);
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => {
            let bytes = found.map_err(failed)?.len();
            // Some file systems give back the room of a deleted file in their own time, but that
            // of a shorter one at once.
            open(&path).and_then(|file| file.set_len(0)).map_err(failed)?;
            fs::remove_file(&path).map_err(failed)?;
            Ok(Some(bytes))
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let flags = rustix::fs::OFlags::NOFOLLOW.bits();
    options
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags.cast_signed())
        .open(path)
}

/// Takes the room first, then writes into it. A file that grew as it was written would be given
/// room ahead of its end by some file systems, and taken for larger than it will be.
fn grow(file: &File, bytes: u64, before: u64, filling: &Filling) -> io::Result<()> {
    filling.check()?;
    match rustix::fs::fallocate(file, FallocateFlags::empty(), before, bytes) {
        // A file system that cannot do that gives room as it is written.
        Ok(()) | Err(Errno::OPNOTSUPP) => {}
        Err(error) => return Err(error.into()),
    }
    let mut noise = Noise::from_position(before);
    let mut block = vec![0_u8; BLOCK_BYTES];
    let (mut place, end) = (before, before + bytes);
    while place < end {
        filling.check()?;
        // A block is smaller than any address space.
        let length = (end - place).min(BLOCK_BYTES as u64) as usize;
        noise.fill(&mut block[..length]);
        file.write_all_at(&block[..length], place)?;
        place += length as u64;
        filling.done_bytes.fetch_add(length as u64, Ordering::Relaxed);
    }
    file.sync_all()
}

/// A block that is begun is taken whole, which must not be what passes the limit.
fn whole_blocks(bytes: u64) -> u64 {
    bytes - bytes % 4096
}

/// xorshift64*, Vigna 2016: nothing that a drive could make smaller, faster than any drive.
struct Noise(u64);

impl Noise {
    /// What is appended later differs from what is there.
    fn from_position(bytes: u64) -> Self {
        Self(bytes.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15))
    }

    fn fill(&mut self, block: &mut [u8]) {
        for word in block.chunks_mut(8) {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            let bytes = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D).to_le_bytes();
            word.copy_from_slice(&bytes[..word.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_share_beyond_the_limit_writes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (share, limit) = ("95%".parse().unwrap(), "90%".parse().unwrap());
        let error = fill_to(dir.path(), share, limit, &Filling::default()).unwrap_err();
        assert!(error.to_string().contains("--limit"), "{error}");
        assert!(!filler(dir.path()).exists());
    }

    #[test]
    fn an_interrupted_filler_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let (all, filling) = ("100%".parse().unwrap(), Filling::default());
        filling.stop.store(true, Ordering::Relaxed);
        let error = fill_to(dir.path(), all, all, &filling).unwrap_err();
        assert!(matches!(error, StorageError::Interrupted), "{error}");
        assert!(!filler(dir.path()).exists());
        assert_eq!(remove(dir.path()).unwrap(), None);
    }

    #[test]
    fn noise_cannot_be_compressed_and_does_not_repeat() {
        let mut block = vec![0; 1 << 16];
        Noise::from_position(0).fill(&mut block);
        let mut counts = [0_u32; 256];
        block.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        // 256 of each are expected; five standard deviations are 80.
        assert!(counts.iter().all(|count| count.abs_diff(256) < 80), "{counts:?}");
        let mut later = vec![0; 1 << 16];
        Noise::from_position(1 << 16).fill(&mut later);
        assert_ne!(block, later);
    }
}
