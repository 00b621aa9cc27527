//! What can be typed about devices and their file systems.

use super::{IoArg, parse_bytes, parse_duration};
use clap::{Args, Subcommand, ValueEnum};
use host::storage::{Percent, PercentRange};
use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

/// Verbs on devices.
#[derive(Debug, Subcommand)]
pub(crate) enum DiskVerb {
    /// List block devices by what they are, with their limits
    List(DiskListArgs),
    /// Measure how fast files or devices are read and written at most
    Bench(DiskBenchArgs),
    /// Say how full the device under a path is, or make it fuller
    Fill(FillArgs),
    /// Make a file system on a device
    Format(FormatArgs),
}

/// Which devices are listed.
#[derive(Clone, Debug, Args)]
pub(crate) struct DiskListArgs {
    /// Loop devices, memory and discs of light as well
    #[arg(long)]
    pub(crate) all: bool,
}

/// What is to be measured, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct DiskBenchArgs {
    /// Directories (a file is made there and deleted), files (read only) or block devices; several
    /// are measured at the same time
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Only read; the default
    #[arg(long)]
    pub(crate) read: bool,
    /// Only write
    #[arg(long, conflicts_with = "read")]
    pub(crate) write: bool,
    /// Read and write: how many of a hundred requests read
    #[arg(long, value_name = "PERCENT", conflicts_with_all = ["read", "write"],
          value_parser = clap::value_parser!(u8).range(1..100))]
    pub(crate) mix: Option<u8>,
    /// Blocks at random, not one after the other
    #[arg(long)]
    pub(crate) random: bool,
    /// Bytes a request, a multiple of 4K
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "1M")]
    pub(crate) block_size: u64,
    /// Requests in flight a thread
    #[arg(long, value_name = "N", default_value = "16")]
    pub(crate) depth: NonZeroUsize,
    /// Threads for each path [default: one a processor, at most 4]
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Through the page cache, not past it
    #[arg(long)]
    pub(crate) buffered: bool,
    /// How long a round takes
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "5s")]
    pub(crate) duration: Duration,
    /// Bytes after which a round ends where that is sooner
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) bytes: Option<u64>,
    /// Rounds, one after the other
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) rounds: NonZeroUsize,
    /// Size of a file that is made to be measured with
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "1G")]
    pub(crate) size: u64,
    /// How requests are given to the kernel
    #[arg(long, value_name = "HOW", value_enum, default_value = "auto")]
    pub(crate) io: IoArg,
    /// The same by fio after each round, as a reference
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub(crate) fio: FioArg,
    /// Decides random places
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) seed: u64,
    /// A block device that may be written to: what is on it is destroyed. One that has partitions
    /// or holds data takes it twice
    #[arg(long, value_name = "DEVICE")]
    pub(crate) destroy_data: Vec<PathBuf>,
}

/// Whether fio measures, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FioArg {
    /// Where it is installed
    Auto,
    /// It must be installed
    Always,
    /// Not at all
    Never,
}

/// How full a device is, and is to be.
#[derive(Clone, Debug, Args)]
pub(crate) struct FillArgs {
    /// A directory on the device
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// Most of the device that may be full; beyond it the exit status is 1 [default: 90% for --to]
    #[arg(long, value_name = "SHARE")]
    pub(crate) limit: Option<Percent>,
    /// How full it has to be, such as 60%..70%; otherwise the exit status is 1
    #[arg(long, value_name = "FROM..TO")]
    pub(crate) between: Option<PercentRange>,
    /// Write a file of random data (PATH/myrig-filler) until it is so full
    #[arg(long, value_name = "SHARE")]
    pub(crate) to: Option<Percent>,
    /// Delete that file
    #[arg(long, conflicts_with = "to")]
    pub(crate) remove: bool,
}

/// A file system to be made.
#[derive(Clone, Debug, Args)]
pub(crate) struct FormatArgs {
    /// The device, such as /dev/nvme1n1
    #[arg(value_name = "DEVICE")]
    pub(crate) device: PathBuf,
    /// The same device: what is on it may be destroyed. A device that is mounted, has partitions
    /// or holds data takes it twice
    #[arg(long, value_name = "DEVICE")]
    pub(crate) destroy_data: Vec<PathBuf>,
    /// The file system
    #[arg(long, value_enum, default_value = "xfs")]
    pub(crate) fs: FileSystemArg,
    /// Directory to mount it at, made where it does not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) mount: Option<PathBuf>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub(crate) plan: bool,
}

/// A file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileSystemArg {
    /// XFS: snapshots share blocks with the data
    Xfs,
    /// ext4: snapshots are copies
    Ext4,
}
