//! Queries, counted while they are run.

use super::statement::Form;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Queries that the server has carried out. Those that it refused are not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queries {
    /// SELECT.
    pub read: u64,
    /// UPDATE, DELETE and INSERT.
    pub write: u64,
    /// BEGIN, COMMIT and ROLLBACK.
    pub other: u64,
    /// Of `write`: those that found no row to change. sysbench counts them as `other`.
    pub idle_writes: u64,
}

impl Queries {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.read + self.write + self.other
    }

    /// The queries since an earlier look at the same run.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            read: self.read.saturating_sub(earlier.read),
            write: self.write.saturating_sub(earlier.write),
            other: self.other.saturating_sub(earlier.other),
            idle_writes: self.idle_writes.saturating_sub(earlier.idle_writes),
        }
    }
}

/// Counters that sessions of different threads add to without getting in each other's way.
#[derive(Debug)]
pub(super) struct Counters {
    shards: Vec<Shard>,
}

/// More than threads that carry a load, so that each has its own cache line.
const SHARDS: u32 = 64;

/// The counters of a few sessions, on a cache line of their own.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Shard {
    read: AtomicU64,
    write: AtomicU64,
    other: AtomicU64,
    idle_writes: AtomicU64,
}

impl Counters {
    pub(super) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Shard::default()).collect() }
    }

    /// Where `worker` counts.
    pub(super) fn shard(&self, worker: u32) -> &Shard {
        &self.shards[(worker % SHARDS) as usize]
    }

    /// The sums at this moment.
    pub(super) fn queries(&self) -> Queries {
        let sum = |of: fn(&Shard) -> &AtomicU64| {
            self.shards.iter().map(|shard| of(shard).load(Relaxed)).sum()
        };
        Queries {
            read: sum(|shard| &shard.read),
            write: sum(|shard| &shard.write),
            other: sum(|shard| &shard.other),
            idle_writes: sum(|shard| &shard.idle_writes),
        }
    }
}

impl Shard {
    /// A statement that was carried out and changed `affected_rows`.
    pub(super) fn count(&self, form: Form, affected_rows: u64) {
        if form.reads() {
            self.read.fetch_add(1, Relaxed);
            return;
        }
        self.write.fetch_add(1, Relaxed);
        if affected_rows == 0 {
            self.idle_writes.fetch_add(1, Relaxed);
        }
    }

    /// A BEGIN, COMMIT or ROLLBACK that was carried out.
    pub(super) fn count_other(&self) {
        self.other.fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_all_threads_are_added_up() {
        let counters = Counters::new();
        for worker in 0..100 {
            counters.shard(worker).count(Form::PointSelect, 0);
            counters.shard(worker).count(Form::Insert, 1);
            counters.shard(worker).count(Form::Delete, 0);
            counters.shard(worker).count_other();
        }
        let queries = counters.queries();
        let expected = Queries { read: 100, write: 200, other: 100, idle_writes: 100 };
        assert_eq!((queries, queries.total()), (expected, 400));
        assert_eq!(queries.since(&queries), Queries::default());
    }
}
