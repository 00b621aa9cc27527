//! What a scan says of itself.

use crate::scan::ScanOptions;
use serde::Serialize;
use std::io;

/// How reads were given to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// By io_uring, many in flight a thread.
    Uring,
    /// By `pread`, one at a time a thread.
    Plain,
}

/// Something that this kernel, file system or account does not have, and a scan did without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fallback {
    /// What: `io_uring`, `registered buffers`, `direct I/O`, `cachestat`.
    pub without: &'static str,
    /// Why, in the kernel's words.
    pub reason: String,
    /// How many files (of `direct I/O`, `cachestat`) or threads it was so for.
    pub times: u64,
}

/// How a scan went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScanReport {
    /// Threads.
    pub jobs: usize,
    /// Reads in flight a thread.
    pub depth: usize,
    /// Bytes a read.
    pub block_bytes: usize,
    /// Memory of all buffers, bytes.
    pub buffers_bytes: u64,
    /// How reads were given to the kernel; plain when one thread had to.
    pub reader: Reader,
    /// Files whose head was looked at.
    pub files: u64,
    /// Files that were refused.
    pub refused: u64,
    /// Bytes that memory held already.
    pub cached_bytes: u64,
    /// Bytes read past the page cache: from the device.
    pub direct_bytes: u64,
    /// Bytes read through the page cache that were not known to be there: mostly from the device.
    pub buffered_bytes: u64,
    /// Bytes that could not be read.
    pub unreadable_bytes: u64,
    /// How long it took.
    pub seconds: f64,
    /// What it had to do without.
    pub fallbacks: Vec<Fallback>,
    /// Whether it was ended early.
    pub stopped: bool,
}

impl ScanReport {
    /// Of a scan, or a thread of one, that has read nothing yet.
    pub(crate) fn blank(options: &ScanOptions, reader: Reader) -> Self {
        Self {
            jobs: options.jobs.get(),
            depth: options.depth.get(),
            block_bytes: options.block_bytes,
            buffers_bytes: 0,
            reader,
            files: 0,
            refused: 0,
            cached_bytes: 0,
            direct_bytes: 0,
            buffered_bytes: 0,
            unreadable_bytes: 0,
            seconds: 0.0,
            fallbacks: Vec::new(),
            stopped: false,
        }
    }

    /// All that was read, in bytes.
    pub fn read_bytes(&self) -> u64 {
        self.cached_bytes + self.direct_bytes + self.buffered_bytes
    }

    pub(crate) fn fell_back(&mut self, without: &'static str, reason: &str, times: u64) {
        let same = |known: &&mut Fallback| known.without == without && known.reason == reason;
        match self.fallbacks.iter_mut().find(same) {
            Some(known) => known.times += times,
            None => {
                self.fallbacks.push(Fallback { without, reason: reason.to_owned(), times });
            }
        }
    }

    /// Adds what another thread has read.
    pub(crate) fn add(&mut self, other: &Self) {
        self.buffers_bytes += other.buffers_bytes;
        self.files += other.files;
        self.refused += other.refused;
        self.cached_bytes += other.cached_bytes;
        self.direct_bytes += other.direct_bytes;
        self.buffered_bytes += other.buffered_bytes;
        self.unreadable_bytes += other.unreadable_bytes;
        self.stopped |= other.stopped;
        if other.reader == Reader::Plain {
            self.reader = Reader::Plain;
        }
        for fallback in &other.fallbacks {
            self.fell_back(fallback.without, &fallback.reason, fallback.times);
        }
    }
}

/// Why a scan could not be carried out at all.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// A block size that pages could lie across.
    #[error("{0} is no block size: give a power of two from 64K to 1G")]
    BlockBytes(usize),
    /// io_uring was demanded and is not to be had.
    #[error("this kernel or account has no io_uring ({0}); let the transport be chosen")]
    NoUring(io::Error),
    /// No memory for the buffers.
    #[error("no memory for {bytes} bytes of buffers ({source}); take fewer jobs or less depth")]
    Buffers {
        /// What a thread asked for, bytes.
        bytes: usize,
        /// Why not.
        source: io::Error,
    },
    /// io_uring broke off in the middle.
    #[error("the kernel takes no more reads: {0}")]
    Kernel(io::Error),
    /// No thread.
    #[error("cannot start a thread to read with: {0}")]
    Thread(io::Error),
}
