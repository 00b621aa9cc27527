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
}

/// Some of a file, in one piece.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Where it begins in the file, in bytes; a multiple of [`ScanOptions::block_bytes`].
    pub offset: u64,
    /// What stands there. As long as a block, but for the last one of a file.
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

    /// Looks at a block. Blocks of one file come in any order, and on several threads at once.
    fn block(&self, plan: &Self::Plan, block: Block<'_>, tally: &mut Self::Tally);

    /// A block that could not be read: its offset and length in bytes, and why. The scan goes on.
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

    /// A file is done. Called once for each file whose plan was [`Step::Read`].
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
    /// From the page cache what is there already, the rest past it: nothing is added to the
    /// cache, and nothing is read from the disk that memory holds.
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
