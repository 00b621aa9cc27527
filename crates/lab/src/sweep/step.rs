//! One step of a sweep: what its run came to, in brief.

use crate::{
    headline::measured_phase,
    histogram::LatencyHistogram,
    record::{Figure, RunRecord, RunStatus},
};
use serde::{Deserialize, Serialize};

/// One step of a sweep.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct SweepStep {
    /// Connections.
    pub connections: u32,
    /// Transactions a second that were due; none in a closed loop.
    pub rate_per_s: Option<f64>,
    /// Id of its run.
    pub run: String,
    /// Whether the run went to its end.
    pub status: RunStatus,
    /// The run's figures of merit, the most important first.
    pub headline: Vec<Figure>,
    /// Committed and rolled-back transactions a second in the measured phase.
    pub finished_per_s: f64,
    /// Transactions given up in the measured phase.
    pub failed: u64,
    /// Response times of all types together, in the measured phase.
    pub response: Latency,
    /// Response times by transaction type, in the workload's order.
    pub transactions: Vec<TransactionLatency>,
    /// User and system time of the client for a finished transaction, microseconds; none where
    /// none finished.
    pub client_cpu_us: Option<f64>,
    /// Processors that the client kept busy in the measured phase, on average.
    pub client_cpus: f64,
    /// Processors that the server kept busy in the measured phase, on average; none where it runs
    /// on another machine or does not tell its process.
    pub server_cpus: Option<f64>,
    /// The verdict on the data after the step; none where it was not checked.
    pub check_good: Option<bool>,
    /// Number of the run's warnings.
    pub warnings: u64,
    /// What was waited for before the step; none for the first.
    pub settling: Option<Settling>,
}

/// Response times, milliseconds, zero where nothing ended.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Latency {
    /// Number of transactions.
    pub count: u64,
    /// Mean.
    pub mean_ms: f64,
    /// Median.
    pub p50_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// Largest.
    pub max_ms: f64,
}

/// Response times of one transaction type.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct TransactionLatency {
    /// The field's name, `New-Order`.
    pub name: String,
    /// Its response times.
    pub response: Latency,
}

/// How the server came to rest before a step.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Settling {
    /// How long it was waited for, seconds.
    pub waited_s: f64,
    /// True when everything was back where it had been before the first step, or moved no more.
    pub settled: bool,
    /// What was waited for and how it ended, a sentence.
    pub words: String,
}

impl Latency {
    /// What a histogram comes to.
    pub fn of(histogram: &LatencyHistogram) -> Self {
        Self {
            count: histogram.count(),
            mean_ms: histogram.mean_ms(),
            p50_ms: histogram.percentile_ms(50.0),
            p95_ms: histogram.percentile_ms(95.0),
            p99_ms: histogram.percentile_ms(99.0),
            max_ms: histogram.max_ms(),
        }
    }
}

impl SweepStep {
    /// The step that `record` is the run of. `rate_per_s` as asked for; `settling` before it.
    pub fn of(record: &RunRecord, rate_per_s: Option<f64>, settling: Option<Settling>) -> Self {
        let responses = record.transactions.iter().map(|transaction| &transaction.response);
        let together = LatencyHistogram::of_all(responses);
        let finished: u64 = record
            .transactions
            .iter()
            .map(|kind| kind.measured.committed.saturating_add(kind.measured.rolled_back))
            .fold(0, u64::saturating_add);
        let length_s = measured_phase(record).map_or(0.0, |phase| phase.until_s - phase.from_s);
        let over = |value: f64, by: f64| if by > 0.0 { value / by } else { 0.0 };
        Self {
            connections: record.client.connections,
            rate_per_s,
            run: record.id.clone(),
            status: record.status.clone(),
            headline: record.headline.clone(),
            finished_per_s: over(finished as f64, length_s),
            failed: record.transactions.iter().map(|kind| kind.measured.failed).sum(),
            response: Latency::of(&together),
            transactions: record
                .transactions
                .iter()
                .map(|kind| TransactionLatency {
                    name: kind.name.clone(),
                    response: Latency::of(&kind.response),
                })
                .collect(),
            client_cpu_us: (finished > 0).then(|| record.client.cpu_s * 1e6 / finished as f64),
            client_cpus: over(record.client.cpu_s, length_s),
            server_cpus: record.server_cpus,
            check_good: record.check.as_ref().map(|check| check.good),
            warnings: record.warnings.len() as u64,
            settling,
        }
    }

    /// The most important figure.
    pub fn figure(&self) -> Option<&Figure> {
        self.headline.first()
    }

    /// The 95% interval of [`Self::figure`]. A counter that was asked of the server has none of its
    /// own; it is given the relative width of the first figure that has one, which is what the
    /// client counted of the same load.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let figure = self.figure()?;
        if figure.ci95.is_some() {
            return figure.ci95;
        }
        let counted = self.headline.iter().find(|counted| counted.ci95.is_some())?;
        let (low, high) = counted.ci95?;
        let scale = figure.value / counted.value;
        scale.is_finite().then_some((low * scale, high * scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example;

    #[test]
    fn a_step_is_its_run_in_brief() {
        let record = example::record();
        let step = SweepStep::of(&record, None, None);
        assert_eq!((step.connections, step.run.as_str()), (16, "20261121T204500-1f3a9c"));
        // 303 and 150 committed, 3 rolled back of each type, in 3 s; 1.5 s of the client's time.
        assert!((step.finished_per_s - 459.0 / 3.0).abs() < 1e-9);
        assert!((step.client_cpu_us.unwrap_or_default() - 1.5e6 / 459.0).abs() < 1e-9);
        assert!((step.client_cpus - 0.5).abs() < 1e-9);
        assert_eq!(step.response.count, 612);
        assert_eq!(step.transactions.len(), 2);
        assert_eq!(step.check_good, Some(false));
    }

    #[test]
    fn a_counter_has_the_interval_of_what_the_client_counted() {
        let mut step = SweepStep::of(&example::record(), None, None);
        let figure =
            |value, ci95| Figure { name: "NOPM".to_owned(), value, unit: "1/min".to_owned(), ci95 };
        step.headline = vec![figure(200.0, None), figure(100.0, Some((90.0, 110.0)))];
        assert_eq!(step.interval(), Some((180.0, 220.0)));
        step.headline[0].ci95 = Some((199.0, 201.0));
        assert_eq!(step.interval(), Some((199.0, 201.0)));
        step.headline = vec![figure(200.0, None), figure(0.0, Some((0.0, 0.0)))];
        assert_eq!(step.interval(), None);
    }

    #[test]
    fn a_run_that_measured_nothing_is_a_step_of_zeros() {
        let mut record = example::record();
        record.phases.clear();
        for kind in &mut record.transactions {
            kind.measured = crate::record::Outcomes::default();
            kind.response = LatencyHistogram::empty();
        }
        let step = SweepStep::of(&record, Some(100.0), None);
        assert_eq!((step.finished_per_s, step.client_cpu_us), (0.0, None));
        assert_eq!(step.response, Latency::default());
    }
}
