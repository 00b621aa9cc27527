//! What a comparison comes to. Its JSON form is the stable schema `myrig.comparison/1`, described
//! in `docs/json.md`: fields are added, never renamed or given another meaning.

use super::{Metric, Sample};
use serde::{Deserialize, Serialize};

/// Two sets of runs beside each other.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Comparison {
    /// Always [`super::COMPARISON_SCHEMA`].
    pub schema: String,
    /// What the baseline is called.
    pub baseline: String,
    /// What is compared with it.
    pub variant: String,
    /// How the runs were made.
    pub design: Design,
    /// Name of the metric that decides.
    pub primary: String,
    /// An entry a metric, the primary one first.
    pub effects: Vec<Effect>,
    /// Settings that are not the same in all runs, by name.
    #[serde(default)]
    pub differences: Vec<Difference>,
    /// Differences in the bad direction smaller than this are no regression, percent.
    pub threshold_percent: Option<f64>,
    /// Names of the judged metrics that became worse, by more than the threshold if there is one.
    pub regressions: Vec<String>,
    /// Why the verdict is not clean, a sentence each.
    pub caveats: Vec<String>,
    /// The verdict on the primary metric and, where there are caveats, that there are.
    pub sentence: String,
}

/// A setting that is not the same in all runs.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Difference {
    /// The option, or the server's variable.
    pub name: String,
    /// Its values in the baseline's runs, in words.
    pub baseline: String,
    /// Its values in the variant's.
    pub variant: String,
}

/// How the runs of a comparison were made.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// Runs of both sides in any order.
    Independent,
    /// Blocks of interleaved runs, ABBA or shuffled, each with runs of both sides.
    Blocks,
    /// Both sides at the same time, on two instances.
    Duet,
}

/// What became of one metric.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Effect {
    /// What was measured.
    pub metric: Metric,
    /// The baseline's runs.
    pub baseline: Side,
    /// The variant's runs.
    pub variant: Side,
    /// The variant's mean over the baseline's, less one, percent.
    pub difference_percent: f64,
    /// The 95% confidence interval of `difference_percent`, of this metric by itself; none with
    /// too few runs.
    pub ci95_percent: Option<(f64, f64)>,
    /// How likely a difference as large is where there is none; none with too few runs.
    pub p_value: Option<f64>,
    /// `p_value` corrected for the number of metrics that are judged; none for one that is not.
    pub p_adjusted: Option<f64>,
    /// Where interval and `p_value` come from; none with too few runs.
    pub method: Option<Method>,
    /// The bootstrap's 95% interval, the second opinion; none with too few runs for one.
    pub bootstrap_ci95_percent: Option<(f64, f64)>,
    /// False when one of the two intervals holds zero and the other does not.
    pub agree: bool,
    /// The difference that as many such runs would have found in four cases of five, percent; none
    /// with too few runs.
    pub smallest_detectable_percent: Option<f64>,
    /// How many more runs on each side (more pairs in a duet) would decide in four cases of five
    /// whether there is a difference as large as the one seen, or as the threshold; none where
    /// that is decided, not known, or more than a thousand.
    pub runs_to_decide: Option<u32>,
    /// Runs that are far from the others of their side. They are shown and never dropped.
    pub outliers: Vec<Outlier>,
    /// The answer.
    pub verdict: Verdict,
    /// The answer in words.
    pub sentence: String,
}

/// The runs of one side.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Side {
    /// Number of runs.
    pub n: u32,
    /// Geometric mean of their values, in the metric's unit.
    pub mean: f64,
    /// Its 95% confidence interval by the spread between runs, or within the run where there is
    /// but one; none where neither is known.
    pub ci95: Option<(f64, f64)>,
    /// The runs.
    pub samples: Vec<Sample>,
}

/// Where an interval comes from.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Welch's test on the logarithms of the runs' values.
    Welch,
    /// Student's test on the blocks' logarithms of ratios.
    Paired,
    /// The logarithms of ratios of pairs of simultaneous runs, swapped and not.
    Duet,
    /// The seconds within one run a side: noise between runs is not seen.
    Seconds,
}

/// A run far from the others of its side.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Outlier {
    /// Id of the run.
    pub run: String,
    /// How far, in words.
    pub why: String,
}

/// The answer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The variant is better, and that is shown.
    Better,
    /// The variant is worse, and that is shown.
    Worse,
    /// A difference may be there; these runs do not show one.
    NoDifferenceShown,
    /// The runs are too few to say anything.
    TooFew,
    /// The metric is there for information and is not judged.
    NotJudged,
}
