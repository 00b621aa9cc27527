//! What is counted while a load is on, for figures that sysbench prints and the engine does not
//! keep: any percentile of any stretch of time, and the events of each connection.

use super::histogram::{self, STEPS};
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

/// Histograms that are written side by side, so that threads do not wait for each other.
const SHARDS: usize = 16;

/// Counters of a load, shared by its sessions and whoever prints.
pub(super) struct Tally {
    histograms: Vec<Vec<AtomicU64>>,
    connections: Vec<Line>,
    errors: AtomicU64,
    reconnects: AtomicU64,
    in_flight: AtomicU64,
    /// When the event that ended last was due, nanoseconds from the start.
    due_ns: AtomicU64,
    /// Whether the two above are kept: they are about all connections, and threads would get in
    /// each other's way for nothing without `--rate`.
    rated: bool,
    /// Events that end before this are not counted, nanoseconds from the start.
    warmup_ns: u64,
    began: Mutex<Option<Instant>>,
    fatal: Mutex<Option<String>>,
}

/// The events of a connection, on a cache line of their own.
#[repr(align(64))]
struct Line {
    events: AtomicU64,
    sum_ns: AtomicU64,
    least_ns: AtomicU64,
    most_ns: AtomicU64,
}

/// The counts at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    /// By step of latency.
    pub(super) histogram: Vec<u64>,
    /// Events and the sum of their latencies, nanoseconds, by connection.
    pub(super) connections: Vec<(u64, u64)>,
    pub(super) errors: u64,
    pub(super) reconnects: u64,
}

impl Tally {
    /// For so many connections; `rated` where events are due at times of their own.
    pub(super) fn new(connections: u32, warmup_ns: u64, rated: bool) -> Self {
        let histogram = || (0..STEPS).map(|_| AtomicU64::new(0)).collect();
        Self {
            histograms: (0..SHARDS).map(|_| histogram()).collect(),
            connections: (0..connections).map(|_| Line::new()).collect(),
            errors: AtomicU64::new(0),
            reconnects: AtomicU64::new(0),
            in_flight: AtomicU64::new(0),
            due_ns: AtomicU64::new(0),
            rated,
            warmup_ns,
            began: Mutex::new(None),
            fatal: Mutex::new(None),
        }
    }

    /// The load began at `moment`.
    pub(super) fn begin(&self, moment: Instant) {
        *self.began.lock().unwrap_or_else(PoisonError::into_inner) = Some(moment);
    }

    /// When the load began; now where it has not.
    pub(super) fn began(&self) -> Instant {
        self.began.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(Instant::now)
    }

    /// An event starts.
    pub(super) fn started(&self) {
        if self.rated {
            self.in_flight.fetch_add(1, Relaxed);
        }
    }

    /// An event of `connection` is over; `completed` when it was not given up.
    pub(super) fn ended(&self, connection: u32, due_ns: u64, ended_ns: u64, completed: bool) {
        if self.rated {
            self.in_flight.fetch_sub(1, Relaxed);
            self.due_ns.fetch_max(due_ns, Relaxed);
        }
        let Some(line) = self.connections.get(connection as usize) else { return };
        if !completed || ended_ns <= self.warmup_ns {
            return;
        }
        let latency_ns = ended_ns.saturating_sub(due_ns);
        line.events.fetch_add(1, Relaxed);
        line.sum_ns.fetch_add(latency_ns, Relaxed);
        line.least_ns.fetch_min(latency_ns, Relaxed);
        line.most_ns.fetch_max(latency_ns, Relaxed);
        let shard = &self.histograms[connection as usize % SHARDS];
        shard[histogram::step(latency_ns)].fetch_add(1, Relaxed);
    }

    /// An attempt failed and will be made again.
    pub(super) fn ignored_error(&self) {
        self.errors.fetch_add(1, Relaxed);
    }

    /// A lost connection is open again.
    pub(super) fn reconnected(&self) {
        self.reconnects.fetch_add(1, Relaxed);
    }

    /// An error ends the load; the first one is kept.
    pub(super) fn fail(&self, words: String) {
        self.fatal.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(words);
    }

    /// The error that ended the load.
    pub(super) fn fatal(&self) -> Option<String> {
        self.fatal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Events under way, where they are due at times of their own.
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    /// About how many events are due and not started, at `now_ns` from the start: none while a
    /// connection is free, otherwise those that came in since the one that is served.
    pub(super) fn queued(&self, rate_per_s: u32, now_ns: u64) -> u64 {
        let in_flight = self.in_flight();
        if in_flight < self.connections.len() as u64 {
            return 0;
        }
        let behind_s = now_ns.saturating_sub(self.due_ns.load(Relaxed)) as f64 / 1e9;
        ((behind_s * f64::from(rate_per_s)) as u64).saturating_sub(in_flight)
    }

    /// The counts so far.
    pub(super) fn counts(&self) -> Counts {
        let sum = |step: usize| self.histograms.iter().map(|shard| shard[step].load(Relaxed)).sum();
        let events = |line: &Line| (line.events.load(Relaxed), line.sum_ns.load(Relaxed));
        Counts {
            histogram: (0..STEPS).map(sum).collect(),
            connections: self.connections.iter().map(events).collect(),
            errors: self.errors.load(Relaxed),
            reconnects: self.reconnects.load(Relaxed),
        }
    }

    /// The shortest and the longest latency since the last call, nanoseconds; none without events.
    pub(super) fn take_extremes(&self) -> Option<(u64, u64)> {
        let take =
            |line: &Line| (line.least_ns.swap(u64::MAX, Relaxed), line.most_ns.swap(0, Relaxed));
        let extremes = self.connections.iter().map(take);
        let (least, most) =
            extremes.fold((u64::MAX, 0), |(least, most), (a, b)| (least.min(a), most.max(b)));
        (least <= most).then_some((least, most))
    }
}

impl Line {
    fn new() -> Self {
        Self {
            events: AtomicU64::new(0),
            sum_ns: AtomicU64::new(0),
            least_ns: AtomicU64::new(u64::MAX),
            most_ns: AtomicU64::new(0),
        }
    }
}

impl Counts {
    /// The counts since an earlier moment of the same load.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let less = |(now, then): (&u64, &u64)| now.saturating_sub(*then);
        let histogram = self.histogram.iter().zip(&earlier.histogram).map(less).collect();
        let pairs = self.connections.iter().zip(&earlier.connections);
        let connections = pairs
            .map(|((events, sum), (events_then, sum_then))| {
                (events.saturating_sub(*events_then), sum.saturating_sub(*sum_then))
            })
            .collect();
        Self {
            histogram,
            connections,
            errors: self.errors.saturating_sub(earlier.errors),
            reconnects: self.reconnects.saturating_sub(earlier.reconnects),
        }
    }

    /// Events of all connections.
    pub(super) fn events(&self) -> u64 {
        self.connections.iter().map(|(events, _)| events).sum()
    }

    /// The sum of all latencies, seconds.
    pub(super) fn sum_s(&self) -> f64 {
        self.connections.iter().map(|(_, sum_ns)| *sum_ns as f64 / 1e9).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn event(tally: &Tally, connection: u32, due_ms: u64, ended_ms: u64) {
        tally.started();
        tally.ended(connection, due_ms * MS, ended_ms * MS, true);
    }

    #[test]
    fn events_are_counted_by_connection_from_the_warm_ups_end() {
        let tally = Tally::new(2, 1000 * MS, true);
        event(&tally, 0, 990, 999);
        event(&tally, 0, 995, 1005);
        event(&tally, 1, 1000, 1004);
        tally.started();
        tally.ended(1, 1004 * MS, 1005 * MS, false);
        let counts = tally.counts();
        assert_eq!(counts.connections, [(1, 10 * MS), (1, 4 * MS)]);
        assert_eq!((counts.events(), counts.histogram.iter().sum()), (2, 2_u64));
        assert_eq!(tally.in_flight(), 0);
    }

    #[test]
    fn a_stretch_of_time_has_counts_and_extremes_of_its_own() {
        let tally = Tally::new(1, 0, true);
        event(&tally, 0, 0, 5);
        let first = tally.counts();
        assert_eq!(tally.take_extremes(), Some((5 * MS, 5 * MS)));
        assert_eq!(tally.take_extremes(), None);
        event(&tally, 0, 10, 12);
        tally.ignored_error();
        let second = tally.counts().since(&first);
        assert_eq!((second.connections[0], second.errors), ((1, 2 * MS), 1));
        assert_eq!(second.histogram.iter().sum::<u64>(), 1);
        assert_eq!(tally.take_extremes(), Some((2 * MS, 2 * MS)));
    }

    #[test]
    fn a_queue_needs_busy_connections() {
        let tally = Tally::new(1, 0, true);
        assert_eq!(tally.queued(1000, 500 * MS), 0);
        event(&tally, 0, 100, 450);
        tally.started();
        // Served: what was due at 100 ms. Since then 400 came in, one of which is being served.
        assert_eq!(tally.queued(1000, 500 * MS), 399);
    }

    #[test]
    fn the_first_fatal_error_is_kept() {
        let tally = Tally::new(1, 0, true);
        tally.fail("first".into());
        tally.fail("second".into());
        assert_eq!(tally.fatal().as_deref(), Some("first"));
    }
}
