//! The runs of several servers that were loaded side by side, as one run of the same workload.

use super::together;
use crate::record::{
    Condition, ErrorCount, Figure, Interval, IntervalTransactions, RunRecord, RunStatus,
    TransactionRecord, Watch,
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
        all.server.endpoints.extend(other.server.endpoints.iter().cloned());
        for warning in &other.warnings {
            if !all.warnings.contains(warning) {
                all.warnings.push(warning.clone());
            }
        }
    }
    all.client = together::client(first, others);
    all.server_cpus = together::server_cpus(runs);
    all.status = status(runs);
    let headlines: Vec<&[Figure]> = others.iter().map(|run| run.headline.as_slice()).collect();
    all.headline = together::rates(&first.headline, &headlines);
    all.intervals = together::seconds(runs, types);
    all.check = check(runs);
    all.watch = first.watch.as_ref().map(Watch::of_machine);
    all.arrivals = None;
    Some(all)
}

fn status(runs: &[RunRecord]) -> RunStatus {
    let partial = |run: &RunRecord| matches!(run.status, RunStatus::Partial { .. });
    runs.iter().find(|run| partial(run)).map_or(RunStatus::Complete, |run| run.status.clone())
}

fn add_transactions(all: &mut [TransactionRecord], more: &[TransactionRecord]) {
    for one in all {
        let Some(other) = more.iter().find(|other| other.name == one.name) else { continue };
        one.measured = one.measured.plus(other.measured);
        one.total = one.total.plus(other.total);
        for (histogram, other) in [
            (&mut one.service, &other.service),
            (&mut one.queue, &other.queue),
            (&mut one.response, &other.response),
        ] {
            histogram.join(other);
        }
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

/// Each type of all runs in one second, with the latencies of the run that was worst.
fn types(of_runs: &[&Interval]) -> Vec<IntervalTransactions> {
    let Some((first, others)) = of_runs.split_first() else { return Vec::new() };
    let mut types = first.transactions.clone();
    for other in others {
        for (one, other) in types.iter_mut().zip(&other.transactions) {
            *one = IntervalTransactions {
                p50_ms: one.p50_ms.max(other.p50_ms),
                p95_ms: one.p95_ms.max(other.p95_ms),
                p99_ms: one.p99_ms.max(other.p99_ms),
                max_ms: one.max_ms.max(other.max_ms),
                ..together::counts(*one, other)
            };
        }
    }
    types
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
