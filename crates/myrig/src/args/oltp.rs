//! Options of `myrig oltp`. Those that sysbench has as well are called as there.

use super::{ConnectionArgs, Method, PacingArgs};
use clap::{ArgAction, Args, Subcommand, ValueEnum, builder::BoolishValueParser};
use serde::Serialize;
use workloads::oltp::{Kind, Protocol, Schema, Shape};

/// Verbs of OLTP.
#[derive(Debug, Subcommand)]
pub(crate) enum OltpVerb {
    /// Make the tables and load them, in parallel; goes on with a load that was broken off
    Prepare(Box<OltpPrepareArgs>),
    /// Put the load on and measure
    Run(Box<OltpRunArgs>),
    /// Check rows, keys and indexes
    Check(OltpCheckArgs),
    /// Drop the tables
    Cleanup(OltpCleanupArgs),
}

/// A set of defaults that somebody has published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Preset {
    /// Tables and scripts of sysbench 1.0
    Sysbench,
    /// Those of 0.5 with 4 point selects and an index update, 99th percentile; 20 tables of 10
    /// million rows
    WhitePaper,
}

/// `myrig oltp prepare`.
#[derive(Clone, Debug, Args)]
pub(crate) struct OltpPrepareArgs {
    /// Whose defaults to take
    #[arg(long, value_enum, default_value = "sysbench")]
    pub(crate) preset: Preset,
    /// Tables [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) tables: Option<u32>,
    /// Rows of each; some 200 bytes a row [default: 10000]
    #[arg(long, value_name = "N")]
    pub(crate) table_size: Option<u32>,
    /// The version of sysbench whose columns they have: 1.0 or 0.5 [default: 1.0]
    #[arg(long, value_name = "VERSION")]
    pub(crate) schema: Option<Schema>,
    /// Whether the server gives keys to new rows
    #[arg(long, value_name = "on|off", default_value = "on", action = ArgAction::Set,
          value_parser = BoolishValueParser::new())]
    pub(crate) auto_inc: bool,
    /// An index on the key in place of a primary key
    #[arg(long)]
    pub(crate) secondary: bool,
    /// Whether column k has an index
    #[arg(long, value_name = "on|off", default_value = "on", action = ArgAction::Set,
          value_parser = BoolishValueParser::new())]
    pub(crate) create_secondary: bool,
    /// Storage engine
    #[arg(long, value_name = "ENGINE", default_value = "innodb")]
    pub(crate) mysql_storage_engine: String,
    /// What else to say of each table, such as `DEFAULT CHARSET=utf8mb4`
    #[arg(long, value_name = "SQL")]
    pub(crate) mysql_table_options: Option<String>,
    /// Connections that load at once, several to a table where there are more than tables
    #[arg(long, short, value_name = "N", default_value_t = 4,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) connections: u32,
    /// Seed: the same seed gives the same data, whatever the parallelism
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// How rows are sent
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) load_method: Method,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
    #[command(flatten)]
    pub(crate) rand: RandArgs,
}

/// How row numbers are drawn.
#[derive(Clone, Copy, Debug, Args, Serialize)]
#[command(next_help_heading = "Distribution")]
#[serde(rename_all = "kebab-case")]
pub(crate) struct RandArgs {
    /// uniform, gaussian, special, pareto or zipfian
    #[arg(long, value_name = "SHAPE", default_value = "special")]
    pub(crate) rand_type: Shape,
    /// gaussian and special: uniform numbers in one of a Gaussian
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) rand_spec_iter: u32,
    /// special: percentage of the numbers that are special
    #[arg(long, value_name = "PERCENT", default_value_t = 1)]
    pub(crate) rand_spec_pct: u32,
    /// special: percentage of draws that give a special number
    #[arg(long, value_name = "PERCENT", default_value_t = 75)]
    pub(crate) rand_spec_res: u32,
    /// pareto: this share of the numbers gets the rest of the draws
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    pub(crate) rand_pareto_h: f64,
    /// zipfian: the exponent
    #[arg(long, value_name = "NUMBER", default_value_t = 0.8)]
    pub(crate) rand_zipfian_exp: f64,
}

/// `myrig oltp run`. Serialised as it is, it becomes the settings of the run's record; what was not
/// given is filled in once it is known.
#[derive(Clone, Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct OltpRunArgs {
    /// The transaction: read-only, read-write, write-only, point-select, update-index,
    /// update-non-index, insert or delete
    #[arg(long, value_name = "NAME", default_value = "read-write")]
    pub(crate) script: Kind,
    /// Whose defaults to take
    #[arg(long, value_enum, default_value = "sysbench")]
    pub(crate) preset: Preset,
    /// Tables to use [default: all that are there]
    #[arg(long, value_name = "N")]
    pub(crate) tables: Option<u32>,
    /// Rows of each to use [default: all that are there]
    #[arg(long, value_name = "N")]
    pub(crate) table_size: Option<u32>,
    /// The version of sysbench whose habits to follow: 1.0 draws a table for each group of
    /// statements, 0.5 for each transaction [default: 1.0]
    #[arg(long, value_name = "VERSION")]
    pub(crate) schema: Option<Schema>,
    /// How statements travel: prepared or text [default: prepared]
    #[arg(long, value_name = "NAME")]
    pub(crate) protocol: Option<Protocol>,
    /// Leave out BEGIN and COMMIT, so that each statement is a transaction of its own
    #[arg(long)]
    pub(crate) skip_trx: bool,
    /// insert: whether the server gives the key
    #[arg(long, value_name = "on|off", default_value = "on", action = ArgAction::Set,
          value_parser = BoolishValueParser::new())]
    pub(crate) auto_inc: bool,
    /// Error numbers after which to try again, with commas, or `all` [default: deadlocks, lock
    /// wait timeouts and their kin]
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub(crate) ignore_errors: Vec<String>,
    /// The percentile of the latencies to tell beside the rates [default: 95; 99 in preset
    /// white-paper]
    #[arg(long, value_name = "PERCENT")]
    pub(crate) percentile: Option<f64>,
    /// Check rows, keys and indexes afterwards; reads every table
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) connection: ConnectionArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) pacing: PacingArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) mix: MixArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) rand: RandArgs,
}

/// How many statements of each sort a transaction has; the preset's where none is given.
#[derive(Clone, Copy, Debug, Args, Serialize)]
#[command(next_help_heading = "Statements of a transaction")]
#[serde(rename_all = "kebab-case")]
pub(crate) struct MixArgs {
    /// Rows by their key [default: 10]
    #[arg(long, value_name = "N")]
    pub(crate) point_selects: Option<u32>,
    /// Ranges of rows [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) simple_ranges: Option<u32>,
    /// Sums over a range [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) sum_ranges: Option<u32>,
    /// Ranges, sorted [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) order_ranges: Option<u32>,
    /// Distinct values of a range, sorted [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) distinct_ranges: Option<u32>,
    /// Updates of the indexed column [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) index_updates: Option<u32>,
    /// Updates of a column that has no index [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) non_index_updates: Option<u32>,
    /// Rows deleted and written anew [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) delete_inserts: Option<u32>,
    /// Rows of a range [default: 100]
    #[arg(long, value_name = "N")]
    pub(crate) range_size: Option<u32>,
    /// Whether there are ranges at all [default: on]
    #[arg(long, value_name = "on|off", action = ArgAction::Set,
          value_parser = BoolishValueParser::new())]
    pub(crate) range_selects: Option<bool>,
}

/// `myrig oltp check`.
#[derive(Clone, Debug, Args)]
pub(crate) struct OltpCheckArgs {
    /// Rows that each table must have [default: as many as the first]
    #[arg(long, value_name = "N")]
    pub(crate) table_size: Option<u32>,
    /// Rows were inserted or deleted on purpose: look at the indexes only
    #[arg(long, conflicts_with = "table_size")]
    pub(crate) rows_changed: bool,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

/// `myrig oltp cleanup`.
#[derive(Clone, Debug, Args)]
pub(crate) struct OltpCleanupArgs {
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}
