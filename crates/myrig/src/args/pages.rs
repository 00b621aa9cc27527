//! What can be typed about InnoDB's pages.

use super::parse_bytes;
use clap::{Args, Subcommand, ValueEnum};
use std::{num::NonZeroUsize, path::PathBuf};

/// Verbs on pages.
#[derive(Debug, Subcommand)]
pub(crate) enum PagesVerb {
    /// Check every page of files, directories or a whole data directory
    Verify(PagesVerifyArgs),
    /// Tell what the pages hold: types, indexes, fill, LSNs, free space
    Summary(PagesSummaryArgs),
}

/// What is to be verified.
#[derive(Clone, Debug, Args)]
pub(crate) struct PagesVerifyArgs {
    #[command(flatten)]
    pub(crate) read: PagesReadArgs,
    /// A line for every file, not only for those with something to say
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Only what is bad or could not be read
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Ranges of bad pages that are told for each file
    #[arg(long, value_name = "N", default_value = "100")]
    pub(crate) list_limit: usize,
}

/// What is to be summed up.
#[derive(Clone, Debug, Args)]
pub(crate) struct PagesSummaryArgs {
    #[command(flatten)]
    pub(crate) read: PagesReadArgs,
    /// Indexes that are shown for each file, those with the most pages
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) list_limit: usize,
}

/// Files, and how they are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct PagesReadArgs {
    /// Files and directories; directories are walked whole
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Threads that read and check [default: one a processor]
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Reads in flight a thread [default: as many as 128 MiB of buffers hold]
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<NonZeroUsize>,
    /// Bytes a read, a power of two from 64K on [default: 1M]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) block_size: Option<u64>,
    /// Read past the page cache or through it
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub(crate) direct: DirectArg,
    /// How reads are given to the kernel
    #[arg(long, value_name = "HOW", value_enum, default_value = "auto")]
    pub(crate) io: IoArg,
    /// Most bytes a second, over all threads together
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) max_bandwidth: Option<u64>,
    /// Give way to everybody else: lowest priority for processors and for the disk
    #[arg(long)]
    pub(crate) nice: bool,
    /// A server is running on these files: read suspicious pages again before calling them bad
    /// [default: found out by the server's lock]
    #[arg(long)]
    pub(crate) online: bool,
    /// The page size, whatever the files say
    #[arg(long, value_name = "SIZE", value_parser = parse_page_size)]
    pub(crate) page_size: Option<u32>,
}

/// Past the page cache or through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DirectArg {
    /// What memory holds from there, the rest past it
    Auto,
    /// Past it, always
    Always,
    /// Through it
    Never,
}

/// How reads are given to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IoArg {
    /// io_uring where the kernel has it, otherwise plain reads
    Auto,
    /// io_uring, or an error
    Uring,
    /// One read at a time a thread
    Plain,
}

fn parse_page_size(text: &str) -> Result<u32, String> {
    let bytes = parse_bytes(text)?;
    let known = bytes.is_power_of_two() && (1024..=65_536).contains(&bytes);
    match u32::try_from(bytes) {
        Ok(bytes) if known => Ok(bytes),
        _ => Err(format!("`{text}` is no page size; write 1K, 2K, 4K, 8K, 16K, 32K or 64K")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_sizes_are_those_that_innodb_has() {
        assert_eq!(parse_page_size("16K"), Ok(16_384));
        assert_eq!(parse_page_size("1024"), Ok(1024));
        for text in ["3K", "128K", "512", "x"] {
            assert!(parse_page_size(text).is_err(), "{text}");
        }
    }
}
