//! Many drives on one trace, as many at a time as there are processors.

use super::{Outcome, PageTrace, ReplayError, Stopping, Watch, replay};
use crate::{ftl, placement::Placement};
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// A drive and how its streams are chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The drive.
    pub drive: ftl::Options,
    /// Which stream a write goes to.
    pub placement: Placement,
}

/// Does pieces of work on so many threads. Results are in the order of the pieces.
pub fn on_threads<T: Send>(
    pieces: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = (0..pieces).map(|_| Mutex::new(None)).collect();
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = results.get(at) else { break };
            let done = work(at);
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(pieces) {
            scope.spawn(worker);
        }
        worker();
    });
    let taken =
        |result: Mutex<Option<T>>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().filter_map(taken).collect()
}

/// Replays a trace on each of these drives, on so many threads. Outcomes are in their order and do
/// not depend on the threads.
#[must_use]
pub fn replay_all(
    trace: &PageTrace,
    setups: &[Setup],
    stopping: Stopping,
    threads: usize,
    watch: &Watch,
) -> Vec<Result<Outcome, ReplayError>> {
    on_threads(setups.len(), threads, |at| replay(trace, &setups[at], stopping, watch))
}
