//! How fast a device is at most: reads and writes by the engine's own ports.
//!
//! - `target`: what is read and written: a file made for it, a file that is there, a device.
//! - `job`: a thread that keeps so many requests in flight.
//! - `figures`: what they came to.

mod figures;
mod job;
mod noise;
mod target;

pub use figures::{BenchReport, Flow, Latency};
pub use target::{Scratch, Target};

use crate::scan::Transport;
use figures::Measured;
use job::Job;
use serde::Serialize;
use std::{
    io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Barrier,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// In which order blocks are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// One after the other; each job in a part of its own, again from its beginning at its end.
    Sequential,
    /// Any block of all, uniformly.
    Random,
}

/// What is to be measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchOptions {
    /// Threads a target.
    pub jobs: NonZeroUsize,
    /// Requests in flight a thread.
    pub depth: NonZeroUsize,
    /// Bytes a request; a multiple of 4 KiB.
    pub block_bytes: usize,
    /// Past the page cache.
    pub direct: bool,
    /// The order.
    pub order: Order,
    /// How many of a hundred requests read; the others write.
    pub read_percent: u8,
    /// When to end.
    pub duration: Duration,
    /// When to end, where that comes first: bytes read and written a target.
    pub bytes: Option<u64>,
    /// How requests are given to the kernel.
    #[serde(skip)]
    pub transport: Transport,
    /// Decides random places.
    pub seed: u64,
}

/// How far a measurement is; shared by who measures and who watches.
#[derive(Debug, Default)]
pub struct Benching {
    /// What is to be read or written, bytes; 0 where time decides.
    pub total_bytes: AtomicU64,
    /// What has been.
    pub done_bytes: AtomicU64,
    /// Set from outside to end it.
    pub stop: AtomicBool,
}

impl Benching {
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A block size that direct I/O cannot do.
    #[error("{0} is no size of a block: give a multiple of 4K, at most 1G")]
    BlockBytes(usize),
    /// Less to read than the requests in flight.
    #[error("{path} has {bytes} bytes: too little for {jobs} jobs with blocks of {block_bytes}")]
    TooSmall {
        /// The target.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The jobs.
        jobs: usize,
        /// Their blocks.
        block_bytes: usize,
    },
    /// The file system is too full for a file to measure with.
    #[error(
        "{path} has room for {available_bytes} bytes, and a file of {bytes} would leave it fuller \
         than 95%; give a smaller --size or another directory"
    )]
    NoRoom {
        /// The directory.
        path: PathBuf,
        /// What was to be written.
        bytes: u64,
        /// What can be.
        available_bytes: u64,
    },
    /// The kernel resists.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// A verb.
        action: &'static str,
        /// The target.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody wanted it to end.
    #[error("interrupted; the files made for it are deleted")]
    Interrupted,
}

impl BenchError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }
}

/// Measures all targets at once, each with [`BenchOptions::jobs`] threads. Reports are in their
/// order. Writes end with `fsync`, which counts into their time.
///
/// # Errors
/// [`BenchError`]: nothing can be measured, or a request failed: a limit of a device that fails
/// is none.
pub fn bench(
    targets: &[Target],
    options: &BenchOptions,
    benching: &Benching,
) -> Result<Vec<BenchReport>, BenchError> {
    check(targets, options)?;
    let threads = targets.len() * options.jobs.get();
    let (barrier, begun) = (Barrier::new(threads), std::sync::OnceLock::new());
    let left: Vec<AtomicU64> =
        targets.iter().map(|_| AtomicU64::new(options.bytes.unwrap_or(u64::MAX))).collect();
    benching.total_bytes.store(
        options.bytes.map_or(0, |bytes| bytes.saturating_mul(targets.len() as u64)),
        Ordering::Relaxed,
    );
    benching.done_bytes.store(0, Ordering::Relaxed);
    thread::scope(|scope| {
        let mut started = Vec::new();
        for (target, left) in targets.iter().zip(&left) {
            let jobs: Vec<_> = (0..options.jobs.get())
                .map(|number| {
                    let job = Job { target, options, number, benching, left };
                    let (barrier, begun) = (&barrier, &begun);
                    scope.spawn(move || {
                        let ready = job.prepare();
                        barrier.wait();
                        let begun = *begun.get_or_init(Instant::now);
                        job.run(ready?, begun).inspect_err(|_| {
                            benching.stop.store(true, Ordering::Relaxed);
                        })
                    })
                })
                .collect();
            started.push((target, jobs));
        }
        let mut reports = Vec::new();
        for (target, jobs) in started {
            let mut measured = Measured::default();
            for job in jobs {
                let of_job = job.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                measured.add(of_job?);
            }
            reports.push(measured.report(target, options)?);
        }
        Ok(reports)
    })
}

fn check(targets: &[Target], options: &BenchOptions) -> Result<(), BenchError> {
    let BenchOptions { block_bytes, jobs, .. } = *options;
    if block_bytes == 0 || block_bytes % 4096 != 0 || block_bytes > 1 << 30 {
        return Err(BenchError::BlockBytes(block_bytes));
    }
    match targets.iter().find(|target| target.bytes / (jobs.get() as u64) < block_bytes as u64) {
        Some(target) => Err(BenchError::TooSmall {
            path: target.path.clone(),
            bytes: target.bytes,
            jobs: jobs.get(),
            block_bytes,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
