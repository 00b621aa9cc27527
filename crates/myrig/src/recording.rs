//! From what the engine measured to the record that is kept.

use engine::{Ended, Interval, LoadReport};
use lab::{
    histogram::LatencyHistogram,
    record::{
        Arrivals, ErrorCount, IntervalTransactions, Outage, Outcomes, Phase, RunRecord, RunStatus,
        TransactionRecord,
    },
};
use std::time::SystemTime;

/// Share of failed transactions above which a reader is warned.
const FAILED_SHARE: f64 = 0.01;
/// Measured seconds below which a mean says little.
const SHORT_S: f64 = 30.0;

/// Puts what was measured into `record`, in place of what it held.
pub(crate) fn fill(record: &mut RunRecord, load: &LoadReport) {
    record.status = match &load.ended {
        Ended::Complete => RunStatus::Complete,
        Ended::Interrupted => RunStatus::Partial { reason: "interrupted".into() },
        Ended::Aborted(reason) => RunStatus::Partial { reason: reason.clone() },
    };
    record.phases = load
        .phases
        .iter()
        .map(|span| Phase {
            name: span.phase.name().into(),
            from_s: span.from_s,
            until_s: span.until_s,
        })
        .collect();
    record.transactions = load
        .transactions
        .iter()
        .map(|kind| TransactionRecord {
            name: kind.name.clone(),
            measured: outcomes(&kind.measured),
            total: outcomes(&kind.total),
            service: LatencyHistogram(kind.service.clone()),
            queue: LatencyHistogram(kind.queue.clone()),
            response: LatencyHistogram(kind.response.clone()),
        })
        .collect();
    record.errors = load
        .errors
        .iter()
        .map(|error| ErrorCount {
            transaction: load.transactions[error.kind].name.clone(),
            code: error.code,
            message: error.message.clone(),
            retried: error.retried,
            failed: error.failed,
        })
        .collect();
    record.intervals = load.intervals.iter().map(interval).collect();
    record.outages = load
        .outages
        .iter()
        .map(|outage| Outage {
            from_s: outage.from_s,
            until_s: outage.until_s,
            connections: outage.connections,
        })
        .collect();
    record.arrivals = load.arrivals.as_ref().map(|arrivals| Arrivals {
        rate_per_s: arrivals.rate_per_s,
        distribution: match arrivals.distribution {
            engine::Arrivals::Poisson => "poisson".into(),
            engine::Arrivals::Even => "even".into(),
        },
        due: arrivals.due,
        unstarted: arrivals.unstarted,
        oldest_wait_s: arrivals.oldest_wait_s,
    });
    record.client.cpu_s = load.client.cpu_s;
    record.client.busiest_thread = load.client.busiest_thread;
    let arrivals = record.arrivals.as_ref();
    let overloaded = arrivals.is_some_and(lab::record::Arrivals::overloaded);
    record.warnings.extend(warnings(load, overloaded));
}

fn outcomes(from: &engine::Outcomes) -> Outcomes {
    Outcomes {
        committed: from.committed,
        rolled_back: from.rolled_back,
        failed: from.failed,
        retried: from.retried,
        in_doubt: from.in_doubt,
    }
}

fn interval(from: &Interval) -> lab::record::Interval {
    lab::record::Interval {
        at_s: from.at_s,
        length_s: from.length_s,
        transactions: from
            .transactions
            .iter()
            .map(|kind| IntervalTransactions {
                committed: kind.committed,
                rolled_back: kind.rolled_back,
                failed: kind.failed,
                retries: kind.retries,
                p50_ms: kind.p50_ms,
                p95_ms: kind.p95_ms,
                p99_ms: kind.p99_ms,
                max_ms: kind.max_ms,
            })
            .collect(),
        connected: from.connected,
        client_cpu: from.client_cpu,
    }
}

/// What a reader must know before believing a figure.
fn warnings(load: &LoadReport, overloaded: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    if load.client.saturated() {
        warnings.push(format!(
            "The client was the bottleneck: its busiest thread was on a processor for {:.0}% of \
             the measured phase. Give it more --threads, or another machine.",
            load.client.busiest_thread * 100.0
        ));
    }
    let started: u64 = load.transactions.iter().map(|kind| kind.measured.started()).sum();
    let failed: u64 = load.transactions.iter().map(|kind| kind.measured.failed).sum();
    if failed as f64 > started as f64 * FAILED_SHARE {
        let percent = failed as f64 / started as f64 * 100.0;
        warnings.push(format!("{percent:.1}% of the measured transactions failed."));
    }
    let measured_s = load.measured_s();
    if load.ended == Ended::Complete && measured_s < SHORT_S {
        warnings.push(format!(
            "The measured phase lasted {measured_s:.0} s; under {SHORT_S:.0} s a mean says little."
        ));
    }
    if let Some(arrivals) = load.arrivals.as_ref().filter(|_| overloaded) {
        warnings.push(format!(
            "The server did not keep up with the rate: {} of {} transactions that were due had \
             not started at the end, the oldest after {:.1} s.",
            arrivals.unstarted, arrivals.due, arrivals.oldest_wait_s
        ));
    }
    if cfg!(debug_assertions) {
        warnings
            .push("This is a debug build of myrig: the client is slower than it need be.".into());
    }
    warnings
}

/// A run's id: its start in UTC and a random tail, so that two runs of one second differ.
pub(crate) fn run_id(start: SystemTime, tail: u32) -> String {
    let digits = |c: &char| c.is_ascii_digit() || *c == 'T';
    let compact: String = rfc3339(start).chars().filter(digits).collect();
    format!("{compact}-{:06x}", tail & 0xff_ffff)
}

/// A moment as RFC 3339 writes it, in UTC and whole seconds.
pub(crate) fn rfc3339(moment: SystemTime) -> String {
    humantime::format_rfc3339_seconds(moment).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn ids_sort_by_start() {
        let start = UNIX_EPOCH + Duration::from_secs(1_795_295_106);
        assert_eq!(run_id(start, 0xff1f_3a9c), "20261121T210506-1f3a9c");
    }
}
