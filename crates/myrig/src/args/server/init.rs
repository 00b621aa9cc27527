//! What can be typed about a new instance, and about changing one.

use super::{InstallationArgs, PlaceArgs, parse_setting};
use clap::Args;
use std::path::PathBuf;

/// New instances.
#[derive(Clone, Debug, Args)]
pub(crate) struct InitArgs {
    /// Names of the instances to make; several differ only in port, place and data
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) installation: InstallationArgs,
    /// Port on the loopback, of several the first one's [default: free ones, kept]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// A setting of the server, as in its option file; may be given again
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Keep the data in this directory, on the device to be measured; of several instances, each
    /// in a directory of its name there
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Share the machine's processors out among the instances, whole NUMA nodes first
    #[arg(long, conflicts_with_all = ["cpu_set", "numa_node"])]
    pub(crate) spread: bool,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// What to change about a stopped instance.
#[derive(Clone, Debug, Args)]
pub(crate) struct ChangeArgs {
    /// The instance's name
    pub(crate) name: String,
    /// A setting to add or to replace, as in its option file; may be given again
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// A setting that is no longer to apply; may be given again
    #[arg(long, value_name = "NAME")]
    pub(crate) unset: Vec<String>,
    /// Lift its limits on processor time and memory
    #[arg(long, conflicts_with_all = ["cpus", "memory"])]
    pub(crate) no_limits: bool,
    /// Let it run anywhere, with memory from anywhere
    #[arg(long, conflicts_with_all = ["cpu_set", "memory_policy", "numa_node"])]
    pub(crate) anywhere: bool,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}
