//! What can be typed about flash: drives, their write amplification, traces, simulated drives.

use super::{SsdSimulateArgs, SsdTraceArgs, parse_duration};
use clap::{Args, Subcommand};
use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

/// Verbs on flash.
#[derive(Debug, Subcommand)]
pub(crate) enum SsdVerb {
    /// Say what NVMe drives are, whether they know streams or FDP, how their WAF can be read
    Info(SsdInfoArgs),
    /// Write amplification of a drive over an interval, or of the rows of a result_WA.txt
    Waf(SsdWafArgs),
    /// Append a drive's write amplification to result_WA.txt each hour, as the procedure does
    Watch(SsdWatchArgs),
    /// Watch what a block device is written and told to discard, with write hints and files
    Trace(SsdTraceArgs),
    /// Simulate drives on a trace, a made-up load, or a device as it is written
    Simulate(Box<SsdSimulateArgs>),
}

/// Which drive, or what was recorded of one.
#[derive(Clone, Debug, Args)]
pub(crate) struct SsdInfoArgs {
    /// The drive, such as /dev/nvme0n1, or /dev/nvme0 with all its namespaces [default: all drives
    /// that there are]
    #[arg(value_name = "DEVICE")]
    pub(crate) device: Option<PathBuf>,
    /// Instead of a drive, the directory of what one has answered
    #[arg(long, value_name = "DIR", conflicts_with = "device")]
    pub(crate) recorded: Option<PathBuf>,
    /// Keep what the drive answers in this directory, for --recorded
    #[arg(long, value_name = "DIR", requires = "device")]
    pub(crate) record: Option<PathBuf>,
}

/// Of what write amplification is wanted.
#[derive(Clone, Debug, Args)]
pub(crate) struct SsdWafArgs {
    /// A drive, such as /dev/nvme0n1, or a file of rows, such as result_WA.txt
    #[arg(value_name = "DEVICE|FILE", required_unless_present = "recorded")]
    pub(crate) of: Option<PathBuf>,
    /// Time between the two readings of a drive
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10m")]
    pub(crate) interval: Duration,
    /// Rows of a file that count: the latest so many that are not zero
    #[arg(long, value_name = "N", default_value = "12")]
    pub(crate) rows: NonZeroUsize,
    /// Instead of a drive, two directories of what one has answered, before and after
    #[arg(long, value_names = ["BEFORE", "AFTER"], num_args = 2, conflicts_with = "of")]
    pub(crate) recorded: Vec<PathBuf>,
}

/// A drive that is read again and again.
#[derive(Clone, Debug, Args)]
pub(crate) struct SsdWatchArgs {
    /// The drive, such as /dev/nvme0n1
    #[arg(value_name = "DEVICE", required_unless_present = "recorded")]
    pub(crate) device: Option<PathBuf>,
    /// How often it is read
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "1h")]
    pub(crate) every: Duration,
    /// Where result_WA.txt, waf.jsonl and the last reading are kept
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub(crate) output: PathBuf,
    /// End after so many rows [default: never]
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<NonZeroUsize>,
    /// End when for so long the drive could not be read, or nothing could be written
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "1d")]
    pub(crate) give_up_after: Duration,
    /// Instead of a drive, the directory of what one answers, read anew each time
    #[arg(long, value_name = "DIR", conflicts_with = "device")]
    pub(crate) recorded: Option<PathBuf>,
}
