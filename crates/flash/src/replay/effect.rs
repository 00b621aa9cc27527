//! What one placement is worth beside another on the same trace and the same geometry.

use super::{Outcome, change_interval};
use serde::Serialize;

/// The relative change of write amplification from one drive to another that replayed the same
/// trace.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The change, -0.1 being 10% less.
    pub change: f64,
    /// Its 95% interval by [`change_interval`], the intervals of the trace being drawn in pairs;
    /// none where the trace is too short for one.
    pub ci95: Option<(f64, f64)>,
}

impl Effect {
    /// From one outcome to another; none if either host, or the first drive, wrote nothing.
    #[must_use]
    pub fn between(before: &Outcome, after: &Outcome, seed: u64) -> Option<Self> {
        let first = before.factor().filter(|factor| *factor > 0.0)?;
        let change = after.factor()? / first - 1.0;
        let programs = |outcome: &Outcome| -> Vec<f64> {
            let per_pass = f64::from(outcome.round_passes.max(1));
            outcome.intervals.iter().map(|counts| counts.programs() as f64 / per_pass).collect()
        };
        let ci95 = change_interval(&programs(before), &programs(after), seed);
        Some(Self { change, ci95 })
    }
}
