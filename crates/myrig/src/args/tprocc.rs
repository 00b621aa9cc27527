//! Options of `myrig tprocc`.

use super::{CheckArgs, CleanupArgs, ConnectionArgs, Method, PacingArgs};
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use workloads::{tpcc::Isolation, tprocc::Profile};

/// Verbs of TPROC-C.
#[derive(Debug, Subcommand)]
pub(crate) enum TproccVerb {
    /// Make tables and procedures and load them, in parallel; goes on with a load broken off
    Prepare(TproccPrepareArgs),
    /// Put the load on and measure: NOPM and TPM
    Run(Box<TproccRunArgs>),
    /// Check the twelve consistency conditions of clause 3.3.2
    Check(CheckArgs),
    /// Drop tables and procedures
    Cleanup(CleanupArgs),
}

/// `myrig tprocc prepare`.
#[derive(Clone, Debug, Args)]
pub(crate) struct TproccPrepareArgs {
    /// Tables, data and procedures of HammerDB (`hammerdb`), or with TPC-C's semantics (`spec`)
    #[arg(long, value_name = "PROFILE", default_value = "hammerdb")]
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
    /// Storage engine of the tables
    #[arg(long, value_name = "ENGINE", default_value = "InnoDB")]
    pub(crate) engine: String,
    /// Partition ORDER_LINE as HammerDB does: from 200 warehouses, one for each hundred
    #[arg(long, conflicts_with = "partitions")]
    pub(crate) partition: bool,
    /// Partition ORDER_LINE by hash of its warehouse into so many, at any size
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8192))]
    pub(crate) partitions: Option<u32>,
    /// Give HISTORY an invisible primary key, which replication may ask for
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, default_value_t = false,
          default_missing_value = "true")]
    pub(crate) history_key: bool,
    /// Replace the procedures of a loaded data set by those of this version; leave the data alone
    #[arg(long, conflicts_with_all = ["warehouses", "seed", "profile", "engine", "partition",
          "partitions", "history_key"])]
    pub(crate) procedures_only: bool,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

/// `myrig tprocc run`. Serialised as it is, it becomes the settings of the run's record.
#[derive(Clone, Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct TproccRunArgs {
    /// Shares of New-Order, Payment, Order-Status, Delivery and Stock-Level [default: the
    /// profile's, 10,10,1,1,1 or 45,43,4,4,4]
    #[arg(long, value_name = "N,O,S,D,L", value_delimiter = ',')]
    pub(crate) weights: Vec<f64>,
    /// Refuse to run on data of another profile
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<Profile>,
    /// Refuse to run on data of another size
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) warehouses: Option<u32>,
    /// How procedures are called
    #[arg(long, value_enum, default_value = "prepared")]
    pub(crate) call: CallArg,
    /// Let the connections share out all warehouses among them instead of having one home each
    #[arg(long)]
    pub(crate) all_warehouses: bool,
    /// Keying times as a share of the specification's: 1 for all of it, 0 for none
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, conflicts_with = "rate")]
    pub(crate) keying_time: f64,
    /// Think times as a share of the specification's: 1 for all of it, 0 for none
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, conflicts_with = "rate")]
    pub(crate) think_time: f64,
    /// Isolation level [default: the server's]
    #[arg(long, value_name = "LEVEL")]
    #[serde(serialize_with = "super::tpcc::isolation")]
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

/// How procedures are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CallArg {
    /// A prepared CALL that returns the OUT parameters: one round trip
    Prepared,
    /// SET, CALL and SELECT as text, as HammerDB sends them: up to three round trips
    Plain,
}
