//! What a load came to.

use crate::{cpu::SATURATED_SHARE, outcome::Outcomes};
use hdrhistogram::Histogram;

/// Everything that is known about a load after it. Times are seconds from the start of the
/// ramp-up.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadReport {
    /// Whether the load went to its end.
    pub ended: Ended,
    /// The phases in order, as they really were. Those of no length are left out.
    pub phases: Vec<PhaseSpan>,
    /// One entry a transaction type, in the workload's order.
    pub transactions: Vec<TransactionReport>,
    /// Failed and retried transactions of the whole run by type and error number.
    pub errors: Vec<ErrorCount>,
    /// The series, one entry a second from the start of the ramp-up to the last transaction's
    /// end. Sums over it are the totals of `transactions`.
    pub intervals: Vec<Interval>,
    /// Times during which connections were lost.
    pub outages: Vec<Outage>,
    /// Open loop only: what was due and when it started.
    pub arrivals: Option<ArrivalsReport>,
    /// The load generator's own processor time.
    pub client: ClientCpu,
}

impl LoadReport {
    /// Length of the measured phase, seconds.
    pub fn measured_s(&self) -> f64 {
        let measured = self.phases.iter().filter(|span| span.phase == Phase::Measure);
        measured.fold(0.0, |sum, span| sum + (span.until_s - span.from_s))
    }
}

/// Whether a load went to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All phases were gone through, or the asked number of transactions was reached.
    Complete,
    /// [`crate::Stop`] was called.
    Interrupted,
    /// Going on made no sense, for this reason.
    Aborted(String),
}

/// A stretch of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Full load, not measured yet.
    RampUp,
    /// Full load, measured.
    Measure,
    /// Full load, not measured any more.
    RampDown,
    /// Nothing starts; what is under way ends.
    Drain,
}

impl Phase {
    /// `ramp-up`, `measure`, `ramp-down` or `drain`.
    pub fn name(self) -> &'static str {
        match self {
            Self::RampUp => "ramp-up",
            Self::Measure => "measure",
            Self::RampDown => "ramp-down",
            Self::Drain => "drain",
        }
    }
}

/// When a phase was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseSpan {
    /// Which.
    pub phase: Phase,
    /// Its start.
    pub from_s: f64,
    /// Its end.
    pub until_s: f64,
}

/// One transaction type of a load. Histograms hold microseconds (three digits, 1 µs to 1 h) of
/// committed and rolled-back transactions of the measured phase. A transaction belongs to the
/// phase in which it ends.
#[derive(Clone, Debug, PartialEq)]
pub struct TransactionReport {
    /// The workload's name for it.
    pub name: String,
    /// Outcomes in the measured phase.
    pub measured: Outcomes,
    /// Outcomes in the whole run, ramps and drain included: what the database must agree with.
    pub total: Outcomes,
    /// From the first attempt's start to the end of the last, retries included.
    pub service: Histogram<u64>,
    /// From the intended start to the first attempt's start. Empty in a closed loop.
    pub queue: Histogram<u64>,
    /// From the intended start to the end: queue and service together.
    pub response: Histogram<u64>,
}

/// An error number and how often it was met in the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorCount {
    /// Index of the transaction type.
    pub kind: usize,
    /// The server's or client library's error number, [`ABANDONED_CODE`] for none.
    pub code: u16,
    /// The words of the first such error.
    pub message: String,
    /// Attempts that were tried again.
    pub retried: u64,
    /// Transactions given up.
    pub failed: u64,
}

/// Stands for an error number where a transaction was abandoned at the end of a run.
pub const ABANDONED_CODE: u16 = 0;

/// One second of a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// End of the interval.
    pub at_s: f64,
    /// Its length, seconds: 1 but for the last.
    pub length_s: f64,
    /// One entry a transaction type, in the workload's order.
    pub transactions: Vec<IntervalTransactions>,
    /// Connections that were up at the end of the interval.
    pub connected: u32,
    /// Share of all load threads' time spent on a processor, 0 to 1.
    pub client_cpu: f64,
}

/// One second of one transaction type. Latencies are response times in milliseconds, zero where
/// nothing ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outage {
    /// When the first connection was lost.
    pub from_s: f64,
    /// When the last one was back; none when the run ended first.
    pub until_s: Option<f64>,
    /// The most connections that were down at once.
    pub connections: u32,
}

/// What an open loop asked for and got, in the whole run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrivalsReport {
    /// Intended transactions a second.
    pub rate_per_s: f64,
    /// How the due times were spread.
    pub distribution: crate::options::Arrivals,
    /// Transactions that were due before the end.
    pub due: u64,
    /// Of these, the ones that no connection became free for before the end.
    pub unstarted: u64,
    /// How long the oldest of those had waited, seconds.
    pub oldest_wait_s: f64,
}

/// The load generator's own processor time in the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClientCpu {
    /// User and system time of all load threads, seconds.
    pub cpu_s: f64,
    /// The busiest load thread's share of one core, 0 to 1.
    pub busiest_thread: f64,
}

impl ClientCpu {
    /// Whether the client itself was a bottleneck, so that latencies measure it rather than the
    /// server; see [`SATURATED_SHARE`] for the border.
    pub fn saturated(&self) -> bool {
        self.busiest_thread > SATURATED_SHARE
    }
}
