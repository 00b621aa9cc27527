//! Members added up.

use super::{GroupMember, GroupRecord, together};
use crate::{
    histogram::LatencyHistogram,
    record::{Figure, IntervalTransactions, RunRecord, TransactionRecord, Watch},
};

/// The rates that every member has, added up. Latencies and other figures have no sum.
pub fn sums(members: &[GroupMember]) -> Vec<Figure> {
    let Some((first, others)) = members.split_first() else { return Vec::new() };
    let others: Vec<&[Figure]> = others.iter().map(|it| it.run.headline.as_slice()).collect();
    together::rates(&first.run.headline, &others)
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
    all.server_cpus = together::server_cpus(runs);
    all.client = together::client(first, &runs[1..]);
    all.intervals = together::seconds(runs, |of_runs| {
        of_runs.iter().map(|interval| as_one(&interval.transactions)).collect()
    });
    Some(all)
}

fn transaction(name: &str, run: &RunRecord) -> TransactionRecord {
    let types = || run.transactions.iter();
    TransactionRecord {
        name: name.to_owned(),
        measured: types().map(|kind| &kind.measured).sum(),
        total: types().map(|kind| &kind.total).sum(),
        service: LatencyHistogram::of_all(types().map(|kind| &kind.service)),
        queue: LatencyHistogram::of_all(types().map(|kind| &kind.queue)),
        response: LatencyHistogram::of_all(types().map(|kind| &kind.response)),
    }
}

/// What ended of all types, with the latencies of the first.
fn as_one(types: &[IntervalTransactions]) -> IntervalTransactions {
    types.iter().copied().reduce(|all, kind| together::counts(all, &kind)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::group::example;

    #[test]
    fn the_rates_of_all_members_are_added_up() {
        let mut members = example::group().members;
        let of = |members: &[GroupMember]| sums(members).first().map(|figure| figure.value);
        let one = members[0].run.headline[0].value;
        assert_eq!(of(&members), Some(2.0 * one));
        assert_eq!(of(&members[..1]), Some(one), "a group of one");
        members[1].run.headline.clear();
        assert_eq!((of(&members), sums(&[])), (None, Vec::new()));
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
