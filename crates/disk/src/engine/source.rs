//! A file that is open for reading: past the page cache and through it.

use super::{cache, report::ScanReport, window::Windows};
use crate::scan::{Direct, Input};
use rustix::{
    fs::{Advice, AtFlags, FileType, Mode, OFlags, SeekFrom, Statx, StatxFlags},
    io::Errno,
};
use std::{
    io,
    num::NonZeroU64,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd},
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// What direct reads are aligned to where the kernel does not tell: right for every disk of today.
const USUAL_ALIGN_BYTES: u32 = 4096;

/// The most that offsets of blocks are aligned to.
const ALIGN_BYTES_MAX: u32 = 64 << 10;

/// A file that is open.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) input: Input,
    /// Its size when it was opened.
    pub(crate) bytes: u64,
    file: OwnedFd,
    /// The same past the page cache, once it was wanted; none where that cannot be had.
    direct: OnceLock<Option<OwnedFd>>,
    direct_failed: AtomicBool,
    cache_unknown: AtomicBool,
    windows: Windows,
    facts: Facts,
}

#[derive(Clone, Copy, Debug)]
struct Facts {
    kind: FileType,
    bytes: u64,
    identity: (u32, u32, u64),
    /// What offsets and lengths of direct reads are multiples of; 0 where there are none.
    align_bytes: u32,
}

/// How a range of a file is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// From the page cache, where all of it is.
    Cached,
    /// Past the page cache.
    Direct,
    /// Through the page cache, which is to be left as it was where `forget` says so.
    Buffered { forget: bool },
}

impl Source {
    /// Opens a regular file or block device; never waits for somebody at the other end.
    pub(crate) fn open(input: Input) -> io::Result<Self> {
        // Opening a device can do something to it: it is looked at before, and once more behind.
        let before = facts(rustix::fs::CWD, &input.path)?;
        refuse_others(before.kind)?;
        let file = open(&input.path, OFlags::empty())?;
        let facts = facts_of(file.as_fd())?;
        refuse_others(facts.kind)?;
        let bytes = match facts.kind {
            FileType::BlockDevice => rustix::fs::seek(&file, SeekFrom::End(0))?,
            _ => facts.bytes,
        };
        Ok(Self {
            input,
            bytes,
            file,
            direct: OnceLock::new(),
            direct_failed: AtomicBool::new(false),
            cache_unknown: AtomicBool::new(false),
            windows: Windows::default(),
            facts,
        })
    }

    /// How to read a range. What cannot be had is noted in the report, once a file.
    pub(crate) fn way(
        &self,
        offset: u64,
        bytes: usize,
        wanted: Direct,
        report: &mut ScanReport,
    ) -> Way {
        if wanted != Direct::Always && self.is_cached(offset, bytes, report) {
            return Way::Cached;
        }
        if wanted == Direct::Never {
            return Way::Buffered { forget: false };
        }
        let direct = self.direct.get_or_init(|| {
            let opened = self.open_direct();
            opened.map_err(|error| report.fell_back("direct I/O", &error.to_string(), 1)).ok()
        });
        match direct.is_some() && !self.direct_failed.load(Ordering::Relaxed) {
            true => Way::Direct,
            false => Way::Buffered { forget: true },
        }
    }

    fn is_cached(&self, offset: u64, bytes: usize, report: &mut ScanReport) -> bool {
        let Some(bytes) = NonZeroU64::new(bytes as u64) else { return true };
        if self.cache_unknown.load(Ordering::Relaxed) {
            return false;
        }
        cache::holds(self.file.as_fd(), offset, bytes).unwrap_or_else(|error| {
            if !self.cache_unknown.swap(true, Ordering::Relaxed) {
                report.fell_back("cachestat", &error.to_string(), 1);
            }
            false
        })
    }

    fn open_direct(&self) -> io::Result<OwnedFd> {
        if self.facts.align_bytes == 0 || self.facts.align_bytes > ALIGN_BYTES_MAX {
            return Err(io::Error::other("the file system has none for this file"));
        }
        let file = open(&self.input.path, OFlags::DIRECT)?;
        if facts_of(file.as_fd())?.identity != self.facts.identity {
            return Err(io::Error::other("another file has taken its name"));
        }
        Ok(file)
    }

    /// A direct read was refused for its form: the file is read through the cache from now on.
    pub(crate) fn direct_was_refused(&self, error: &io::Error, report: &mut ScanReport) {
        if !self.direct_failed.swap(true, Ordering::Relaxed) {
            report.fell_back("direct I/O", &error.to_string(), 1);
        }
    }

    /// What to hand to the kernel for reading in that way.
    pub(crate) fn descriptor(&self, way: Way) -> RawFd {
        self.file_for(way).as_raw_fd()
    }

    fn file_for(&self, way: Way) -> BorrowedFd<'_> {
        match (way, self.direct.get()) {
            (Way::Direct, Some(Some(direct))) => direct.as_fd(),
            _ => self.file.as_fd(),
        }
    }

    /// How much to ask for, in that way, to get `bytes`: the end of a file is not aligned.
    pub(crate) fn asked_bytes(&self, way: Way, bytes: usize) -> usize {
        match way {
            Way::Direct => bytes.next_multiple_of(self.align_bytes()),
            Way::Cached | Way::Buffered { .. } => bytes,
        }
    }

    /// What direct reads of it are aligned to, bytes.
    pub(crate) fn align_bytes(&self) -> usize {
        self.facts.align_bytes.max(USUAL_ALIGN_BYTES) as usize
    }

    /// Reads as much as the kernel gives at once.
    pub(crate) fn read_at(&self, way: Way, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        loop {
            match rustix::io::pread(self.file_for(way), &mut *buffer, offset) {
                Err(Errno::INTR) => {}
                read => return Ok(read?),
            }
        }
    }

    /// Shows what is in the page cache without copying it, where that is safe.
    pub(crate) fn look<T>(
        &self,
        offset: u64,
        bytes: usize,
        look: impl FnOnce(&[u8]) -> T,
    ) -> Option<T> {
        if self.facts.kind != FileType::RegularFile {
            return None;
        }
        self.windows.look(self.file.as_fd(), offset..offset + bytes as u64, self.bytes, look)
    }

    /// Has the page cache forget a range again.
    pub(crate) fn forget(&self, offset: u64, bytes: usize) {
        let length = NonZeroU64::new(bytes as u64);
        // It is a courtesy; a file system that cannot do it keeps the range.
        let _kept = rustix::fs::fadvise(&self.file, offset, length, Advice::DontNeed);
    }
}

fn open(path: &Path, more: OFlags) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | more;
    match rustix::fs::open(path, flags | OFlags::NOATIME, Mode::empty()) {
        // Only the owner may leave the time of access alone.
        Err(Errno::PERM) => Ok(rustix::fs::open(path, flags, Mode::empty())?),
        opened => Ok(opened?),
    }
}

fn facts(at: impl AsFd, path: &Path) -> io::Result<Facts> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::DIOALIGN;
    Ok(facts_in(&rustix::fs::statx(at, path, AtFlags::empty(), wanted)?))
}

fn facts_of(file: BorrowedFd<'_>) -> io::Result<Facts> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::DIOALIGN;
    Ok(facts_in(&rustix::fs::statx(file, "", AtFlags::EMPTY_PATH, wanted)?))
}

fn facts_in(found: &Statx) -> Facts {
    let kind = FileType::from_raw_mode(found.stx_mode.into());
    // The kernel tells it for devices by their path only, and before 6.1 for nothing.
    let told = found.stx_mask & StatxFlags::DIOALIGN.bits() != 0;
    let align_bytes = match told && kind == FileType::RegularFile {
        true if found.stx_dio_mem_align == 0 => 0,
        true => found.stx_dio_offset_align,
        false => USUAL_ALIGN_BYTES,
    };
    Facts {
        kind,
        bytes: found.stx_size,
        identity: (found.stx_dev_major, found.stx_dev_minor, found.stx_ino),
        align_bytes,
    }
}

fn refuse_others(kind: FileType) -> io::Result<()> {
    let what = match kind {
        FileType::RegularFile | FileType::BlockDevice => return Ok(()),
        FileType::Directory => "a directory",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::CharacterDevice => "a character device",
        _ => "neither a file nor a block device",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, no file to be read")))
}
