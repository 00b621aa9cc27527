//! What can be typed about write hints.

use super::parse_duration;
use crate::metrics::MetricsAddr;
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use std::{path::PathBuf, time::Duration};

/// Verbs on write hints.
#[derive(Debug, Subcommand)]
pub(crate) enum StreamsVerb {
    /// Give files their write hints by rules, and keep them: as a daemon, or in the foreground
    Start(StreamsStartArgs),
    /// End the daemon
    Stop(StreamsStopArgs),
    /// What the daemon does; of each file the hint that it should have and the one that it has
    Status(StreamsStatusArgs),
    /// Whether hints reach the flash on this kernel, file system and drive; exits with 1 if not
    Check(StreamsCheckArgs),
    /// Print the rules of a built-in set, to begin a file of one's own with
    Rules(StreamsRulesArgs),
}

/// What is watched, and by which rules.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("which").required(true).args(["rules", "rules_for"]))]
pub(crate) struct StreamsStartArgs {
    /// Directories to watch, with all below them
    #[arg(long = "directory", short = 'i', value_name = "DIR", num_args = 1.., required = true)]
    pub(crate) directories: Vec<PathBuf>,
    /// Rule files: one for each directory in the same order, or one for all (docs/streams.md)
    #[arg(long, short, value_name = "FILE", num_args = 1..)]
    pub(crate) rules: Vec<PathBuf>,
    /// A built-in set of rules instead, for every directory
    #[arg(long, value_name = "SET", value_enum)]
    pub(crate) rules_for: Option<RuleSetArg>,
    /// Stay in the foreground, and log to standard error unless --log is given; under systemd, say
    /// when it is ready
    #[arg(long)]
    pub(crate) foreground: bool,
    /// Leave the terminal's session: for the daemon that `start` itself starts
    #[arg(long, hide = true, requires = "foreground")]
    pub(crate) detached: bool,
    /// What is logged: this, and what weighs more
    #[arg(long, value_name = "LEVEL", value_enum, default_value = "info")]
    pub(crate) log_level: LogLevelArg,
    /// Where the daemon logs: a file, or `syslog` [default: beside the pid file, streams.log; in
    /// the foreground, standard error]
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Start although a directory is missing, and wait until it is there
    #[arg(long)]
    pub(crate) await_missing: bool,
    /// How often each file is looked at, since the kernel forgets a hint with its inode; of more
    /// than 100 files a second, later
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10s")]
    pub(crate) check_every: Duration,
    /// Serve Prometheus metrics at this address, or at this port of 127.0.0.1 (docs/metrics.md)
    #[arg(long, value_name = "ADDR")]
    pub(crate) metrics_addr: Option<MetricsAddr>,
    #[command(flatten)]
    pub(crate) place: StreamsPlaceArgs,
}

/// Which daemon.
#[derive(Clone, Debug, Args)]
pub(crate) struct StreamsPlaceArgs {
    /// The daemon's pid file; its socket lies beside it [default: streams.pid in /run/myrig for
    /// root, in $XDG_RUNTIME_DIR/myrig for others, in run of a home that was named]
    #[arg(long, value_name = "FILE")]
    pub(crate) pid_file: Option<PathBuf>,
}

/// Which daemon is to end, and how soon.
#[derive(Clone, Debug, Args)]
pub(crate) struct StreamsStopArgs {
    /// How long to wait until it has ended
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10s")]
    pub(crate) timeout: Duration,
    #[command(flatten)]
    pub(crate) place: StreamsPlaceArgs,
}

/// What is shown.
#[derive(Clone, Debug, Args)]
pub(crate) struct StreamsStatusArgs {
    /// Only files that do not have the hint that they should have
    #[arg(long)]
    pub(crate) wrong: bool,
    /// Look at every file first, and mend what is not as it should be; else what is told is what
    /// each file had when it was last looked at
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) place: StreamsPlaceArgs,
}

/// What is looked at.
#[derive(Clone, Debug, Args)]
pub(crate) struct StreamsCheckArgs {
    /// A directory on the file system in question, or a block device
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
}

/// Which set.
#[derive(Clone, Debug, Args)]
pub(crate) struct StreamsRulesArgs {
    /// The set
    #[arg(value_name = "SET", value_enum)]
    pub(crate) set: RuleSetArg,
    /// The data directory that the rules are to be for
    #[arg(value_name = "DIR", default_value = "/var/lib/mysql")]
    pub(crate) directory: PathBuf,
}

/// Rule sets that are built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleSetArg {
    /// MySQL 8.0 up to 8.0.29: redo log in ib_logfile files
    #[value(name = "mysql-8.0.20")]
    Mysql8020,
    /// MySQL from 8.0.30 on, 8.4 and 9 too: redo log in #innodb_redo
    #[value(name = "mysql", aliases = ["mysql-8.0.30", "mysql-8.4", "mysql-9"])]
    Mysql,
    /// MariaDB from 10.5 on
    Mariadb,
    /// The four rules that were published with astream: nothing for doublewrite and .ibd files
    Astream,
}

/// Weights of what is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum LogLevelArg {
    /// Every file that gets a hint
    Debug,
    /// Start, end, new rules, a rescan
    Info,
    /// A file that could not be given its hint, a directory that went away
    Warn,
    /// Rules that could not be read, and what ends the daemon
    Error,
}

impl RuleSetArg {
    /// The set.
    pub(crate) fn builtin(self) -> streams::Builtin {
        match self {
            Self::Mysql8020 => streams::Builtin::MySql8020,
            Self::Mysql => streams::Builtin::MySql8030,
            Self::Mariadb => streams::Builtin::MariaDb,
            Self::Astream => streams::Builtin::Astream,
        }
    }
}
