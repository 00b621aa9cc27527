//! What can be typed about simulated drives.

use super::{parse_bytes, parse_duration};
use clap::{Args, ValueEnum};
use flash::{
    ftl::{Moved, Victim},
    synthetic::Pattern,
};
use host::storage::Percent;
use std::{
    num::{NonZeroU32, NonZeroUsize},
    path::PathBuf,
    time::Duration,
};

/// What simulated drives are fed with, and what they are.
#[derive(Clone, Debug, Args)]
pub(crate) struct SsdSimulateArgs {
    /// A trace of `myrig ssd trace`, replayed until write amplification is steady
    #[arg(value_name = "TRACE", required_unless_present_any = ["load", "live"],
          conflicts_with_all = ["load", "live"])]
    pub(crate) trace: Option<PathBuf>,
    /// Instead of a trace, made-up writes: uniform, sequential, hot-cold=WRITES/PAGES such as
    /// hot-cold=0.8/0.2 (80% of the writes to 20% of the pages), or zipf=EXPONENT
    #[arg(long, value_name = "LOAD", value_parser = parse_load, conflicts_with = "live")]
    pub(crate) load: Option<Pattern>,
    /// Instead of a trace, a device that is watched while it is written, until Ctrl-C
    #[arg(long, value_name = "DEVICE")]
    pub(crate) live: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) drive: SimulatedDriveArgs,
    /// How writes choose their stream; several are compared with the first. `none` ignores hints,
    /// `hints` honours them as the kernel's NVMe driver did (stream = hint - 1), 2=1,3=1,4=2 maps
    /// hints to streams, and a rule file or a built-in set for a directory (mariadb:/data) hints by
    /// the names of files [default: none, and hints where there are any; with --tune
    /// also the built-in sets for the data directories that are found]
    #[arg(long, value_name = "HOW")]
    pub(crate) placement: Vec<String>,
    /// How full the drive is before the trace or the load begins, counted with what the trace
    /// writes [default: the files that are named in the trace; 100% of a load]
    #[arg(long, value_name = "SHARE")]
    pub(crate) fill: Option<Percent>,
    /// Passes of a trace at most; a trace that is not steady by then says so
    #[arg(long, value_name = "N", default_value = "100")]
    pub(crate) max_passes: NonZeroU32,
    /// Use what can be read of a trace that is damaged or cut off
    #[arg(long, requires = "trace")]
    pub(crate) partial: bool,
    /// Propose stream rules from the lifetimes of what the files in the trace are written
    #[arg(long, requires = "trace")]
    pub(crate) tune: bool,
    /// Streams that proposed rules part files into at most, that without a rule included
    #[arg(long, value_name = "N", default_value = "5", requires = "tune",
          value_parser = clap::value_parser!(u8).range(2..=5))]
    pub(crate) tune_streams: u8,
    /// Classes of files, those that are written most, that are tried in other streams one by one
    #[arg(long, value_name = "N", default_value = "4", requires = "tune")]
    pub(crate) tune_moves: usize,
    /// Where the proposed rules are written [default: standard output]
    #[arg(long, value_name = "FILE", requires = "tune")]
    pub(crate) rules_out: Option<PathBuf>,
    /// How long a device is watched [default: until Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "live")]
    pub(crate) duration: Option<Duration>,
    /// How often a row is printed of a device that is watched
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10s",
          requires = "live")]
    pub(crate) every: Duration,
    /// Drives that are simulated at a time [default: one a processor]
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Decides what is drawn at random
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) seed: u64,
}

/// What drives are made of and how they work.
#[derive(Clone, Debug, Args)]
pub(crate) struct SimulatedDriveArgs {
    /// What the host can address [default: the size of the traced device; 16G for a load]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) capacity: Option<u64>,
    /// Bytes of a page, the unit of mapping
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "4K")]
    pub(crate) page: u64,
    /// Bytes of an erase block of one plane; several make a table
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, value_delimiter = ',',
          default_value = "1M")]
    pub(crate) block: Vec<u64>,
    /// Planes (and dies) whose blocks are written and erased together
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) planes: NonZeroU32,
    /// Spare space as a share of what the host can address; several make a table
    #[arg(long, value_name = "SHARE", value_delimiter = ',', default_value = "7%")]
    pub(crate) over_provisioning: Vec<Percent>,
    /// Streams of the drive, that of writes without one included [default: 5; with --spare-split as
    /// many as shares]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) streams: Option<u8>,
    /// Which block is collected: greedy (fewest valid pages), fifo, cost-benefit, or d-choices=N
    /// (the best of N drawn at random)
    #[arg(long, value_name = "POLICY", value_parser = parse_victim, default_value = "greedy")]
    pub(crate) victim: Victim,
    /// Where pages go that are moved by garbage collection
    #[arg(long, value_name = "WHERE", value_enum, default_value = "on")]
    pub(crate) gc_separation: SeparationArg,
    /// Level wear: collect the least worn block when another has been erased so many times more
    /// than the mean [default: not]
    #[arg(long, value_name = "N")]
    pub(crate) wear_levelling: Option<u32>,
    /// Write buffer that outlives a loss of power: writes to a page that is still in it are joined
    /// to one; 0 is none
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "0")]
    pub(crate) write_buffer: u64,
    /// Share the spare space out between the streams, from stream 0 (no hint) on, such as 0.3,0.7;
    /// or `optimal`, which is known of --load hot-cold. Greedy victims, and --gc-separation off or
    /// per-stream [default: all of it for all]
    #[arg(long, value_name = "SHARES", value_parser = parse_split)]
    pub(crate) spare_split: Option<SplitArg>,
}

/// How spare space is shared out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SplitArg {
    /// So that the closed form is lowest.
    Optimal,
    /// A share for each stream.
    Shares(Vec<f64>),
}

fn parse_split(text: &str) -> Result<SplitArg, String> {
    if text == "optimal" {
        return Ok(SplitArg::Optimal);
    }
    let share = |word: &str| word.trim().parse::<f64>().ok().filter(|share| share.is_finite());
    let shares: Option<Vec<f64>> = text.split(',').map(share).collect();
    shares.map(SplitArg::Shares).ok_or_else(|| {
        format!("`{text}` is no split; write a share for each stream, 0.3,0.7, or optimal")
    })
}

/// Where moved pages go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SeparationArg {
    /// Into one open block of their own, whatever their stream
    On,
    /// Into an open block of their own for each stream
    PerStream,
    /// Into the open blocks of the host's writes
    Off,
}

impl SeparationArg {
    /// The same to the drive.
    pub(crate) fn moved(self) -> Moved {
        match self {
            Self::On => Moved::Shared,
            Self::PerStream => Moved::PerStream,
            Self::Off => Moved::WithHost,
        }
    }
}

fn parse_load(text: &str) -> Result<Pattern, String> {
    let refuse =
        || format!("`{text}` is no load; write uniform, sequential, hot-cold=0.8/0.2 or zipf=0.99");
    let number = |text: &str| text.parse::<f64>().map_err(|_| refuse());
    match text.split_once('=') {
        None if text == "uniform" => Ok(Pattern::Uniform),
        None if text == "sequential" => Ok(Pattern::Sequential),
        Some(("zipf", exponent)) => Ok(Pattern::Zipf { exponent: number(exponent)? }),
        Some(("hot-cold", shares)) => {
            let (writes, pages) = shares.split_once('/').ok_or_else(refuse)?;
            Ok(Pattern::HotCold { writes: number(writes)?, pages: number(pages)? })
        }
        _ => Err(refuse()),
    }
}

fn parse_victim(text: &str) -> Result<Victim, String> {
    let refuse =
        || format!("`{text}` is no policy; write greedy, fifo, cost-benefit or d-choices=10");
    match text {
        "greedy" => Ok(Victim::Greedy),
        "fifo" => Ok(Victim::Fifo),
        "cost-benefit" => Ok(Victim::CostBenefit),
        _ => {
            let number = text.strip_prefix("d-choices=").ok_or_else(refuse)?;
            Ok(Victim::Choices(number.parse().map_err(|_| refuse())?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_and_policies_are_read() {
        assert_eq!(parse_load("uniform"), Ok(Pattern::Uniform));
        let hot_cold = Pattern::HotCold { writes: 0.8, pages: 0.2 };
        assert_eq!(parse_load("hot-cold=0.8/0.2"), Ok(hot_cold));
        assert_eq!(parse_load("zipf=0.99"), Ok(Pattern::Zipf { exponent: 0.99 }));
        for text in ["", "hot-cold", "hot-cold=0.8", "zipf=x", "uniform=1", "random"] {
            assert!(parse_load(text).is_err(), "{text}");
        }
        assert_eq!(parse_split("optimal"), Ok(SplitArg::Optimal));
        assert_eq!(parse_split("0.3,0.7"), Ok(SplitArg::Shares(vec![0.3, 0.7])));
        for text in ["", "0.3,", "best", "0.3;0.7", "nan,1", "inf"] {
            assert!(parse_split(text).is_err(), "{text}");
        }
        assert_eq!(parse_victim("d-choices=10"), Ok(Victim::Choices(10)));
        for text in ["", "d-choices", "d-choices=-1", "lru"] {
            assert!(parse_victim(text).is_err(), "{text}");
        }
    }
}
