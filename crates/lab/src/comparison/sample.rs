//! What goes into a comparison.

use super::{Metric, PairRatio};
use serde::{Deserialize, Serialize};

/// One run's value of one metric.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Sample {
    /// Id of the run.
    pub run: String,
    /// The value in the metric's unit.
    pub value: f64,
    /// Standard error of `value` by the run's own seconds, corrected for autocorrelation, in the
    /// metric's unit; none where the metric has no series.
    #[serde(default)]
    pub std_err: Option<f64>,
    /// The block of interleaved runs that it belongs to; none where runs were not interleaved.
    #[serde(default)]
    pub block: Option<u32>,
    /// Its place among all runs that are compared, by time, from 0.
    pub order: u32,
    /// How many independent values its seconds are worth; 0 where the metric has no series.
    #[serde(default)]
    pub effective_n: f64,
}

/// One metric of all runs on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What was measured.
    pub metric: Metric,
    /// The baseline's runs, in the order in which they were made.
    pub baseline: Vec<Sample>,
    /// The variant's.
    pub variant: Vec<Sample>,
    /// Duet only: the pairs of simultaneous runs.
    pub pairs: Vec<PairRatio>,
}

/// What a comparison may be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Name of the metric that decides; the first one when not given.
    pub primary: Option<String>,
    /// Names of the metrics that are judged, as [`Metric::name`]; those marked
    /// [`Metric::judged`] when empty.
    pub judged: Vec<String>,
    /// Differences in the bad direction smaller than this are no regression, percent.
    pub threshold_percent: Option<f64>,
    /// What the bootstrap's randomness begins with.
    pub seed: u64,
    /// Resamples of the bootstrap.
    pub resamples: u32,
}

impl Default for Options {
    fn default() -> Self {
        let judged = Vec::new();
        Self { primary: None, judged, threshold_percent: None, seed: 1, resamples: 2000 }
    }
}
