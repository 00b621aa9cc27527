//! Options that every `run` has: how much load, for how long, and what is done about trouble.

use super::{duration, parse_duration};
use crate::metrics::MetricsAddr;
use clap::{Args, ValueEnum};
use host::CpuSet;
use serde::{Serialize, Serializer};
use std::{path::PathBuf, time::Duration};

/// How a load is put on. Serialised as it is, it becomes part of the settings of the run's record.
#[derive(Clone, Debug, Args, Serialize)]
#[command(next_help_heading = "Load")]
#[serde(rename_all = "kebab-case")]
pub(crate) struct PacingArgs {
    /// Connections that put the load on; several with commas make a sweep, a run for each
    #[arg(long, short, value_name = "N", default_value = "16", value_delimiter = ',')]
    #[serde(serialize_with = "one_or_all")]
    pub(crate) connections: Vec<u32>,
    /// Threads that carry them [default: half of the processors, or one on each of --client-cpus]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<u32>,
    /// Processors for them, such as 61-63, so that they are not the server's
    #[arg(long, value_name = "LIST")]
    pub(crate) client_cpus: Option<CpuSet>,
    /// Length of the measured phase
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    #[serde(serialize_with = "time")]
    pub(crate) duration: Duration,
    /// Warm-up before the measured phase
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    #[serde(serialize_with = "time")]
    pub(crate) ramp_up: Duration,
    /// Time after the measured phase during which the load stays on
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = parse_duration)]
    #[serde(serialize_with = "time")]
    pub(crate) ramp_down: Duration,
    /// End the measured phase after so many transactions
    #[arg(long, value_name = "N")]
    pub(crate) transactions: Option<u64>,
    /// Open loop: so many transactions a second are due, whatever the server's speed; several with
    /// commas make a sweep, a run for each
    #[arg(long, value_name = "PER_SECOND", value_delimiter = ',')]
    #[serde(serialize_with = "one_or_all")]
    pub(crate) rate: Vec<f64>,
    /// Open loop: how the transactions come in
    #[arg(long, value_enum, default_value = "poisson", requires = "rate")]
    pub(crate) arrivals: ArrivalsArg,
    /// How often a transaction is tried again after a deadlock or lock wait timeout [default: the
    /// profile's own, 10 or 0]
    #[arg(long, value_name = "N")]
    pub(crate) retries: Option<u32>,
    /// How long transactions under way may take to finish at the end
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    #[serde(serialize_with = "time")]
    pub(crate) grace: Duration,
    /// End the run when all connections have been down for so long
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    #[serde(serialize_with = "time")]
    pub(crate) reconnect_give_up: Duration,
    /// End the run after so many failures without a success between
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) failures_in_a_row: u32,
    /// Seed of the inputs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Count transactions without their latencies: shows what recording those costs
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) no_histograms: bool,
    /// Do not watch server and machine meanwhile: shows what watching costs
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) no_watch: bool,
    /// Serve Prometheus metrics of the load at http://ADDR/metrics: a port of this machine's own,
    /// or an address with one (docs/metrics.md)
    #[arg(long, value_name = "ADDR")]
    #[serde(skip)]
    pub(crate) metrics_addr: Option<MetricsAddr>,
    /// Sweep: how long to wait before a step for the server to come to rest, by its dirty pages,
    /// history list and running threads [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    #[serde(skip)]
    pub(crate) settle_deadline: Option<Duration>,
    /// Sweep: stop when so many steps in a row brought no more throughput [default: take all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[serde(skip)]
    pub(crate) stop_after_peak: Option<u32>,
    /// What to call the run
    #[arg(long, value_name = "TEXT", default_value = "")]
    #[serde(skip)]
    pub(crate) label: String,
    /// Where to write the HTML report [default: in the home's directory `reports`]
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(crate) report: Option<PathBuf>,
}

impl PacingArgs {
    /// What is about the steps of a sweep and in no run of it, by option name.
    pub(crate) fn sweep_settings(&self) -> impl Iterator<Item = (String, serde_json::Value)> {
        let deadline = self.settle_deadline.map(|time| duration::show(time).into());
        let steps = self.stop_after_peak.map(Into::into);
        let named = [("settle-deadline", deadline), ("stop-after-peak", steps)];
        named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)))
    }
}

/// How transactions come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ArrivalsArg {
    /// Exponential gaps, as independent users make them
    Poisson,
    /// Equal gaps
    Even,
}

/// Writes a time as it is typed.
pub(crate) fn time<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&duration::show(*time))
}

/// A list of one is that one, so that a run's settings read as they always have.
pub(super) fn one_or_all<T: Serialize, S: Serializer>(
    values: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match values {
        [one] => one.serialize(serializer),
        all => all.serialize(serializer),
    }
}
