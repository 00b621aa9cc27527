//! Options of `myrig run`.

use clap::Args;
use std::path::PathBuf;

/// An experiment: planned, carried out, gone on with, cleaned up.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunExperimentArgs {
    /// An experiment file (docs/experiments.md), or the name of an experiment that myrig brings
    /// along; without one, those are listed
    #[arg(value_name = "FILE|NAME", conflicts_with_all = ["resume", "cleanup"])]
    pub(crate) experiment: Option<String>,
    /// Which of the file's scales to take [default: laptop]
    #[arg(long, value_name = "SCALE", requires = "experiment")]
    pub(crate) scale: Option<String>,
    /// A key of the file to set otherwise, in all variants, such as workload.duration=30s; may be
    /// given again
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "experiment")]
    pub(crate) overrides: Vec<String>,
    /// The device of section `storage`, whose data is destroyed; twice where there is something on
    /// it
    #[arg(long, value_name = "DEVICE", requires = "experiment")]
    pub(crate) destroy_data: Vec<PathBuf>,
    /// Print every step, how long it will take and what it needs, and touch nothing
    #[arg(long, requires = "experiment")]
    pub(crate) plan: bool,
    /// What to call the experiment
    #[arg(long, value_name = "TEXT", default_value = "", conflicts_with_all =
          ["resume", "cleanup"])]
    pub(crate) label: String,
    /// Where to write the HTML report [default: in the home's directory `reports`]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plan", "cleanup"])]
    pub(crate) report: Option<PathBuf>,
    /// Go on with an experiment that was broken off, by its id [default: the latest]
    #[arg(long, value_name = "ID", num_args = 0..=1, conflicts_with = "cleanup")]
    pub(crate) resume: Option<Option<String>>,
    /// Stop, put back and remove what an experiment that was broken off, or kept, has left
    /// [default: all of them]
    #[arg(long, value_name = "ID", num_args = 0..=1)]
    pub(crate) cleanup: Option<Option<String>>,
    /// Keep the servers and snapshots at the end
    #[arg(long, conflicts_with_all = ["plan", "cleanup"])]
    pub(crate) keep: bool,
}
