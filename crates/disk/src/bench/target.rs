//! What is read and written.

use super::{BenchError, Benching, noise::Noise};
use crate::engine::{Buffers, Direction, Port, Request};
use rustix::fs::{Advice, FallocateFlags, FileType, Mode, OFlags, SeekFrom};
use std::{
    fs, io,
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

/// A file or device to be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Where it is.
    pub path: PathBuf,
    /// Its size, bytes.
    pub bytes: u64,
    /// Whether it is a device.
    pub is_device: bool,
}

impl Target {
    /// A file or block device that is there.
    ///
    /// # Errors
    /// [`BenchError::Io`]: it is neither, or cannot be read.
    pub fn there(path: &Path) -> Result<Self, BenchError> {
        let failed = |error: io::Error| BenchError::io("measure", path, error);
        let found = fs::metadata(path).map_err(failed)?;
        let kind = FileType::from_raw_mode(std::os::unix::fs::MetadataExt::mode(&found));
        let (bytes, is_device) = match kind {
            FileType::RegularFile => (found.len(), false),
            FileType::BlockDevice => {
                let file = fs::File::open(path).map_err(failed)?;
                let end = rustix::fs::seek(&file, SeekFrom::End(0));
                (end.map_err(|error| failed(error.into()))?, true)
            }
            _ => return Err(failed(io::Error::other("it is neither a file nor a block device"))),
        };
        Ok(Self { path: path.to_owned(), bytes, is_device })
    }

    /// Opens it, and says whether that is past the page cache. `claim` keeps others from a device.
    pub(crate) fn open(
        &self,
        write: bool,
        direct: bool,
        claim: bool,
    ) -> io::Result<(OwnedFd, bool)> {
        let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
        let claim = if claim && self.is_device { OFlags::EXCL } else { OFlags::empty() };
        let flags = access | claim | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        if direct {
            match rustix::fs::open(&self.path, flags | OFlags::DIRECT, Mode::empty()) {
                Ok(file) => return Ok((file, true)),
                Err(rustix::io::Errno::INVAL) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok((rustix::fs::open(&self.path, flags, Mode::empty())?, false))
    }
}

/// A file of random data, made to be measured with and deleted when it is dropped. One that a
/// killed process has left is deleted by the next one that makes one in the same directory.
#[derive(Debug)]
pub struct Scratch {
    target: Target,
    /// Holds the lock by which others know that it is in use.
    lock: fs::File,
}

/// What the name begins with; the process follows.
const PREFIX: &str = "myrig-bench.";

/// How full a file system may be behind it.
const FULL_PERCENT: u64 = 95;
const FILL_BLOCK_BYTES: usize = 1 << 20;
const FILL_DEPTH: usize = 8;

impl Scratch {
    /// Makes a file of `bytes` (rounded up to whole MiB) in `dir`, past the page cache where that
    /// can be.
    ///
    /// # Errors
    /// [`BenchError::NoRoom`], [`BenchError::Io`], [`BenchError::Interrupted`]; the file is gone
    /// then.
    pub fn create(dir: &Path, bytes: u64, benching: &Benching) -> Result<Self, BenchError> {
        let bytes = bytes.next_multiple_of(FILL_BLOCK_BYTES as u64);
        delete_abandoned(dir);
        require_room(dir, bytes)?;
        let path = dir.join(format!("{PREFIX}{}", std::process::id()));
        let failed = |error| BenchError::io("write", &path, error);
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        let file = options.open(&path).map_err(failed)?;
        // Where there are no locks, the process in the name has to do.
        let _locked = file.try_lock();
        let target = Target { path: path.clone(), bytes, is_device: false };
        let scratch = Self { target, lock: file };
        match rustix::fs::fallocate(&scratch.lock, FallocateFlags::empty(), 0, bytes) {
            // A file system that cannot do that gives room as it is written.
            Ok(()) | Err(rustix::io::Errno::OPNOTSUPP) => {}
            Err(error) => return Err(failed(error.into())),
        }
        benching.total_bytes.store(bytes, Ordering::Relaxed);
        benching.done_bytes.store(0, Ordering::Relaxed);
        scratch.fill(benching)?;
        Ok(scratch)
    }

    /// The file, as what is measured.
    pub fn target(&self) -> &Target {
        &self.target
    }

    fn fill(&self, benching: &Benching) -> Result<(), BenchError> {
        let Target { path, bytes, .. } = &self.target;
        let failed = |error| BenchError::io("write", path, error);
        let (file, _direct) = self.target.open(true, true, false).map_err(failed)?;
        let opened = Port::open(crate::scan::Transport::Auto, FILL_DEPTH, FILL_BLOCK_BYTES);
        let (mut port, _lacks) = opened.map_err(failed)?;
        let mut noise = Noise::new(*bytes);
        let mut free: Vec<usize> = (0..port.buffers().count()).collect();
        free.iter().for_each(|slot| noise.fill(port.buffers().block_mut(*slot)));
        let (mut next, mut in_flight) = (0, 0);
        loop {
            while let (Some(slot), true) = (free.last().copied(), next < *bytes) {
                if benching.is_stopped() {
                    return Err(BenchError::Interrupted);
                }
                noise.mark(port.buffers().block_mut(slot));
                free.pop();
                let request = Request {
                    direction: Direction::Write,
                    slot,
                    file: file.as_raw_fd(),
                    offset: next,
                    bytes: FILL_BLOCK_BYTES,
                };
                port.submit(request).map_err(failed)?;
                next += FILL_BLOCK_BYTES as u64;
                in_flight += 1;
            }
            if in_flight == 0 {
                break;
            }
            if let Some((slot, written)) = port.next(true).map_err(failed)? {
                match written {
                    Ok(FILL_BLOCK_BYTES) => {}
                    Ok(_) => return Err(failed(io::ErrorKind::WriteZero.into())),
                    Err(error) => return Err(failed(error)),
                }
                benching.done_bytes.fetch_add(FILL_BLOCK_BYTES as u64, Ordering::Relaxed);
                free.push(slot);
                in_flight -= 1;
            }
        }
        rustix::fs::fsync(&file).map_err(|error| failed(error.into()))?;
        // Where it went through the page cache it must not be read from there.
        let _kept = rustix::fs::fadvise(&file, 0, None, Advice::DontNeed);
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Whoever deleted it before has done the same.
        let _gone = fs::remove_file(&self.target.path);
    }
}

/// Deletes the files of processes that were killed. One that cannot be deleted is in nobody's way.
fn delete_abandoned(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<u32>().ok());
        let Some(owner) = owner else { continue };
        let lives =
            owner != std::process::id() && Path::new("/proc").join(owner.to_string()).exists();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if lives || !is_file {
            continue;
        }
        // A process that is not seen from here may hold it.
        if fs::File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _stays = fs::remove_file(entry.path());
        }
    }
}

fn require_room(dir: &Path, bytes: u64) -> Result<(), BenchError> {
    let counts =
        rustix::fs::statvfs(dir).map_err(|error| BenchError::io("look at", dir, error.into()))?;
    let available_bytes = counts.f_bavail.saturating_mul(counts.f_frsize);
    let all_bytes = counts.f_blocks.saturating_mul(counts.f_frsize);
    let kept_bytes = all_bytes / 100 * (100 - FULL_PERCENT);
    match bytes.saturating_add(kept_bytes) <= available_bytes {
        true => Ok(()),
        false => Err(BenchError::NoRoom { path: dir.to_owned(), bytes, available_bytes }),
    }
}

/// Fills the blocks of a job that writes.
pub(crate) fn fill_all(buffers: &mut Buffers, noise: &mut Noise) {
    (0..buffers.count()).for_each(|slot| noise.fill(buffers.block_mut(slot)));
}
