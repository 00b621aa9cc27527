//! The runs of several servers that were loaded side by side, as one run of the same workload.

use crate::{
    histogram::LatencyHistogram,
    record::{
        Condition, ErrorCount, Figure, Interval, IntervalTransactions, Outcomes, RunRecord,
        RunStatus, TransactionRecord, Watch,
    },
};

/// All runs as one: its transaction types are theirs, added up. Rates among the figures of merit
/// are sums, with intervals as wide as all of theirs together, since runs that share a machine are
/// not independent. A second's percentiles cannot be added up; they are those of the worst. What
/// was watched is of the machine alone. None without runs.
///
/// Id and label are those of the first, for the caller to replace.
pub fn merged(runs: &[RunRecord]) -> Option<RunRecord> {
    let (first, others) = runs.split_first()?;
    let mut all = first.clone();
    for other in others {
        add_transactions(&mut all.transactions, &other.transactions);
        all.errors = errors(&all.errors, &other.errors);
        all.outages.extend(other.outages.iter().cloned());
        all.client.connections += other.client.connections;
        all.client.threads += other.client.threads;
        all.client.busiest_thread = all.client.busiest_thread.max(other.client.busiest_thread);
        all.server.endpoints.extend(other.server.endpoints.iter().cloned());
        for warning in &other.warnings {
            if !all.warnings.contains(warning) {
                all.warnings.push(warning.clone());
            }
        }
    }
    all.client.cpu_s = runs.iter().map(|run| run.client.cpu_s).sum();
    all.server_cpus = runs.iter().map(|run| run.server_cpus).sum();
    all.status = status(runs);
    all.headline = first.headline.iter().filter_map(|figure| sum(figure, others)).collect();
    let seconds = runs.iter().map(|run| run.intervals.len()).min().unwrap_or(0);
    all.intervals = (0..seconds).map(|second| interval(second, runs)).collect();
    all.check = check(runs);
    all.watch = first.watch.as_ref().map(Watch::of_machine);
    all.arrivals = None;
    Some(all)
}

fn status(runs: &[RunRecord]) -> RunStatus {
    let partial = |run: &RunRecord| matches!(run.status, RunStatus::Partial { .. });
    runs.iter().find(|run| partial(run)).map_or(RunStatus::Complete, |run| run.status.clone())
}

fn sum(figure: &Figure, others: &[RunRecord]) -> Option<Figure> {
    let mut sum = figure.clone();
    if !figure.unit.starts_with("1/") {
        return None;
    }
    for other in others {
        let same = |it: &&Figure| it.name == figure.name && it.unit == figure.unit;
        let other = other.headline.iter().find(same)?;
        sum.value += other.value;
        sum.ci95 = sum.ci95.zip(other.ci95).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
    }
    Some(sum)
}

fn add_transactions(all: &mut [TransactionRecord], more: &[TransactionRecord]) {
    for one in all {
        let Some(other) = more.iter().find(|other| other.name == one.name) else { continue };
        one.measured = add(one.measured, other.measured);
        one.total = add(one.total, other.total);
        for (histogram, other) in [
            (&mut one.service, &other.service),
            (&mut one.queue, &other.queue),
            (&mut one.response, &other.response),
        ] {
            join(histogram, other);
        }
    }
}

fn join(all: &mut LatencyHistogram, more: &LatencyHistogram) {
    // Only a histogram with other bounds could not be added, and none is ever made.
    let _added = all.0.add(&more.0);
}

fn add(sum: Outcomes, more: Outcomes) -> Outcomes {
    Outcomes {
        committed: sum.committed.saturating_add(more.committed),
        rolled_back: sum.rolled_back.saturating_add(more.rolled_back),
        failed: sum.failed.saturating_add(more.failed),
        retried: sum.retried.saturating_add(more.retried),
        in_doubt: sum.in_doubt.saturating_add(more.in_doubt),
    }
}

fn errors(all: &[ErrorCount], more: &[ErrorCount]) -> Vec<ErrorCount> {
    let mut sums = all.to_vec();
    for error in more {
        let same =
            |it: &&mut ErrorCount| it.transaction == error.transaction && it.code == error.code;
        match sums.iter_mut().find(same) {
            Some(known) => {
                known.retried = known.retried.saturating_add(error.retried);
                known.failed = known.failed.saturating_add(error.failed);
            }
            None => sums.push(error.clone()),
        }
    }
    sums
}

fn interval(second: usize, runs: &[RunRecord]) -> Interval {
    let of_runs = || runs.iter().map(|run| &run.intervals[second]);
    let mut all = runs[0].intervals[second].clone();
    for other in of_runs().skip(1) {
        for (one, other) in all.transactions.iter_mut().zip(&other.transactions) {
            *one = together(*one, other);
        }
        all.connected += other.connected;
    }
    all.client_cpu = of_runs().map(|interval| interval.client_cpu).sum::<f64>() / runs.len() as f64;
    all
}

fn together(one: IntervalTransactions, other: &IntervalTransactions) -> IntervalTransactions {
    IntervalTransactions {
        committed: one.committed.saturating_add(other.committed),
        rolled_back: one.rolled_back.saturating_add(other.rolled_back),
        failed: one.failed.saturating_add(other.failed),
        retries: one.retries.saturating_add(other.retries),
        p50_ms: one.p50_ms.max(other.p50_ms),
        p95_ms: one.p95_ms.max(other.p95_ms),
        p99_ms: one.p99_ms.max(other.p99_ms),
        max_ms: one.max_ms.max(other.max_ms),
    }
}

/// What every run was checked for; none where one of them was not checked.
fn check(runs: &[RunRecord]) -> Option<crate::record::CheckRecord> {
    let mut all = runs.first()?.check.clone()?;
    for other in &runs[1..] {
        let other = other.check.as_ref()?;
        all.good &= other.good;
        for (one, other) in all.conditions.iter_mut().zip(&other.conditions) {
            add_condition(one, other);
        }
    }
    Some(all)
}

fn add_condition(one: &mut Condition, other: &Condition) {
    one.examined = one.examined.saturating_add(other.examined);
    one.violations = one.violations.saturating_add(other.violations);
    one.examples.extend(other.examples.iter().cloned());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::record::example;

    #[test]
    fn several_runs_are_one_of_the_same_workload() {
        let one = example::record();
        let all = merged(&[one.clone(), one.clone()]).unwrap();
        assert_eq!(all.headline[0].value, 2.0 * one.headline[0].value);
        let names = |run: &RunRecord| -> Vec<String> {
            run.transactions.iter().map(|it| it.name.clone()).collect()
        };
        assert_eq!(names(&all), names(&one));
        let committed = |run: &RunRecord| run.transactions[0].measured.committed;
        assert_eq!(committed(&all), 2 * committed(&one));
        assert_eq!(all.transactions[0].response.count(), 2 * one.transactions[0].response.count());
        let second = |run: &RunRecord| run.intervals[1].transactions[0];
        assert_eq!(second(&all).committed, 2 * second(&one).committed);
        assert_eq!(second(&all).p95_ms, second(&one).p95_ms);
        assert_eq!(all.errors[0].failed, 2 * one.errors[0].failed);
        assert_eq!(all.client.connections, 32);
        let examined = |run: &RunRecord| run.check.as_ref().unwrap().conditions[0].examined;
        assert_eq!(examined(&all), 2 * examined(&one));
        assert!(merged(&[]).is_none());
    }

    #[test]
    fn what_only_one_of_them_was_is_told_of_all() {
        let (mut good, mut bad) = (example::record(), example::record());
        good.status = RunStatus::Complete;
        good.check.as_mut().unwrap().good = true;
        let all = merged(&[good.clone(), bad.clone()]).unwrap();
        assert!(!all.check.unwrap().good && all.status != RunStatus::Complete);
        bad.check = None;
        assert_eq!(merged(&[good, bad]).unwrap().check, None, "one was not checked");
    }
}
