//! The command line: what can be typed, with the words that teach it.

mod bytes;
mod compare;
mod connection;
mod disk;
mod duration;
mod host;
mod oltp;
mod pacing;
mod pages;
mod run;
mod serve;
mod server;
mod simulate;
mod ssd;
mod streams;
mod tpcc;
mod tpch;
mod tprocc;
mod trace;

pub(crate) use bytes::parse as parse_bytes;
pub(crate) use compare::{CompareArgs, ImportArgs, TrendArgs};
pub(crate) use connection::ConnectionArgs;
pub(crate) use disk::{
    DiskBenchArgs, DiskListArgs, DiskVerb, FileSystemArg, FillArgs, FioArg, FormatArgs,
};
pub(crate) use duration::{parse as parse_duration, show as show_duration};
pub(crate) use host::{HostApplyArgs, HostCheckArgs, HostRevertArgs, HostScopeArgs, HostVerb};
pub(crate) use oltp::{
    MixArgs, OltpCheckArgs, OltpCleanupArgs, OltpPrepareArgs, OltpRunArgs, OltpVerb, Preset,
    RandArgs,
};
pub(crate) use pacing::{ArrivalsArg, PacingArgs};
pub(crate) use pages::{
    DirectArg, IoArg, PagesReadArgs, PagesSummaryArgs, PagesVerb, PagesVerifyArgs,
};
pub(crate) use run::RunExperimentArgs;
pub(crate) use serve::ServeArgs;
pub(crate) use server::{
    BuildArgs, ChangeArgs, ConfigArgs, InitArgs, InstallationArgs, RestoreArgs, ServerVerb,
    SizeArg, SizeArgs, SnapshotArgs, VerifyArg,
};
pub(crate) use simulate::{SimulatedDriveArgs, SplitArg, SsdSimulateArgs};
pub(crate) use ssd::{SsdInfoArgs, SsdVerb, SsdWafArgs, SsdWatchArgs};
pub(crate) use streams::{
    LogLevelArg, StreamsCheckArgs, StreamsPlaceArgs, StreamsRulesArgs, StreamsStartArgs,
    StreamsStatusArgs, StreamsStopArgs, StreamsVerb,
};
pub(crate) use tpcc::{
    CheckArgs, CleanupArgs, DeliveryArg, HomeWarehouse, LoadArgs, Method, RunArgs, TpccVerb,
};
pub(crate) use tpch::{TpchCheckArgs, TpchCleanupArgs, TpchPrepareArgs, TpchVerb};
pub(crate) use tprocc::{CallArg, TproccPrepareArgs, TproccRunArgs, TproccVerb};
pub(crate) use trace::SsdTraceArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::{ffi::OsString, path::PathBuf, time::Duration};

/// A performance rig for MySQL, MariaDB, Percona Server and TiDB.
///
/// myrig starts a private server or uses yours, loads it, measures it with statistics that hold,
/// checks that no row was harmed, and keeps every run. `myrig demo` does all of it at once.
#[derive(Debug, Parser)]
#[command(
    name = "myrig",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "Exit status: 0 good; 1 the answer is bad (a failed consistency check); 2 wrong \
                  usage; 3 could not be carried out, or not to the end (no server, an instance or \
                  run that does not exist, Ctrl-C).\n\nCtrl-C ends a load or run cleanly and keeps \
                  what there is; twice, at once."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct GlobalArgs {
    /// Directory of instances, runs and reports [default: ~/.local/share/myrig]
    #[arg(long, global = true, value_name = "DIR", env = "MYRIG_HOME")]
    pub(crate) home: Option<PathBuf>,
    /// Print the result as JSON (docs/json.md describes the schemas)
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Colour,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The experiment `demo`: two settings of a server of its own, compared, in a few minutes
    Demo(DemoArgs),
    /// An experiment from its file: plan, servers, data, runs, verdict (docs/experiments.md)
    Run(RunExperimentArgs),
    /// TPC-C with SQL from the client: load, run, check, drop
    Tpcc {
        #[command(subcommand)]
        verb: TpccVerb,
    },
    /// TPROC-C, TPC-C in stored procedures as HammerDB runs it: load, run, check, drop
    Tprocc {
        #[command(subcommand)]
        verb: TproccVerb,
    },
    /// sysbench's OLTP transactions: load, run, check, drop
    Oltp {
        #[command(subcommand)]
        verb: OltpVerb,
    },
    /// TPC-H's tables, as dbgen makes them: load, check, drop
    Tpch {
        #[command(subcommand)]
        verb: TpchVerb,
    },
    /// As sysbench: its OLTP scripts, options and output (docs/sysbench.md)
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Sysbench {
        /// What sysbench takes: SCRIPT, options, and prepare, run or cleanup
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
        words: Vec<OsString>,
    },
    /// As BenchmarkSQL 5: `build`, `run` or `destroy` with a properties file (docs/benchmarksql.md)
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Benchmarksql {
        /// What to do, and the properties file
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
        words: Vec<OsString>,
    },
    /// As innochecksum of MySQL or MariaDB: options, output, exit codes (docs/innochecksum.md)
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Innochecksum {
        /// What innochecksum takes: options and files; beside them --flavour, --jobs and --json
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
        words: Vec<OsString>,
    },
    /// As astream: `-i DIR... -r RULES...` or `stop` (docs/streams.md)
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Astream {
        /// What astream takes: directories, rule files, a log level; or stop
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
        words: Vec<OsString>,
    },
    /// Private server instances: make, start, stop, look
    Server {
        #[command(subcommand)]
        verb: ServerVerb,
    },
    /// The machine: what bears on a benchmark, tune it, put it back
    Host {
        #[command(subcommand)]
        verb: HostVerb,
    },
    /// InnoDB's pages: verify them, sum them up (docs/pages.md)
    Pages {
        #[command(subcommand)]
        verb: PagesVerb,
    },
    /// Devices and their file systems: list, measure, how full, fill, format (docs/disk.md)
    Disk {
        #[command(subcommand)]
        verb: DiskVerb,
    },
    /// Write hints for files by rules, kept by a daemon; how far they reach (docs/streams.md)
    Streams {
        #[command(subcommand)]
        verb: StreamsVerb,
    },
    /// Flash: drives and their write amplification, traces, simulated drives (docs/ssd.md)
    Ssd {
        #[command(subcommand)]
        verb: SsdVerb,
    },
    /// Runs and sweeps that are stored: list, show, compare, export
    Runs {
        #[command(subcommand)]
        verb: RunsVerb,
    },
    /// Live and past runs in the browser (docs/serve.md)
    Serve(ServeArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a directory
    Man {
        /// The directory
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// Write the book's reference of the command line into a directory
    #[command(hide = true)]
    Reference {
        /// The directory
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

/// The demonstration. What is not typed is as in the file `experiments/demo.toml`.
#[derive(Clone, Debug, Args)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub(crate) installation: InstallationArgs,
    /// Warehouses to load [default: 4]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) warehouses: Option<u32>,
    /// Connections that put the load on [default: 8]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) connections: Option<u32>,
    /// Warm-up before each measured phase [default: 5s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) ramp_up: Option<Duration>,
    /// Length of each measured phase [default: 15s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) duration: Option<Duration>,
    /// Runs of each of the two variants [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: Option<u32>,
    /// Print every step and how long it will take, and touch nothing
    #[arg(long)]
    pub(crate) plan: bool,
    /// Where to write the HTML report [default: in the home's directory `reports`]
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

/// Verbs on stored runs, sweeps, groups and experiments.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsVerb {
    /// List the experiments, the sweeps and the runs, the latest first
    List {
        /// At most so many
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
    },
    /// Show the summary of a run, a sweep or an experiment, or write its report
    Show {
        /// The run, sweep or experiment: its id, the beginning of one, or `latest`; the latest run
        /// of a sweep or an experiment is shown as that
        #[arg(default_value = "latest")]
        run: String,
        /// Write the HTML report to this file
        #[arg(long, value_name = "FILE")]
        report: Option<PathBuf>,
        /// Print the summary as Markdown
        #[arg(long)]
        markdown: bool,
    },
    /// Print a run, a sweep or an experiment as data
    Export {
        /// The run, sweep or experiment: its id, the beginning of one, or `latest`
        #[arg(default_value = "latest")]
        run: String,
        /// The form: the whole record, its series by the second, or a line for a spreadsheet
        #[arg(long, value_enum, default_value = "json")]
        format: ExportFormat,
        /// Write to this file instead of standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Remove a run from the store, or a sweep or an experiment with its runs
    Remove {
        /// The run, sweep or experiment: its id, or the beginning of one
        run: String,
    },
    /// Compare two sets of runs; exits with 1 on a regression (docs/statistics.md)
    Compare(CompareArgs),
    /// Find the runs with which a history changed (docs/statistics.md)
    Trend(TrendArgs),
    /// Take in runs that were exported as JSON, here or elsewhere
    Import(ImportArgs),
}

/// Forms of an exported run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The whole record, schema myrig.run/1, myrig.sweep/1 or myrig.experiment/1
    Json,
    /// One row a second and transaction type; of a sweep a row a step, of an experiment a row a
    /// trial
    Csv,
    /// One row a run
    SummaryCsv,
    /// What was watched during a run: one row a sample, a column a series
    WatchCsv,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    /// Complains about every verb and option below `command` that teaches nothing.
    fn unexplained(command: &clap::Command, path: &str) -> Vec<String> {
        let mut silent = Vec::new();
        if command.get_about().is_none() {
            silent.push(path.to_owned());
        }
        for argument in command.get_arguments() {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            if help.len() < 4 {
                silent.push(format!("{path} {}", argument.get_id()));
            }
            // Yes and no in all their spellings explain themselves.
            let is_switch =
                argument.get_possible_values().iter().any(|value| value.get_name() == "off");
            let obvious = is_switch || argument.is_global_set() || argument.get_id() == "shell";
            for value in argument.get_possible_values() {
                if value.get_help().is_none() && !obvious && argument.get_action().takes_values() {
                    silent.push(format!("{path} {} {}", argument.get_id(), value.get_name()));
                }
            }
        }
        for verb in command.get_subcommands() {
            silent.extend(unexplained(verb, &format!("{path} {}", verb.get_name())));
        }
        silent
    }

    #[test]
    fn every_verb_option_and_value_is_explained() {
        let mut command = Cli::command();
        command.build();
        assert_eq!(unexplained(&command, "myrig"), Vec::<String>::new());
    }
}
