//! Members added up.

use super::{GroupMember, GroupRecord};
use crate::{
    histogram::LatencyHistogram,
    record::{
        Figure, Interval, IntervalTransactions, Outcomes, RunRecord, TransactionRecord, Watch,
    },
};

/// The rates that every member has, added up. Latencies and other figures have no sum.
pub fn sums(members: &[GroupMember]) -> Vec<Figure> {
    let Some((first, others)) = members.split_first() else { return Vec::new() };
    let rates = first.run.headline.iter().filter(|figure| figure.unit.starts_with("1/"));
    let sum = |figure: &Figure| {
        let same = |other: &&Figure| other.name == figure.name && other.unit == figure.unit;
        let mut sum = figure.clone();
        for other in others {
            let other = other.run.headline.iter().find(same)?;
            sum.value += other.value;
            sum.ci95 = sum.ci95.zip(other.ci95).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
        }
        Some(sum)
    };
    rates.filter_map(sum).collect()
}

/// All runs as one, in which each member takes the place of a transaction type: what happened to
/// its transactions together. A second's percentiles cannot be added up; they are those of the
/// member's first type. None without runs.
pub fn combined(group: &GroupRecord, runs: &[RunRecord]) -> Option<RunRecord> {
    let first = runs.first()?;
    let named = group.members.iter().zip(runs);
    let mut all = first.clone();
    all.id.clone_from(&group.id);
    all.label.clone_from(&group.label);
    all.status = group.status.clone();
    all.headline.clone_from(&group.headline);
    all.warnings.clone_from(&group.warnings);
    all.transactions = named.map(|(member, run)| transaction(&member.name, run)).collect();
    all.errors.clear();
    all.outages = runs.iter().flat_map(|run| run.outages.clone()).collect();
    all.arrivals = None;
    all.check = None;
    // The members may share a machine; what was watched of their servers is in their own runs.
    let shared = first.watch.as_ref().filter(|_| first.host.shared_with_server);
    all.watch = shared.map(Watch::of_machine);
    all.server_cpus = runs.iter().map(|run| run.server_cpus).sum();
    all.client.connections = runs.iter().map(|run| run.client.connections).sum();
    all.client.threads = runs.iter().map(|run| run.client.threads).sum();
    all.client.cpu_s = runs.iter().map(|run| run.client.cpu_s).sum();
    let seconds = runs.iter().map(|run| run.intervals.len()).min().unwrap_or(0);
    all.intervals = (0..seconds).map(|second| interval(second, runs)).collect();
    Some(all)
}

fn transaction(name: &str, run: &RunRecord) -> TransactionRecord {
    let sum = |of: fn(&TransactionRecord) -> &Outcomes| {
        run.transactions.iter().map(of).fold(Outcomes::default(), add)
    };
    let together = |of: fn(&TransactionRecord) -> &LatencyHistogram| {
        let mut all = LatencyHistogram::empty();
        for kind in &run.transactions {
            // Only a histogram with other bounds could not be added, and none is ever made.
            let _added = all.0.add(&of(kind).0);
        }
        all
    };
    TransactionRecord {
        name: name.to_owned(),
        measured: sum(|kind| &kind.measured),
        total: sum(|kind| &kind.total),
        service: together(|kind| &kind.service),
        queue: together(|kind| &kind.queue),
        response: together(|kind| &kind.response),
    }
}

fn add(sum: Outcomes, more: &Outcomes) -> Outcomes {
    Outcomes {
        committed: sum.committed.saturating_add(more.committed),
        rolled_back: sum.rolled_back.saturating_add(more.rolled_back),
        failed: sum.failed.saturating_add(more.failed),
        retried: sum.retried.saturating_add(more.retried),
        in_doubt: sum.in_doubt.saturating_add(more.in_doubt),
    }
}

fn interval(second: usize, runs: &[RunRecord]) -> Interval {
    let of_runs = || runs.iter().map(|run| &run.intervals[second]);
    let first = &runs[0].intervals[second];
    Interval {
        at_s: first.at_s,
        length_s: first.length_s,
        transactions: of_runs().map(|interval| together(&interval.transactions)).collect(),
        connected: of_runs().map(|interval| interval.connected).sum(),
        client_cpu: of_runs().map(|interval| interval.client_cpu).sum::<f64>() / runs.len() as f64,
    }
}

fn together(types: &[IntervalTransactions]) -> IntervalTransactions {
    let sum = |of: fn(&IntervalTransactions) -> u64| types.iter().map(of).sum();
    let first = types.first().copied().unwrap_or_default();
    IntervalTransactions {
        committed: sum(|kind| kind.committed),
        rolled_back: sum(|kind| kind.rolled_back),
        failed: sum(|kind| kind.failed),
        retries: sum(|kind| kind.retries),
        ..first
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::group::example;

    #[test]
    fn rates_are_added_up_and_latencies_are_not() {
        let mut members = example::group().members;
        let figure = |name: &str, unit: &str, value, ci95| Figure {
            name: name.to_owned(),
            value,
            unit: unit.to_owned(),
            ci95,
        };
        members[0].run.headline =
            vec![figure("TPS", "1/s", 100.0, Some((90.0, 110.0))), figure("p99", "ms", 5.0, None)];
        members[1].run.headline = vec![figure("TPS", "1/s", 50.0, Some((45.0, 55.0)))];
        assert_eq!(sums(&members), [figure("TPS", "1/s", 150.0, Some((135.0, 165.0)))]);
        members[1].run.headline[0].ci95 = None;
        assert_eq!(sums(&members), [figure("TPS", "1/s", 150.0, None)]);
        members[1].run.headline.clear();
        assert_eq!(sums(&members), []);
    }

    #[test]
    fn members_take_the_place_of_transaction_types() {
        let (group, runs) = (example::group(), example::runs());
        let all = combined(&group, &runs).unwrap();
        let names: Vec<_> = all.transactions.iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let committed: u64 = runs[0].transactions.iter().map(|kind| kind.measured.committed).sum();
        assert_eq!(all.transactions[0].measured.committed, committed);
        assert_eq!(all.intervals.len(), runs[0].intervals.len());
        let second = &all.intervals[1].transactions[1];
        let types = &runs[1].intervals[1].transactions;
        assert_eq!(second.committed, types.iter().map(|kind| kind.committed).sum::<u64>());
        assert_eq!(second.p95_ms, types[0].p95_ms);
        assert_eq!(all.client.connections, 32);
        assert!(combined(&group, &[]).is_none());
    }
}
