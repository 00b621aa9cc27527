//! What can be typed about snapshots of instances.

use super::InstallationArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Taking a snapshot, or deleting one.
#[derive(Clone, Debug, Args)]
pub(crate) struct SnapshotArgs {
    /// The stopped instance
    #[arg(value_name = "NAME", required_unless_present = "remove")]
    pub(crate) name: Option<String>,
    /// The snapshot's name [default: the instance's]
    #[arg(long = "as", value_name = "SNAP")]
    pub(crate) snapshot: Option<String>,
    /// Directory to put it into, on a standby drive, say [default: HOME/snapshots]
    #[arg(long, value_name = "DIR")]
    pub(crate) to: Option<PathBuf>,
    /// Copy the data even where its blocks could be shared
    #[arg(long)]
    pub(crate) copy: bool,
    /// What the data is of, such as "tpcc, 100 warehouses"
    #[arg(long, value_name = "TEXT")]
    pub(crate) workload: Option<String>,
    /// Anything worth knowing about it
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// Delete this snapshot instead
    #[arg(long, value_name = "SNAP",
          conflicts_with_all = ["name", "snapshot", "to", "copy", "workload", "note"])]
    pub(crate) remove: Option<String>,
}

/// Restoring one.
#[derive(Clone, Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The snapshot
    #[arg(value_name = "SNAP")]
    pub(crate) snapshot: String,
    /// Restore into this instance; one that does not exist is made [default: the snapshot's]
    #[arg(long, value_name = "NAME")]
    pub(crate) into: Option<String>,
    /// How closely to look at the snapshot before it takes the place of data
    #[arg(long, value_enum, default_value = "full")]
    pub(crate) verify: VerifyArg,
    /// Copy the data even where its blocks could be shared, which costs a benchmark that writes
    #[arg(long)]
    pub(crate) copy: bool,
    /// Bring back settings and limits, too; a new instance gets them anyway
    #[arg(long)]
    pub(crate) with_settings: bool,
    /// Delete the old data first, where there is no room for both; a failure then leaves none
    #[arg(long)]
    pub(crate) discard_old: bool,
    /// Where the data of a new instance is to lie [default: in its own directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Port of a new instance on the loopback [default: a free one, kept]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    #[command(flatten)]
    pub(crate) installation: InstallationArgs,
}

/// How closely to look at a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerifyArg {
    /// Every byte, by checksums
    Full,
    /// The length of every file
    Size,
}
