//! Many drives on one trace, as many at a time as there are processors.

use super::{Outcome, PageTrace, ReplayError, Stopping, Watch, replay};
use crate::{ftl, placement::Placement};
use std::{
    sync::{
        Mutex,
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
    let next = AtomicUsize::new(0);
    let outcomes: Vec<Mutex<Result<Outcome, ReplayError>>> =
        setups.iter().map(|_| Mutex::new(Err(ReplayError::Stopped))).collect();
    let work = || {
        while let Some(at) =
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < setups.len())
        {
            let outcome = replay(trace, &setups[at], stopping, watch);
            // Each is taken once; a lock is poisoned only by a panic, which ends the scope.
            if let Ok(mut place) = outcomes[at].lock() {
                *place = outcome;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(setups.len()) {
            scope.spawn(work);
        }
        work();
    });
    outcomes
        .into_iter()
        .map(|outcome| outcome.into_inner().unwrap_or(Err(ReplayError::Stopped)))
        .collect()
}
