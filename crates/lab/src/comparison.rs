//! What one set of runs says beside another: how much faster, how sure, and how many more runs
//! would tell.
//!
//! - [`metric`]: what of a run can be compared; [`sample`]: one run's value of it; [`sides`]: both
//!   made of stored runs;
//! - [`contrast`], [`estimate`], [`seconds`], [`duet`]: a difference and how well it is known, by
//!   design; [`multiplicity`]: several metrics judged together; [`outlier`]: runs to look at;
//! - [`judge`]: the verdict, in the [`Comparison`] of [`effect`]; [`caveats`]: why it is not clean.
//!
//! The unit of replication is the run, not the second: the seconds of a run share its data files,
//! its memory layout and its luck. docs/statistics.md says what is computed and why.

pub mod caveats;
pub mod contrast;
pub mod duet;
pub mod effect;
pub mod estimate;
mod evidence;
pub mod judge;
pub mod metric;
pub mod multiplicity;
pub mod outlier;
pub mod sample;
pub mod seconds;
mod sentence;
pub mod sides;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

pub use caveats::caveats;
pub use duet::{DuetRuns, PairRatio, Place, compare_duet};
pub use effect::{Comparison, Design, Difference, Effect, Method, Outlier, Side, Verdict};
pub use judge::compare;
pub use metric::{Better, Metric, metrics_of, series_of};
pub use sample::{Measured, Options, Sample};
pub use sides::{PlacedRun, RunSet, compare_runs};

/// Name and version of the schema that [`Comparison`] serialises to.
pub const COMPARISON_SCHEMA: &str = "myrig.comparison/1";
