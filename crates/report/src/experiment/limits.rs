//! Variants that read files, beside the limit of the disk that the files lie on.

use super::figures::{self, VariantFigure};
use crate::{
    chart::Speed,
    format,
    table::{Row, Table},
};
use lab::experiment::{ExperimentRecord, spec::Arm};

/// What is compared with the limit, as the runs call it.
const SPEED: &str = "MB/s";
/// What it costs.
const COST: &str = "CPU s/GB";
/// The option of a variant that reads at the limit, and its value.
const LIMIT: (&str, &str) = ("tool", "limit");

/// The limit, and the variants beside it.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    /// The disk's limit; none where it was not measured.
    pub(super) limit: Option<f64>,
    /// The published limit; none where there is none.
    pub(super) published: Option<f64>,
    /// Every variant that has a speed, in order.
    pub(super) speeds: Vec<Speed>,
    costs: Vec<Option<VariantFigure>>,
}

/// None where no variant reads files.
pub(super) fn of(experiment: &ExperimentRecord) -> Option<Limits> {
    let arms = &experiment.experiment.variants;
    if !arms.iter().any(Arm::is_at_rest) {
        return None;
    }
    let (mut speeds, mut costs) = (Vec::new(), Vec::new());
    for (variant, arm) in arms.iter().enumerate() {
        let Some(measured) = figures::of(experiment, &arm.name, SPEED) else { continue };
        speeds.push(Speed {
            name: arm.name.clone(),
            variant,
            value: measured.value,
            ci95: measured.ci95,
            published: published(experiment, &arm.name),
        });
        costs.push(figures::of(experiment, &arm.name, COST));
    }
    let is_limit =
        |arm: &&Arm| arm.workload.options.get(LIMIT.0).and_then(|it| it.as_str()) == Some(LIMIT.1);
    let limit = arms.iter().find(is_limit);
    Some(Limits {
        limit: limit.and_then(|arm| figures::of(experiment, &arm.name, SPEED)).map(|it| it.value),
        published: limit.and_then(|arm| published(experiment, &arm.name)),
        speeds,
        costs,
    })
    .filter(|limits| !limits.speeds.is_empty())
}

fn published(experiment: &ExperimentRecord, variant: &str) -> Option<f64> {
    let figures = experiment.experiment.published.iter().flat_map(|it| &it.figures);
    let mut of_variant = figures.filter(|it| it.variant == variant && it.metric == SPEED);
    of_variant.next().map(|figure| figure.value)
}

/// Speeds, their shares of the limit, and the published ones with theirs.
pub(super) fn table(limits: &Limits) -> Table {
    let none = || "–".to_owned();
    let titles =
        ["Variant", "#MB/s", "#±", "#Of the limit", "#CPU s/GB", "#Published", "#Of their limit"];
    let mut table = Table::new("Beside the disk's limit", &titles);
    let share = |value: f64, limit: Option<f64>| {
        limit.map(|limit| value / limit).filter(|it| it.is_finite()).map(format::percent)
    };
    for (speed, cost) in limits.speeds.iter().zip(&limits.costs) {
        let figure = VariantFigure { value: speed.value, ci95: speed.ci95, trials: 0 };
        let theirs = speed.published.and_then(|value| share(value, limits.published));
        table.rows.push(Row::new(vec![
            speed.name.clone(),
            format::figure(speed.value),
            figure.half(),
            share(speed.value, limits.limit).unwrap_or_else(none),
            cost.map_or_else(none, |cost| format::figure(cost.value)),
            speed.published.map_or_else(none, format::figure),
            theirs.unwrap_or_else(none),
        ]));
    }
    table
}
