//! The figures of merit of each variant, over its trials.

use crate::format;
use lab::{
    experiment::{ExperimentRecord, TrialRecord, spec::PublishedFigure},
    record::{Figure, RunStatus},
    statistics::Mean,
    sweep::SweepRecord,
};

/// A figure of a variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct VariantFigure {
    /// Mean over the trials that have it.
    pub(super) value: f64,
    /// 95% interval by the spread between trials; within the run where there is but one. None
    /// where neither is known.
    pub(super) ci95: Option<(f64, f64)>,
    /// Trials that have it.
    pub(super) trials: usize,
}

impl VariantFigure {
    /// Half the interval's width as a share of the value, `1.3%`.
    pub(super) fn half(&self) -> String {
        match self.ci95 {
            Some((low, high)) => format::percent((high - low) / 2.0 / self.value.abs()),
            None => "–".to_owned(),
        }
    }
}

/// The unit of a published figure that is a change against the baseline.
const CHANGE: &str = "%";

/// The change of a metric that was found where one was published.
fn change(experiment: &ExperimentRecord, published: &PublishedFigure) -> Option<f64> {
    let mut comparisons = experiment.comparisons.iter();
    let comparison = comparisons.find(|it| it.variant == published.variant)?;
    let effect = comparison.effects.iter().find(|it| it.metric.name == published.metric)?;
    Some(effect.difference_percent)
}

/// Names and units of all figures of all trials, the most important first.
pub(super) fn names(experiment: &ExperimentRecord) -> Vec<(&str, &str)> {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for figure in experiment.trials.iter().flat_map(|trial| &trial.figures) {
        if !names.iter().any(|(name, _)| *name == figure.name) {
            names.push((&figure.name, &figure.unit));
        }
    }
    names
}

/// The trials of a variant that count: that were gone through to their end. Where none was, all.
pub(super) fn counted<'a>(
    experiment: &'a ExperimentRecord,
    variant: &'a str,
) -> Vec<&'a TrialRecord> {
    let whole = |trial: &&TrialRecord| trial.status == RunStatus::Complete;
    let complete: Vec<_> = experiment.trials_of(variant).filter(whole).collect();
    match complete.is_empty() {
        true => experiment.trials_of(variant).collect(),
        false => complete,
    }
}

/// The figure called `name` of a variant; none where no trial has it.
pub(super) fn of(
    experiment: &ExperimentRecord,
    variant: &str,
    name: &str,
) -> Option<VariantFigure> {
    let trials = counted(experiment, variant);
    let found: Vec<&Figure> = trials
        .iter()
        .filter_map(|trial| trial.figures.iter().find(|figure| figure.name == name))
        .filter(|figure| figure.value.is_finite())
        .collect();
    let values: Vec<f64> = found.iter().map(|figure| figure.value).collect();
    let mean = Mean::of_independent(&values)?;
    let ci95 = match found.as_slice() {
        [only] => only.ci95,
        _ => mean.ci95(),
    };
    Some(VariantFigure { value: mean.value, ci95, trials: values.len() })
}

/// What was measured where a published figure was: the variant's figure or, at a step of a sweep,
/// the mean of that step.
pub(super) fn beside(
    experiment: &ExperimentRecord,
    sweeps: &[&SweepRecord],
    published: &PublishedFigure,
) -> Option<f64> {
    if published.unit == CHANGE {
        return change(experiment, published);
    }
    let Some(connections) = published.connections else {
        return Some(of(experiment, &published.variant, &published.metric)?.value);
    };
    let steps = sweeps.iter().flat_map(|sweep| &sweep.steps);
    let there = steps.filter(|step| step.connections == connections);
    let values: Vec<f64> = there
        .filter_map(|step| step.headline.iter().find(|figure| figure.name == published.metric))
        .map(|figure| figure.value)
        .collect();
    match values.is_empty() {
        // A run with just so many connections is as good as a step.
        true => Some(of(experiment, &published.variant, &published.metric)?.value)
            .filter(|_| sweeps.is_empty()),
        false => Some(values.iter().sum::<f64>() / values.len() as f64),
    }
}
