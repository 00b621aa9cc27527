//! The engine: files read by threads that have a ring each.
//!
//! - `board`: what is to be read next; work is cut across files and inside them.
//! - `worker`: a thread: takes work, has reads in flight, hands out what came.
//! - `source`: a file that is open, past the page cache and through it.
//! - `cache`: what of it is in the page cache. `window`: that, without copying it.
//! - `port`: how reads are given to the kernel: `ring` (io_uring) or one at a time.
//! - `buffers`: the memory that is read into. `pace`: the limit of speed.
//! - `report`: what a scan says of itself.

mod board;
mod buffers;
mod cache;
mod pace;
mod piece;
mod port;
mod report;
mod ring;
mod share;
mod source;
mod window;
mod worker;

#[cfg(test)]
mod tests;

pub(crate) use buffers::Buffers;
pub(crate) use port::{Direction, Port, Request};
pub use report::{Fallback, Reader, ScanError, ScanReport};

use crate::scan::{Input, Scan, ScanOptions, Transport};
use board::Board;
use pace::Pace;
use piece::{Medium, Sound};
use std::{
    io,
    panic::resume_unwind,
    sync::Mutex,
    thread::{self, ScopedJoinHandle},
    time::Instant,
};
use worker::{Crew, Worker};

/// Reads all inputs, and hands what is in them to `scan`, on [`ScanOptions::jobs`] threads.
///
/// Memory is what [`ScanReport::buffers_bytes`] says: `jobs × (depth × block_bytes + 256 KiB)`,
/// whatever the size of the files; of these, as many are open as there are reads in flight.
///
/// # Errors
/// [`ScanError`]: what stands in the way of any reading at all. What is wrong with single files is
/// told to `scan`.
///
/// # Panics
/// When `scan` panics, after all threads have ended.
pub fn scan<S: Scan>(
    inputs: impl IntoIterator<Item = Input, IntoIter: Send>,
    options: &ScanOptions,
    scan: &S,
) -> Result<ScanReport, ScanError> {
    run(inputs.into_iter(), options, scan, &Sound)
}

fn run<S: Scan>(
    inputs: impl Iterator<Item = Input> + Send,
    options: &ScanOptions,
    scan: &S,
    medium: &impl Medium,
) -> Result<ScanReport, ScanError> {
    let block_bytes = options.block_bytes;
    if !block_bytes.is_power_of_two() || !(64 << 10..=1 << 30).contains(&block_bytes) {
        return Err(ScanError::BlockBytes(block_bytes));
    }
    let crew = Crew {
        board: Board::new(inputs, block_bytes),
        options,
        scan,
        medium,
        pace: options.max_bytes_per_s.map(|limit| Mutex::new(Pace::new(limit))),
        begun: Instant::now(),
    };
    let reports = thread::scope(|scope| {
        let mut threads = Vec::new();
        for number in 0..options.jobs.get() {
            let named = thread::Builder::new().name(format!("scan-{number}"));
            threads.push(named.spawn_scoped(scope, || work(&crew)).map_err(|error| {
                crew.board.stop();
                ScanError::Thread(error)
            })?);
        }
        threads.into_iter().map(joined).collect::<Result<Vec<_>, _>>()
    })?;
    let mut reports = reports.into_iter();
    // There is at least one thread.
    let mut report = reports.next().expect("the number of jobs is not zero");
    reports.for_each(|other| report.add(&other));
    report.seconds = crew.begun.elapsed().as_secs_f64();
    Ok(report)
}

fn joined(
    thread: ScopedJoinHandle<'_, Result<ScanReport, ScanError>>,
) -> Result<ScanReport, ScanError> {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// What a thread does. However it ends, the others must not wait for it.
fn work<I: Iterator<Item = Input>, S: Scan, M: Medium>(
    crew: &Crew<'_, I, S, M>,
) -> Result<ScanReport, ScanError> {
    struct Ending<'a, I: Iterator<Item = Input>, S: Scan>(&'a Board<I, S>, bool);
    impl<I: Iterator<Item = Input>, S: Scan> Drop for Ending<'_, I, S> {
        fn drop(&mut self) {
            if !self.1 {
                self.0.stop();
            }
        }
    }
    let mut ending = Ending(&crew.board, false);
    let worker = Worker::new(crew).map_err(|error| cannot_begin(crew.options, error))?;
    let report = worker.run().map_err(ScanError::Kernel)?;
    ending.1 = true;
    Ok(report)
}

fn cannot_begin(options: &ScanOptions, error: io::Error) -> ScanError {
    match options.transport {
        Transport::Uring if error.kind() != io::ErrorKind::OutOfMemory => ScanError::NoUring(error),
        _ => {
            let bytes = options.depth.get().saturating_mul(options.block_bytes);
            ScanError::Buffers { bytes, source: error }
        }
    }
}
