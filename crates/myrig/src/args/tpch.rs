//! Options of `myrig tpch`.

use super::{ConnectionArgs, Method};
use clap::{Args, Subcommand};
use workloads::tpch::{SCALE_FACTORS, Table};

/// Verbs of TPC-H.
#[derive(Debug, Subcommand)]
pub(crate) enum TpchVerb {
    /// Make the tables and load them, in parallel; goes on with a load that was broken off
    Prepare(TpchPrepareArgs),
    /// Check rows and keys against the generator
    Check(TpchCheckArgs),
    /// Drop the tables
    Cleanup(TpchCleanupArgs),
}

/// `myrig tpch prepare`.
#[derive(Clone, Debug, Args)]
pub(crate) struct TpchPrepareArgs {
    /// Size of the data: 1 makes 6 million lines, some 1.1 GB of LINEITEM; fractions are allowed
    #[arg(long, short, value_name = "NUMBER", default_value_t = 1.0, value_parser = scale_factor)]
    pub(crate) scale_factor: f64,
    /// Tables to load, with commas: region, nation, part, supplier, customer, partsupp, orders,
    /// lineitem
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "lineitem")]
    pub(crate) tables: Vec<Table>,
    /// Connections that load at once
    #[arg(long, short, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) connections: u32,
    /// How rows are sent
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) load_method: Method,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

/// `myrig tpch check`.
#[derive(Clone, Debug, Args)]
pub(crate) struct TpchCheckArgs {
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

/// `myrig tpch cleanup`.
#[derive(Clone, Debug, Args)]
pub(crate) struct TpchCleanupArgs {
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

fn scale_factor(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| SCALE_FACTORS.contains(number));
    let (least, most) = (SCALE_FACTORS.start(), SCALE_FACTORS.end());
    number.ok_or_else(|| format!("give a number from {least} to {most}, such as 0.05"))
}
