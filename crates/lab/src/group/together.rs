//! What runs that were loaded side by side come to together, whichever way their transaction types
//! are put beside each other.

use crate::record::{ClientFacts, Figure, Interval, IntervalTransactions, RunRecord};

/// The rates among the figures of merit, each the sum of all that bear its name, with intervals as
/// wide as all of theirs together, since runs that share a machine are not independent. Latencies
/// and other figures have no sum; neither has a rate that one of them lacks.
pub(super) fn rates(first: &[Figure], others: &[&[Figure]]) -> Vec<Figure> {
    let rates = first.iter().filter(|figure| figure.unit.starts_with("1/"));
    rates.filter_map(|figure| rate(figure, others)).collect()
}

fn rate(figure: &Figure, others: &[&[Figure]]) -> Option<Figure> {
    let same = |other: &&Figure| other.name == figure.name && other.unit == figure.unit;
    let mut sum = figure.clone();
    for other in others {
        let other = other.iter().find(same)?;
        sum.value += other.value;
        sum.ci95 = sum.ci95.zip(other.ci95).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
    }
    Some(sum)
}

/// The load generator of all: connections, threads and processor time added up, the busiest of
/// all threads.
pub(super) fn client(first: &RunRecord, others: &[RunRecord]) -> ClientFacts {
    let mut all = first.client.clone();
    for ClientFacts { connections, threads, cpu_s, busiest_thread, .. } in
        others.iter().map(|run| &run.client)
    {
        all.connections = all.connections.saturating_add(*connections);
        all.threads = all.threads.saturating_add(*threads);
        all.cpu_s += cpu_s;
        all.busiest_thread = all.busiest_thread.max(*busiest_thread);
    }
    all
}

/// Processors that all servers kept busy; none where one of them is not known.
pub(super) fn server_cpus(runs: &[RunRecord]) -> Option<f64> {
    runs.iter().map(|run| run.server_cpus).sum()
}

/// The seconds that all runs have, each with what `types` makes of it.
pub(super) fn seconds(
    runs: &[RunRecord],
    types: impl Fn(&[&Interval]) -> Vec<IntervalTransactions>,
) -> Vec<Interval> {
    let number = runs.iter().map(|run| run.intervals.len()).min().unwrap_or(0);
    let second = |place: usize| {
        let of_runs: Vec<&Interval> = runs.iter().map(|run| &run.intervals[place]).collect();
        let cpu: f64 = of_runs.iter().map(|interval| interval.client_cpu).sum();
        Interval {
            at_s: of_runs[0].at_s,
            length_s: of_runs[0].length_s,
            transactions: types(&of_runs),
            connected: of_runs.iter().map(|it| it.connected).fold(0, u32::saturating_add),
            client_cpu: cpu / of_runs.len() as f64,
        }
    };
    (0..number).map(second).collect()
}

/// The counts of both, and the latencies of the first.
pub(super) fn counts(
    one: IntervalTransactions,
    more: &IntervalTransactions,
) -> IntervalTransactions {
    IntervalTransactions {
        committed: one.committed.saturating_add(more.committed),
        rolled_back: one.rolled_back.saturating_add(more.rolled_back),
        failed: one.failed.saturating_add(more.failed),
        retries: one.retries.saturating_add(more.retries),
        ..one
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example;

    fn figure(name: &str, unit: &str, value: f64, ci95: Option<(f64, f64)>) -> Figure {
        Figure { name: name.to_owned(), value, unit: unit.to_owned(), ci95 }
    }

    #[test]
    fn rates_are_added_up_and_latencies_are_not() {
        let one =
            [figure("TPS", "1/s", 100.0, Some((90.0, 110.0))), figure("p99", "ms", 5.0, None)];
        let mut other = [figure("TPS", "1/s", 50.0, Some((45.0, 55.0)))];
        assert_eq!(rates(&one, &[&other]), [figure("TPS", "1/s", 150.0, Some((135.0, 165.0)))]);
        other[0].ci95 = None;
        assert_eq!(rates(&one, &[&other]), [figure("TPS", "1/s", 150.0, None)]);
        assert_eq!(rates(&one, &[&other, &[]]), [], "one of them has none");
        let per_minute = [figure("TPS", "1/min", 50.0, None)];
        assert_eq!(rates(&one, &[&per_minute]), [], "another unit is another rate");
    }

    #[test]
    fn the_seconds_are_those_that_all_have_and_the_busiest_thread_is_of_all() {
        let one = example::record();
        let mut shorter = one.clone();
        shorter.intervals.truncate(1);
        shorter.client.busiest_thread = 0.99;
        let all = seconds(&[one.clone(), shorter.clone()], |of_runs| {
            of_runs.iter().map(|it| it.transactions[0]).collect()
        });
        assert_eq!((all.len(), all[0].transactions.len()), (1, 2));
        assert_eq!(all[0].connected, 2 * one.intervals[0].connected);
        assert_eq!(all[0].client_cpu, one.intervals[0].client_cpu);
        let client = client(&one, &[shorter]);
        assert_eq!((client.connections, client.busiest_thread), (32, 0.99));
    }

    #[test]
    fn processors_of_servers_are_known_where_all_are() {
        let (mut one, mut other) = (example::record(), example::record());
        (one.server_cpus, other.server_cpus) = (Some(1.5), Some(0.25));
        assert_eq!(server_cpus(&[one.clone(), other.clone()]), Some(1.75));
        other.server_cpus = None;
        assert_eq!(server_cpus(&[one, other]), None);
    }
}
