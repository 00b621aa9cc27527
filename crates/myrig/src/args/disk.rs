//! What can be typed about devices and their file systems.

use clap::{Args, Subcommand, ValueEnum};
use host::storage::{Percent, PercentRange};
use std::path::PathBuf;

/// Verbs on devices.
#[derive(Debug, Subcommand)]
pub(crate) enum DiskVerb {
    /// Say how full the device under a path is, or make it fuller
    Fill(FillArgs),
    /// Make a file system on a device
    Format(FormatArgs),
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
