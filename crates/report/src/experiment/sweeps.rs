//! The sweeps of each variant, several joined into their mean.

use super::trials::Trials;
use crate::{
    chart::Scaling,
    format,
    sweep::words,
    table::{Row, Table},
};
use lab::{experiment::ExperimentRecord, statistics::Mean, sweep::SweepRecord};

/// A sweep for each variant that has any.
pub(super) fn of(experiment: &ExperimentRecord, trials: &Trials) -> Vec<Scaling> {
    let variants = experiment.variants.iter().enumerate();
    let some = variants.filter_map(|(variant, it)| {
        let sweep = joined(&trials.sweeps_of(experiment, &it.name))?;
        Some(Scaling { name: it.name.clone(), variant, sweep })
    });
    some.collect()
}

/// The mean of several sweeps, step by step, with peak and knee found anew; the interval is that
/// between the sweeps.
fn joined(sweeps: &[&SweepRecord]) -> Option<SweepRecord> {
    let (first, others) = sweeps.split_first()?;
    let mut joined = SweepRecord::clone(first);
    if others.is_empty() {
        return Some(joined);
    }
    for step in &mut joined.steps {
        let at = first.value(step);
        let same = sweeps
            .iter()
            .filter_map(|sweep| sweep.steps.iter().find(|step| sweep.value(step) == at));
        let same: Vec<_> = same.collect();
        let mean = |values: Vec<f64>| Mean::of_independent(&values);
        let values = same.iter().filter_map(|step| step.figure()).map(|it| it.value).collect();
        if let (Some(figure), Some(mean)) = (step.headline.first_mut(), mean(values)) {
            (figure.value, figure.ci95) = (mean.value, mean.ci95());
        }
        if let Some(mean) = mean(same.iter().map(|step| step.finished_per_s).collect()) {
            step.finished_per_s = mean.value;
        }
        if let Some(mean) = mean(same.iter().map(|step| step.response.mean_ms).collect()) {
            step.response.mean_ms = mean.value;
        }
        if let Some(mean) = mean(same.iter().map(|step| step.response.p95_ms).collect()) {
            step.response.p95_ms = mean.value;
        }
    }
    joined.analyse();
    Some(joined)
}

/// Peak and knee of each variant, in words.
pub(super) fn table(sweeps: &[Scaling]) -> Table {
    let titles = ["Variant", "#Steps", "#Peak", "#at", "Peak", "Knee"];
    let mut table = Table::new("Peak and knee of each variant", &titles);
    for one in sweeps {
        let peak = one.sweep.peak.as_ref();
        let step = peak.and_then(|peak| one.sweep.steps.get(peak.step));
        table.rows.push(Row::new(vec![
            one.name.clone(),
            one.sweep.steps.len().to_string(),
            peak.map_or_else(|| "–".to_owned(), |peak| format::figure(peak.value)),
            step.map_or_else(|| "–".to_owned(), |step| format::short(one.sweep.value(step))),
            words::peak(&one.sweep),
            words::knee(&one.sweep),
        ]));
    }
    table
}

/// The steps of all variants side by side.
pub(super) fn steps(sweeps: &[Scaling]) -> Table {
    let Some(first) = sweeps.first() else { return Table::default() };
    let mut titles = vec![first.sweep.varied.unit().to_owned()];
    for one in sweeps {
        titles.extend([format!("#{}", one.name), "#p95 ms".to_owned()]);
    }
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut table = Table::new("Throughput and response time at each step", &titles);
    let mut at: Vec<f64> = Vec::new();
    for one in sweeps {
        at.extend(one.sweep.steps.iter().map(|step| one.sweep.value(step)));
    }
    at.sort_by(f64::total_cmp);
    at.dedup();
    for value in at {
        let mut cells = vec![format::short(value)];
        for one in sweeps {
            let step = one.sweep.steps.iter().find(|step| one.sweep.value(step) == value);
            let figure = step.and_then(|step| step.figure());
            let none = || "–".to_owned();
            cells.push(figure.map_or_else(none, |figure| format::figure(figure.value)));
            cells.push(step.map_or_else(none, |step| format::ms(step.response.p95_ms)));
        }
        table.rows.push(Row::new(cells));
    }
    table
}
