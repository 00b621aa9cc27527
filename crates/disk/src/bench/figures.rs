//! What requests came to.

use super::{BenchError, BenchOptions, Target};
use crate::engine::{Direction, Fallback, Reader};
use hdrhistogram::Histogram;
use serde::Serialize;
use std::{path::PathBuf, time::Duration};

/// How long requests took, in microseconds from submission to completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Their mean.
    pub mean_us: f64,
    /// The middle one.
    pub p50_us: f64,
    /// 95 of 100 were not slower.
    pub p95_us: f64,
    /// 99 of 100 were not slower.
    pub p99_us: f64,
    /// 999 of 1000 were not slower.
    pub p999_us: f64,
    /// The slowest.
    pub max_us: f64,
}

/// Reads, or writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Flow {
    /// How many.
    pub requests: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// Requests a second.
    pub requests_per_s: f64,
    /// How long they took.
    pub latency: Latency,
}

/// What was measured of a target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchReport {
    /// The target.
    pub path: PathBuf,
    /// Its size, bytes.
    pub size_bytes: u64,
    /// Reads; none where none were asked for.
    pub read: Option<Flow>,
    /// Writes; their time includes the `fsync` at the end.
    pub write: Option<Flow>,
    /// From the first request to the last completion, seconds.
    pub seconds: f64,
    /// How long the `fsync` behind the writes took, seconds.
    pub fsync_seconds: f64,
    /// How requests were given to the kernel.
    pub reader: Reader,
    /// What it had to do without.
    pub fallbacks: Vec<Fallback>,
}

/// The longest latency that is told apart, nanoseconds.
const HOUR_NS: u64 = 3600 * 1_000_000_000;

/// What jobs measure while they are at it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) read: Option<Counted>,
    pub(crate) write: Option<Counted>,
    /// When the last request had completed, from the beginning.
    pub(crate) seconds: f64,
    /// When all was on the device.
    pub(crate) synced_seconds: f64,
    pub(crate) reader: Option<Reader>,
    pub(crate) fallbacks: Vec<Fallback>,
}

#[derive(Clone, Debug)]
pub(crate) struct Counted {
    requests: u64,
    bytes: u64,
    latency_ns: Histogram<u64>,
}

impl Counted {
    fn new() -> Self {
        // Three digits are exact enough; what takes longer than an hour counts as one.
        let latency_ns = Histogram::new_with_bounds(1, HOUR_NS, 3);
        let latency_ns = latency_ns.expect("the bounds and digits are ones that it knows");
        Self { requests: 0, bytes: 0, latency_ns }
    }

    fn flow(&self, seconds: f64) -> Flow {
        let us = |quantile: f64| self.latency_ns.value_at_quantile(quantile) as f64 / 1000.0;
        let seconds = seconds.max(1e-9);
        Flow {
            requests: self.requests,
            bytes: self.bytes,
            bytes_per_s: self.bytes as f64 / seconds,
            requests_per_s: self.requests as f64 / seconds,
            latency: Latency {
                mean_us: self.latency_ns.mean() / 1000.0,
                p50_us: us(0.5),
                p95_us: us(0.95),
                p99_us: us(0.99),
                p999_us: us(0.999),
                max_us: self.latency_ns.max() as f64 / 1000.0,
            },
        }
    }
}

impl Measured {
    pub(crate) fn count(&mut self, direction: Direction, bytes: u64, took: Duration) {
        let counted = match direction {
            Direction::Read => &mut self.read,
            Direction::Write => &mut self.write,
        };
        let counted = counted.get_or_insert_with(Counted::new);
        counted.requests += 1;
        counted.bytes += bytes;
        counted.latency_ns.saturating_record(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Adds another job's.
    pub(crate) fn add(&mut self, other: Self) {
        join(&mut self.read, other.read);
        join(&mut self.write, other.write);
        self.seconds = self.seconds.max(other.seconds);
        self.synced_seconds = self.synced_seconds.max(other.synced_seconds);
        if self.reader.is_none() || other.reader == Some(Reader::Plain) {
            self.reader = other.reader;
        }
        for fallback in other.fallbacks {
            let same = |known: &&mut Fallback| known.without == fallback.without;
            match self.fallbacks.iter_mut().find(same) {
                Some(known) => known.times += fallback.times,
                None => self.fallbacks.push(fallback),
            }
        }
    }

    pub(crate) fn report(
        self,
        target: &Target,
        options: &BenchOptions,
    ) -> Result<BenchReport, BenchError> {
        if self.read.is_none() && self.write.is_none() {
            return Err(BenchError::Interrupted);
        }
        let written_seconds = self.seconds.max(self.synced_seconds);
        Ok(BenchReport {
            path: target.path.clone(),
            size_bytes: target.bytes,
            read: self.read.map(|counted| counted.flow(self.seconds)),
            write: self.write.map(|counted| counted.flow(written_seconds)),
            seconds: self.seconds,
            fsync_seconds: match options.read_percent {
                100.. => 0.0,
                _ => written_seconds - self.seconds,
            },
            reader: self.reader.unwrap_or(Reader::Plain),
            fallbacks: self.fallbacks,
        })
    }
}

fn join(into: &mut Option<Counted>, other: Option<Counted>) {
    match (into.as_mut(), other) {
        (_, None) => {}
        (None, other) => *into = other,
        (Some(into), Some(other)) => {
            into.requests += other.requests;
            into.bytes += other.bytes;
            // Both have the same bounds, which is the only thing that can fail.
            let _added = into.latency_ns.add(&other.latency_ns);
        }
    }
}
