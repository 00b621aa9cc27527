//! Options of `myrig tpcc`.

use super::{ConnectionArgs, PacingArgs};
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use workloads::tpcc::{Isolation, Profile};

/// Verbs of TPC-C.
#[derive(Debug, Subcommand)]
pub(crate) enum TpccVerb {
    /// Make the tables and load them, in parallel; goes on with a load that was broken off
    Prepare(PrepareArgs),
    /// Put the load on and measure
    Run(Box<RunArgs>),
    /// Check the twelve consistency conditions of clause 3.3.2
    Check(CheckArgs),
    /// Drop the tables
    Cleanup(CleanupArgs),
}

/// `myrig tpcc prepare`.
#[derive(Clone, Debug, Args)]
pub(crate) struct PrepareArgs {
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

/// What to load and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct LoadArgs {
    /// Tables and data of TPC-C 5.11 (`spec`) or of BenchmarkSQL 5 for MySQL (`benchmarksql`)
    #[arg(long, value_name = "PROFILE", default_value = "spec")]
    pub(crate) profile: Profile,
    /// Warehouses; each takes some 90 MB
    #[arg(long, short, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) warehouses: u32,
    /// Connections that load at once
    #[arg(long, short, value_name = "N", default_value_t = 4,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) connections: u32,
    /// Seed: the same seed gives the same data, whatever the parallelism
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// How rows are sent
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) load_method: Method,
}

/// How rows are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// LOAD DATA LOCAL where the server allows it, INSERT where not
    Auto,
    /// LOAD DATA LOCAL, fed from memory
    LoadData,
    /// INSERT of many rows
    Insert,
}

/// `myrig tpcc run`. Serialised as it is, it becomes the settings of the run's record.
#[derive(Clone, Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct RunArgs {
    /// Shares of New-Order, Payment, Order-Status, Delivery and Stock-Level
    #[arg(long, value_name = "N,O,S,D,L", default_value = "45,43,4,4,4", value_delimiter = ',')]
    pub(crate) weights: Vec<f64>,
    /// Refuse to run on data of another profile
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<Profile>,
    /// Whether a connection keeps its warehouse or draws one for each transaction
    #[arg(long, value_enum, default_value = "fixed")]
    pub(crate) home_warehouse: HomeWarehouse,
    /// Keying times as a share of the specification's: 1 for all of it, 0 for none
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, conflicts_with = "rate")]
    pub(crate) keying_time: f64,
    /// Think times as a share of the specification's: 1 for all of it, 0 for none
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, conflicts_with = "rate")]
    pub(crate) think_time: f64,
    /// Whether Delivery is executed in the terminal's turn or queued
    #[arg(long, value_enum, default_value = "inline")]
    pub(crate) delivery: DeliveryArg,
    /// Read the items and stock of an order in one round trip instead of two a line; the report
    /// lists it as a deviation
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) pipeline: bool,
    /// Isolation level [default: the server's; read-committed in profile benchmarksql]
    #[arg(long, value_name = "LEVEL")]
    #[serde(serialize_with = "isolation")]
    pub(crate) isolation: Option<Isolation>,
    /// Do not check the data's consistency afterwards
    #[arg(long)]
    pub(crate) no_check: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) connection: ConnectionArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) pacing: PacingArgs,
}

/// Where a connection's transactions go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HomeWarehouse {
    /// A connection keeps its warehouse
    Fixed,
    /// Each transaction draws a warehouse
    Random,
}

/// How Delivery is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DeliveryArg {
    /// In the terminal's turn
    Inline,
    /// Queued, and executed next by the terminal's connection; the run's end may leave one queued
    Deferred,
}

/// `myrig tpcc check`.
#[derive(Clone, Debug, Args)]
pub(crate) struct CheckArgs {
    /// Connections that check at once
    #[arg(long, short, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) connections: u32,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

/// `myrig tpcc cleanup`.
#[derive(Clone, Debug, Args)]
pub(crate) struct CleanupArgs {
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

pub(super) fn isolation<S: serde::Serializer>(
    level: &Option<Isolation>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    level.map(|level| level.to_string()).serialize(serializer)
}
