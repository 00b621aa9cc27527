//! What can be typed about a new instance, and about changing one.

use super::{InstallationArgs, PlaceArgs, SizeArg, parse_setting, size::parse_size};
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
    /// Carry over this option file, whatever version it was written for; may be given again
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
    /// Say what became of each option of --config that is not as it was
    #[arg(long, requires = "config")]
    pub(crate) explain: bool,
    /// A setting of the server, as in its option file; may be given again
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Keep the data in this directory, on the device to be measured; of several instances, each
    /// in a directory of its name there
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Size the server's options: auto for its limits, or else its part of the machine among the
    /// instances named here; or a share of the machine, such as 50%. What --set says goes first
    #[arg(long = "size", value_name = "auto|SHARE", value_parser = parse_size)]
    pub(crate) sizing: Option<SizeArg>,
    /// Make settings smaller that this machine, or the limits, cannot hold, and say which
    #[arg(long)]
    pub(crate) fit: bool,
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
    /// Size the server's options anew, for the limits that it will have: auto, or a share of the
    /// machine such as 50%. What an earlier --set said of them no longer counts
    #[arg(long = "size", value_name = "auto|SHARE", value_parser = parse_size)]
    pub(crate) sizing: Option<SizeArg>,
    /// Lift its limits on processor time and memory
    #[arg(long, conflicts_with_all = ["cpus", "memory"])]
    pub(crate) no_limits: bool,
    /// Let it run anywhere, with memory from anywhere
    #[arg(long, conflicts_with_all = ["cpu_set", "memory_policy", "numa_node"])]
    pub(crate) anywhere: bool,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}
