//! A run as data: everything that a report, a comparison or another program needs to know.
//!
//! The JSON form of [`RunRecord`] is the stable schema `myrig.run/1`, described in
//! `docs/run-schema.md`: fields are added, never renamed or given another meaning.

mod amplification;
mod outcomes;
mod watch;

pub use amplification::{Amplification, AmplificationRow};
pub use outcomes::Outcomes;
pub use watch::{MeanCount, Series, WaitClass, WaitSummary, Watch, WatchCost};

use crate::histogram::LatencyHistogram;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name and version of the schema that [`RunRecord`] serialises to.
pub const RUN_SCHEMA: &str = "myrig.run/1";

/// One finished or partial run.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct RunRecord {
    /// Always [`RUN_SCHEMA`].
    pub schema: String,
    /// Unique in every store: start time in UTC and a random tail, `20261121T204500-1f3a9c`.
    pub id: String,
    /// What a person called it, or empty.
    pub label: String,
    /// Start of the run, UTC, RFC 3339.
    pub started_at: String,
    /// Whether the run went to its end.
    pub status: RunStatus,
    /// What was run.
    pub workload: WorkloadFacts,
    /// The exact settings, as the command line or the experiment file gave them, by option name.
    pub settings: BTreeMap<String, serde_json::Value>,
    /// The server under load.
    pub server: ServerFacts,
    /// The machine that the load came from.
    pub host: HostFacts,
    /// The load generator.
    pub client: ClientFacts,
    /// The phases in order, as they really were.
    pub phases: Vec<Phase>,
    /// The figures of merit, the most important first.
    pub headline: Vec<Figure>,
    /// One entry a transaction type, in the workload's order.
    pub transactions: Vec<TransactionRecord>,
    /// Failed and retried transactions by type and error number.
    pub errors: Vec<ErrorCount>,
    /// The series, one entry a second from the start of the ramp-up.
    pub intervals: Vec<Interval>,
    /// Times during which connections were lost.
    pub outages: Vec<Outage>,
    /// Open loop only: what was due and when it started.
    pub arrivals: Option<Arrivals>,
    /// What a reader must know before believing a figure.
    pub warnings: Vec<String>,
    /// The consistency check after the run, where one was made.
    pub check: Option<CheckRecord>,
    /// Processors that the server kept busy in the measured phase, on average; none where it runs
    /// on another machine or does not tell its process.
    #[serde(default)]
    pub server_cpus: Option<f64>,
    /// What server and machine did meanwhile; none where nobody watched.
    #[serde(default)]
    pub watch: Option<Watch>,
    /// What the drives wrote for what they were given; empty where nobody looked.
    #[serde(default)]
    pub amplification: Vec<Amplification>,
}

/// Whether a run went to its end.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum RunStatus {
    /// All phases were gone through.
    Complete,
    /// Ended early; what there is counts, but not as a full run.
    Partial {
        /// In words: interrupted, server gone, too many failures.
        reason: String,
    },
}

/// What was run, and how close it is to the specification it is named after.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct WorkloadFacts {
    /// `tpcc`, `tprocc`, `oltp`.
    pub name: String,
    /// Declared profile with its version, `spec/1`.
    pub profile: String,
    /// The size of the data set in the workload's unit, `10 warehouses`.
    pub scale: String,
    /// Where the profile departs from the specification, a sentence each.
    pub deviations: Vec<String>,
}

/// The server under load.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct ServerFacts {
    /// `MariaDB`, `MySQL`, `Percona Server`, `TiDB`.
    pub flavour: String,
    /// As the server says it.
    pub version: String,
    /// `127.0.0.1:3306` or `unix:/path`, more than one for a cluster.
    pub endpoints: Vec<String>,
    /// TLS protocol version in use, or empty for none.
    pub tls: String,
    /// The variables that bear on performance, as the server reports them.
    pub variables: BTreeMap<String, String>,
    /// Limits of an instance in words, `4 cores, 8 GB` or `unlimited`; empty where not known.
    #[serde(default)]
    pub size: String,
    /// Where an instance runs in words, `processors 0-3` or `anywhere`; empty where not known.
    #[serde(default)]
    pub place: String,
}

/// A machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct HostFacts {
    /// Operating system, `Debian GNU/Linux 12 (bookworm)`.
    pub os: String,
    /// Kernel release.
    pub kernel: String,
    /// Processor model.
    pub cpu_model: String,
    /// Processors online.
    pub cpus: u32,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Hypervisor's name as the processor tells it, or empty.
    pub hypervisor: String,
    /// True when the server ran on the same machine as the load.
    pub shared_with_server: bool,
}

/// The load generator.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct ClientFacts {
    /// myrig's version.
    pub version: String,
    /// Threads that carried the connections.
    pub threads: u32,
    /// Connections.
    pub connections: u32,
    /// User and system time of the client in the measured phase, seconds.
    pub cpu_s: f64,
    /// The busiest client thread's share of one core in the measured phase, 0 to 1.
    pub busiest_thread: f64,
}

/// A stretch of a run.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Phase {
    /// `ramp-up`, `measure`, `ramp-down` or `drain`.
    pub name: String,
    /// Start, seconds from the start of the ramp-up.
    pub from_s: f64,
    /// End, seconds from the start of the ramp-up.
    pub until_s: f64,
}

/// A figure of merit.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Figure {
    /// `tpmC`, `NOPM`, `TPS`.
    pub name: String,
    /// The value in `unit`.
    pub value: f64,
    /// `1/min`, `1/s`, `ms`.
    pub unit: String,
    /// 95% confidence interval of the mean over the measured seconds, corrected for
    /// autocorrelation; none where there were too few of them.
    pub ci95: Option<(f64, f64)>,
}

/// One transaction type of a run.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct TransactionRecord {
    /// The field's name, `New-Order`.
    pub name: String,
    /// Outcomes in the measured phase.
    pub measured: Outcomes,
    /// Outcomes in the whole run, ramps included: what the database must agree with.
    pub total: Outcomes,
    /// From the first attempt's start to the end of the last, retries included. Measured phase,
    /// committed and rolled-back transactions.
    pub service: LatencyHistogram,
    /// From the intended start to the first attempt's start. Empty in a closed loop.
    pub queue: LatencyHistogram,
    /// From the intended start to the end: queue and service together.
    pub response: LatencyHistogram,
}

/// An error number and how often it was met in the whole run.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct ErrorCount {
    /// Transaction type.
    pub transaction: String,
    /// Server or client error number.
    pub code: u16,
    /// The words of the first such error.
    pub message: String,
    /// Attempts that were tried again.
    pub retried: u64,
    /// Transactions given up.
    pub failed: u64,
}

/// One second of a run.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Interval {
    /// End of the interval, seconds from the start of the ramp-up.
    pub at_s: f64,
    /// Its length, seconds: 1 but for the last.
    pub length_s: f64,
    /// One entry a transaction type, in the workload's order.
    pub transactions: Vec<IntervalTransactions>,
    /// Connections that were up at the end of the interval.
    pub connected: u32,
    /// Share of all client threads' time spent on a processor, 0 to 1.
    pub client_cpu: f64,
}

/// One second of one transaction type. Latencies are response times in milliseconds, zero where
/// nothing ended.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct IntervalTransactions {
    /// Committed.
    pub committed: u64,
    /// Rolled back by the business rule.
    pub rolled_back: u64,
    /// Given up.
    pub failed: u64,
    /// Attempts that were tried again.
    pub retries: u64,
    /// Median.
    pub p50_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// Largest.
    pub max_ms: f64,
}

/// A time during which at least one connection was down.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Outage {
    /// When the first connection was lost, seconds from the start of the ramp-up.
    pub from_s: f64,
    /// When the last one was back; none when the run ended first.
    pub until_s: Option<f64>,
    /// The most connections that were down at once.
    pub connections: u32,
}

/// What an open loop asked for and got, in the whole run.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Arrivals {
    /// Intended transactions a second.
    pub rate_per_s: f64,
    /// `poisson` or `even`.
    pub distribution: String,
    /// Transactions that were due before the end.
    pub due: u64,
    /// Of these, the ones that no connection became free for before the end.
    pub unstarted: u64,
    /// How long the oldest of those had waited, seconds.
    pub oldest_wait_s: f64,
}

/// Share of the due transactions that may be left unstarted by a server that keeps up.
const UNSTARTED_SHARE: f64 = 0.01;
/// Wait at the end, seconds, from which on a server does not keep up whatever the share.
const WAIT_TOO_LONG_S: f64 = 1.0;

impl Arrivals {
    /// Whether the server could not keep up with the rate. A run ends at some moment, at which a
    /// few transactions have just become due; that is no overload.
    pub fn overloaded(&self) -> bool {
        self.unstarted as f64 > self.due as f64 * UNSTARTED_SHARE
            || self.oldest_wait_s >= WAIT_TOO_LONG_S
    }
}

/// The verdict on the data.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct CheckRecord {
    /// True when every condition holds.
    pub good: bool,
    /// One entry a condition.
    pub conditions: Vec<Condition>,
}

/// One consistency condition.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Condition {
    /// Number in its specification, `3.3.2.1`.
    pub id: String,
    /// What must hold, in words.
    pub text: String,
    /// Rows or groups looked at.
    pub examined: u64,
    /// Rows or groups in which it does not hold.
    pub violations: u64,
    /// The first few violations, in words.
    pub examples: Vec<String>,
}

#[cfg(test)]
pub(crate) mod example;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_transactions_that_were_just_due_are_no_overload() {
        let overloaded = |unstarted, oldest_wait_s| {
            let distribution = "even".to_owned();
            let due = 1000;
            Arrivals { rate_per_s: 100.0, distribution, due, unstarted, oldest_wait_s }.overloaded()
        };
        assert!(!overloaded(0, 0.0) && !overloaded(10, 0.02));
        assert!(overloaded(11, 0.02), "more than one in a hundred");
        assert!(overloaded(2, 1.0), "a second is no moment");
    }
}
