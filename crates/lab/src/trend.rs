//! The history of one metric: where it changed, and which run was the first after.
//!
//! - [`divisive`]: E-divisive, which finds places where a series' distribution changes;
//! - [`weigh`]: which of them stay, by size and significance;
//! - this module: both over a history of runs, as a [`Trend`].

pub mod divisive;
pub mod history;
pub mod weigh;

pub use history::{Point, comparable, history};

use crate::comparison::{Better, Metric, Verdict};
use divisive::candidates;
use serde::{Deserialize, Serialize};
use weigh::{Change, weigh};

/// Name and version of the schema that [`Trend`] serialises to.
pub const TREND_SCHEMA: &str = "myrig.trend/1";

/// Below so many runs nothing can be said to have changed.
pub const RUNS_MIN: usize = 6;

/// How changes are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrendOptions {
    /// Chance of a change being seen in a history without one, before the others weigh it.
    pub first_p_value: f64,
    /// A change stays when Student's test on the runs before and after it gives less than this. The
    /// place was chosen by looking, so that 0.05 would not do; Apache Otava's default.
    pub p_value_max: f64,
    /// And when it is at least so large, percent.
    pub change_min_percent: f64,
    /// Permutations of the test.
    pub permutations: u32,
    /// What the permutations' randomness begins with.
    pub seed: u64,
}

impl Default for TrendOptions {
    fn default() -> Self {
        Self {
            first_p_value: 0.05,
            p_value_max: 0.001,
            change_min_percent: 0.0,
            permutations: 999,
            seed: 1,
        }
    }
}

/// A history of comparable runs and the changes in it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Trend {
    /// Always [`TREND_SCHEMA`].
    pub schema: String,
    /// What was measured.
    pub metric: Metric,
    /// What the runs have in common, in words.
    pub runs_of: String,
    /// The runs, the earliest first.
    pub points: Vec<Point>,
    /// The changes, the earliest first.
    pub changes: Vec<TrendChange>,
    /// The answer in words.
    pub sentence: String,
}

/// A change in the history.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct TrendChange {
    /// Id of the first run after it.
    pub run: String,
    /// When that run started, UTC, RFC 3339.
    pub started_at: String,
    /// Its place in `points`, from 0.
    pub index: usize,
    /// Geometric mean of the runs since the change before, or the beginning.
    pub before: f64,
    /// Geometric mean of the runs until the next change, or the end.
    pub after: f64,
    /// Number of runs that `before` is the mean of.
    pub runs_before: usize,
    /// Number of runs that `after` is the mean of.
    pub runs_after: usize,
    /// `after` over `before`, less one, percent.
    pub change_percent: f64,
    /// Student's test on both.
    pub p_value: f64,
    /// `better` or `worse`.
    pub verdict: Verdict,
}

impl Trend {
    /// Looks for changes in a history, the earliest run first. Runs whose value is not above zero
    /// are left out.
    pub fn of(metric: Metric, runs_of: String, points: Vec<Point>, options: &TrendOptions) -> Self {
        let points: Vec<Point> =
            points.into_iter().filter(|it| it.value > 0.0 && it.value.is_finite()).collect();
        let logs: Vec<f64> = points.iter().map(|point| point.value.ln()).collect();
        let changes: Vec<TrendChange> = changes(&logs, options)
            .into_iter()
            .map(|change| TrendChange::of(&change, &points, metric.better))
            .collect();
        let sentence = sentence(&metric, &points, &changes);
        let schema = TREND_SCHEMA.to_owned();
        Self { schema, metric, runs_of, points, changes, sentence }
    }

    /// The last change, where it is for the worse and among the latest `runs` runs.
    pub fn recent_regression(&self, runs: usize) -> Option<&TrendChange> {
        let recent = self.points.len().saturating_sub(runs);
        let last = self.changes.last()?;
        (last.verdict == Verdict::Worse && last.index >= recent).then_some(last)
    }
}

/// Where a series of logarithms changes.
pub fn changes(logs: &[f64], options: &TrendOptions) -> Vec<Change> {
    match logs.len() < RUNS_MIN {
        true => Vec::new(),
        false => weigh(logs, candidates(logs, options), options),
    }
}

impl TrendChange {
    fn of(change: &Change, points: &[Point], better: Better) -> Self {
        let first = &points[change.index];
        let up = change.after > change.before;
        Self {
            run: first.run.clone(),
            started_at: first.started_at.clone(),
            index: change.index,
            before: change.before.exp(),
            after: change.after.exp(),
            runs_before: change.runs_before,
            runs_after: change.runs_after,
            change_percent: (change.after - change.before).exp_m1() * 100.0,
            p_value: change.p_value,
            verdict: match up == (better == Better::Higher) {
                true => Verdict::Better,
                false => Verdict::Worse,
            },
        }
    }
}

fn sentence(metric: &Metric, points: &[Point], changes: &[TrendChange]) -> String {
    let runs = points.len();
    let name = &metric.name;
    match changes {
        _ if runs < RUNS_MIN => format!(
            "{name}: {runs} runs are too few to tell a change from chance: {RUNS_MIN} are needed."
        ),
        [] => format!("{name}: no change in {runs} runs."),
        [.., last] => {
            let word = if last.verdict == Verdict::Worse { "worse" } else { "better" };
            let count = changes.len();
            let plural = if count == 1 { "change" } else { "changes" };
            format!(
                "{name}: {count} {plural} in {runs} runs; the last, {:+.1}% ({word}), came with \
                 run {}.",
                last.change_percent, last.run
            )
        }
    }
}

#[cfg(test)]
mod tests;
