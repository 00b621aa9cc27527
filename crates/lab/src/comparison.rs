//! What one set of runs says beside another: how much faster, how sure, and how many more runs
//! would tell.
//!
//! - [`metric`]: what of a run can be compared; [`sample`]: one run's value of it;
//! - [`effect`]: what became of one metric, and the [`Comparison`] of all.
//!
//! The unit of replication is the run, not the second: the seconds of a run share its data files,
//! its memory layout and its luck. docs/statistics.md says what is computed and why.

pub mod effect;
pub mod metric;
pub mod sample;

pub use effect::{Comparison, Design, Difference, Effect, Method, Outlier, Side, Verdict};
pub use metric::{Better, Metric, metrics_of, series_of};
pub use sample::{Measured, Options, Sample};

/// Name and version of the schema that [`Comparison`] serialises to.
pub const COMPARISON_SCHEMA: &str = "myrig.comparison/1";
