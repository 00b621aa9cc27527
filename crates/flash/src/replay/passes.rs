//! A trace written to a drive again and again, until it makes no difference any more.

use super::{PageTrace, Setup, host::Host, position::Intervals};
use crate::{
    ftl::{Counters, GeometryError, Wear},
    synthetic::PatternError,
    trace::Kind,
};
use serde::Serialize;
use std::{
    ops::Range,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Pages that a drive is filled with at a time: some milliseconds of work.
const FILLED_PAGES: u32 = 1 << 18;

/// When a replay ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stopping {
    /// Write amplification is steady when it changes by less than this from one round to the next,
    /// relatively.
    pub tolerance: f64,
    /// Passes at most.
    pub passes_max: u32,
    /// Intervals of the trace that are counted apart.
    pub intervals: usize,
}

impl Default for Stopping {
    /// Half a per cent, 100 passes, 100 intervals.
    fn default() -> Self {
        Self { tolerance: 0.005, passes_max: 100, intervals: 100 }
    }
}

/// How others look on, and stop a replay.
#[derive(Debug, Default)]
pub struct Watch {
    /// Set from outside to end it.
    pub stop: AtomicBool,
    /// Pages of the host that drives were given so far, all of them together.
    pub pages: AtomicU64,
    /// Drives that are done.
    pub done: AtomicU64,
}

impl Watch {
    /// Tells how many pages more were written, and hears whether to go on.
    pub(super) fn look_up(&self, pages: u64) -> Result<(), ReplayError> {
        self.pages.fetch_add(pages, Ordering::Relaxed);
        match self.stop.load(Ordering::Relaxed) {
            true => Err(ReplayError::Stopped),
            false => Ok(()),
        }
    }
}

/// Why a trace was not replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// Such a drive cannot be.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// No such writes can be drawn.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// There is nothing to amplify.
    #[error("the trace holds no write of a page, so there is no write amplification")]
    NoWrites,
    /// Somebody did not want it any more.
    #[error("stopped before the trace was replayed")]
    Stopped,
}

/// What a drive made of a trace. Its counts are of the last round: so many passes that the host
/// wrote at least as many pages as it can address.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Whether the last two rounds differ by less than the tolerance, and all of the flash had
    /// been written once before them.
    pub steady: bool,
    /// Passes in all.
    pub passes: u32,
    /// Passes of a round.
    pub round_passes: u32,
    /// Write amplification of each round, the first one on a drive that was new.
    pub rounds: Vec<f64>,
    /// Counts of the last round.
    pub counters: Counters,
    /// The same by intervals of the trace that write equally many pages, passes summed.
    pub intervals: Vec<Counters>,
    /// Counts of all that was ever written.
    pub total: Counters,
    /// Wear of the blocks, of all that was ever written.
    pub wear: Wear,
    /// Pages of the host's that hold something at the end.
    pub valid_pages: u32,
}

impl Outcome {
    /// Write amplification of the last round.
    #[must_use]
    pub fn factor(&self) -> Option<f64> {
        self.counters.factor()
    }
}

/// Replays a trace on a drive: what is occupied first, then pass after pass until its write
/// amplification is steady.
///
/// # Errors
/// The drive cannot be, the trace writes nothing, or it was stopped.
pub fn replay(
    trace: &PageTrace,
    setup: &Setup,
    stopping: Stopping,
    watch: &Watch,
) -> Result<Outcome, ReplayError> {
    let pass_pages = trace.summary().written_pages;
    let mut run = Run { host: Host::new(setup)?, watch };
    if pass_pages == 0 {
        return Err(ReplayError::NoWrites);
    }
    let physical = setup.drive.geometry.physical_pages();
    let round_passes = u64::from(setup.drive.geometry.logical_pages).div_ceil(pass_pages);
    // With fewer passes than two rounds need, what there is is told, but not as steady.
    let passes_max = stopping.passes_max.max(1);
    let round_passes = u32::try_from(round_passes).unwrap_or(u32::MAX).min(passes_max);
    run.fill(trace)?;
    let mut rounds: Vec<f64> = Vec::new();
    let mut was_written_once = false;
    let mut passes = 0;
    loop {
        let is_written_once = run.host.counters().programs() >= physical;
        let mut intervals = Intervals::new(stopping.intervals, pass_pages);
        let began = run.host.counters();
        for _ in 0..round_passes {
            run.pass(trace, &mut intervals)?;
        }
        passes += round_passes;
        let counters = run.host.counters().since(began);
        let factor = counters.factor().unwrap_or(1.0);
        let change = rounds.last().map_or(f64::INFINITY, |last| (factor / last - 1.0).abs());
        let steady = was_written_once && change < stopping.tolerance;
        was_written_once = is_written_once;
        rounds.push(factor);
        if steady || passes.saturating_add(round_passes) > passes_max {
            watch.done.fetch_add(1, Ordering::Relaxed);
            run.host.drain();
            return Ok(Outcome {
                steady,
                passes,
                round_passes,
                rounds,
                counters,
                intervals: intervals.counts(),
                total: run.host.counters(),
                wear: run.host.drive().wear(),
                valid_pages: run.host.drive().valid_pages(),
            });
        }
    }
}

/// Writes pages that hold something at the beginning, so many at a time that a stop is soon heard.
pub(super) fn fill(
    host: &mut Host,
    pages: Range<u32>,
    stream: u8,
    watch: &Watch,
) -> Result<(), ReplayError> {
    for first in pages.clone().step_by(FILLED_PAGES as usize) {
        let piece = first..pages.end.min(first.saturating_add(FILLED_PAGES));
        watch.look_up(piece.len() as u64)?;
        host.write(piece, stream);
    }
    Ok(())
}

struct Run<'a> {
    host: Host,
    watch: &'a Watch,
}

impl Run<'_> {
    /// Writes what holds something before the trace begins.
    fn fill(&mut self, trace: &PageTrace) -> Result<(), ReplayError> {
        for pages in trace.occupied() {
            fill(&mut self.host, pages.clone(), 0, self.watch)?;
        }
        self.host.drain();
        Ok(())
    }

    fn pass(&mut self, trace: &PageTrace, intervals: &mut Intervals) -> Result<(), ReplayError> {
        let mut written = 0;
        let mut told = 0;
        intervals.begin(self.host.counters());
        for op in trace.ops() {
            self.host.apply(op);
            if op.kind == Kind::Write {
                written += u64::from(op.pages);
                if intervals.is_end(written) {
                    intervals.end(written, self.host.counters());
                    self.watch.look_up(written - told)?;
                    told = written;
                }
            }
        }
        intervals.end_pass(self.host.counters());
        self.watch.look_up(written - told)
    }
}

#[cfg(test)]
mod tests;
