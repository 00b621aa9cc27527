//! What a scan is: files in, blocks out, on as many threads as there are rings.

use std::{io, num::NonZeroUsize, path::PathBuf};

/// A file that is to be read whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where it is.
    pub path: PathBuf,
    /// What the asker calls it; given back with everything that is read of it.
    pub id: usize,
}

/// The beginning of a file: the first block, or all of a file that is smaller.
#[derive(Debug)]
pub struct Head<'a> {
    /// The file.
    pub input: &'a Input,
    /// Its size when it was opened, in bytes.
    pub file_bytes: u64,
    /// The bytes from its beginning on.
    pub bytes: &'a [u8],
    /// How many of them could not be read and are zero here; [`Scan::unreadable`] tells which
    /// when the file is read on.
    pub unreadable_bytes: u64,
}

/// Some of a file, in one piece.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Where it begins in the file, in bytes; a multiple of 64 KiB, but for what is left around
    /// something unreadable, which begins at a multiple of [`Scan::granule_bytes`].
    pub offset: u64,
    /// What stands there: a multiple of 64 KiB, at most [`ScanOptions::block_bytes`], with the
    /// same exception; or less at the end of the file.
    pub bytes: &'a [u8],
}

/// What is to be done with a file, as its head decided.
#[derive(Debug)]
pub enum Step<P> {
    /// Read all of it, by this plan. The head is handed out again as the first block.
    Read(P),
    /// Read no more of it: all has been said.
    Skip,
}

/// What becomes of the blocks. It is shared by all threads; what a thread finds out goes into a
/// tally of its own, and the tallies of a file are joined when its last block was looked at.
pub trait Scan: Sync {
    /// What has to be known of a file to understand its blocks.
    type Plan: Send + Sync;
    /// What was found in blocks of one file.
    type Tally: Default + Send;

    /// Decides what is to be done with a file. Called once a file, before any of its blocks.
    fn plan(&self, head: &Head<'_>) -> Step<Self::Plan>;

    /// What has to be read whole or not at all, in bytes: the size of a page. Where a block cannot
    /// be read, its granules are tried one by one. A power of two; what is less than 4 KiB or more
    /// than 64 KiB is taken for these.
    fn granule_bytes(&self, _plan: &Self::Plan) -> usize {
        64 << 10
    }

    /// Looks at a block. Blocks of one file come in any order, and on several threads at once.
    fn block(&self, plan: &Self::Plan, block: Block<'_>, tally: &mut Self::Tally);

    /// Granules that could not be read: their offset and length in bytes, and why. A file that
    /// became shorter since it was opened ends in [`io::ErrorKind::UnexpectedEof`]. The scan goes
    /// on.
    fn unreadable(
        &self,
        plan: &Self::Plan,
        offset: u64,
        bytes: u64,
        error: &io::Error,
        tally: &mut Self::Tally,
    );

    /// Adds what another thread found of the same file.
    fn join(&self, into: &mut Self::Tally, other: Self::Tally);

    /// A file is done. Called once for each file whose plan was [`Step::Read`], but for those that
    /// were still being read when the scan was stopped.
    fn done(&self, input: &Input, plan: Self::Plan, tally: Self::Tally);

    /// A file that could not be opened, or whose head could not be read.
    fn refused(&self, input: &Input, error: io::Error);

    /// So many bytes more were looked at; for a progress bar.
    fn advanced(&self, _bytes: u64) {}

    /// Whether to end early; asked between blocks.
    fn stopped(&self) -> bool {
        false
    }
}

/// Past the page cache, or through it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direct {
    /// From the page cache the blocks that are there already, the rest past it: nothing is added
    /// to the cache, and what memory holds is not read from the disk.
    #[default]
    Auto,
    /// Past the page cache, always.
    Always,
    /// Through the page cache.
    Never,
}

/// How reads are given to the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// io_uring where the kernel has it, otherwise plain reads.
    #[default]
    Auto,
    /// io_uring, or an error.
    Uring,
    /// `pread`, one at a time a thread.
    Plain,
}

/// How a scan is carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanOptions {
    /// Threads, each with a ring of its own.
    pub jobs: NonZeroUsize,
    /// Reads in flight a thread.
    pub depth: NonZeroUsize,
    /// Bytes a read; a power of two and at least 64 KiB, so that no page lies across two blocks.
    pub block_bytes: usize,
    /// Past the page cache, or through it.
    pub direct: Direct,
    /// How reads are given to the kernel.
    pub transport: Transport,
    /// Most bytes a second, over all threads together.
    pub max_bytes_per_s: Option<u64>,
}

/// What the buffers of a scan take at most, in bytes, unless somebody asks for more.
const BUFFERS_BYTES_MAX: usize = 128 << 20;

impl ScanOptions {
    /// So many threads, and as many reads of 1 MiB in flight as keep a drive busy and the buffers
    /// of all threads together within 128 MiB.
    pub fn new(jobs: NonZeroUsize) -> Self {
        let each_bytes = BUFFERS_BYTES_MAX / jobs;
        let block_bytes = match each_bytes {
            ..0x10_0000 => 64 << 10,
            0x10_0000..0x40_0000 => 256 << 10,
            0x40_0000.. => 1 << 20,
        };
        let depth = (each_bytes / block_bytes).saturating_sub(1).clamp(1, 16);
        Self {
            jobs,
            depth: NonZeroUsize::new(depth).unwrap_or(NonZeroUsize::MIN),
            block_bytes,
            direct: Direct::default(),
            transport: Transport::default(),
            max_bytes_per_s: None,
        }
    }
}
