//! Seconds joined, so that twelve hours fit into a drawing.

use lab::record::{Interval, IntervalTransactions, RunRecord};

/// One or more neighbouring seconds.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    /// Start, seconds from the start of the ramp-up.
    pub(super) from_s: f64,
    /// End.
    pub(super) until_s: f64,
    /// By transaction type, in the workload's order.
    pub(super) types: Vec<BucketType>,
    /// The least and the most that all types together committed in one of its seconds, 1/s.
    pub(super) extremes_per_s: (f64, f64),
    /// Failed transactions of all types.
    pub(super) failed: u64,
}

/// A type's share in a bucket.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BucketType {
    /// Committed a second.
    pub(super) rate_per_s: f64,
    /// Percentiles 50, 95 and 99 of the response time in the worst of the seconds, milliseconds; a
    /// percentile of a longer time cannot be made from those of its seconds.
    pub(super) worst_ms: [f64; 3],
}

impl Bucket {
    /// The middle, seconds.
    pub(super) fn middle_s(&self) -> f64 {
        (self.from_s + self.until_s) / 2.0
    }

    /// Committed a second, all types.
    pub(super) fn total_per_s(&self) -> f64 {
        self.types.iter().map(|t| t.rate_per_s).sum()
    }
}

/// The run's seconds in at most `limit` buckets of the same number of seconds.
pub(super) fn buckets(record: &RunRecord, limit: usize) -> Vec<Bucket> {
    let sound = |i: &&Interval| i.at_s.is_finite() && i.length_s.is_finite() && i.length_s > 0.0;
    let intervals: Vec<&Interval> = record.intervals.iter().filter(sound).collect();
    let seconds = intervals.len().div_ceil(limit.max(1)).max(1);
    intervals.chunks(seconds).map(|chunk| bucket(chunk, record.transactions.len())).collect()
}

fn bucket(seconds: &[&Interval], types: usize) -> Bucket {
    let length_s: f64 = seconds.iter().map(|second| second.length_s).sum();
    let first = seconds.first().map_or(0.0, |first| first.at_s - first.length_s);
    let per_s = |second: &&Interval| {
        let committed = second.transactions.iter().map(|t| t.committed as f64);
        committed.sum::<f64>() / second.length_s
    };
    // The last second of a run is often a sliver, whose rate says nothing.
    let whole = seconds.iter().filter(|second| second.length_s >= 0.5 || seconds.len() == 1);
    let extremes = whole
        .map(per_s)
        .fold((f64::INFINITY, 0.0_f64), |(least, most), rate| (least.min(rate), most.max(rate)));
    Bucket {
        from_s: first,
        until_s: seconds.last().map_or(first, |last| last.at_s),
        types: (0..types).map(|index| bucket_type(seconds, index, length_s)).collect(),
        extremes_per_s: extremes,
        failed: seconds
            .iter()
            .flat_map(|second| &second.transactions)
            .fold(0, |sum, t| sum.saturating_add(t.failed)),
    }
}

fn bucket_type(seconds: &[&Interval], index: usize, length_s: f64) -> BucketType {
    let of_type = || seconds.iter().filter_map(move |second| second.transactions.get(index));
    let worst = |of: fn(&IntervalTransactions) -> f64| of_type().map(of).fold(0.0, f64::max);
    BucketType {
        rate_per_s: of_type().map(|t| t.committed as f64).sum::<f64>() / length_s,
        worst_ms: [worst(|t| t.p50_ms), worst(|t| t.p95_ms), worst(|t| t.p99_ms)],
    }
}
