//! The tables of an experiment.

use super::{
    digest::Digest,
    figures::{self, beside, names},
    trials::Trials,
    words,
};
use crate::{
    format, summary,
    table::{Row, Table, Tone},
};
use lab::{
    comparison::{Comparison, Effect, Metric, Verdict},
    experiment::{ExperimentRecord, TrialRecord},
    record::RunStatus,
};

/// More figures than these have no room beside each other.
const FIGURES_MAX: usize = 4;

fn none() -> String {
    "–".to_owned()
}

/// The variants side by side: what they are and what they came to.
pub(super) fn variants(experiment: &ExperimentRecord) -> Table {
    let names: Vec<&str> =
        names(experiment).into_iter().map(|(name, _)| name).take(FIGURES_MAX).collect();
    let mut titles = vec!["Variant".to_owned(), "#Runs".to_owned()];
    for name in &names {
        titles.extend([format!("#{name}"), "#±".to_owned()]);
    }
    titles.extend(["Server", "Size", "What differs"].map(str::to_owned));
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut table = Table::new("The variants", &titles);
    for variant in &experiment.variants {
        let trials = figures::counted(experiment, &variant.name);
        let mut cells = vec![variant.name.clone(), trials.len().to_string()];
        for name in &names {
            match figures::of(experiment, &variant.name, name) {
                Some(figure) => cells.extend([format::figure(figure.value), figure.half()]),
                None => cells.extend([none(), none()]),
            }
        }
        let server = variant.server.as_ref();
        cells.push(server.map_or_else(none, |it| summary::full_version(&it.flavour, &it.version)));
        let size = server.map(|server| server.size.clone()).filter(|size| !size.is_empty());
        cells.extend([size.unwrap_or_else(none), words::differs(variant)]);
        table.rows.push(Row::new(cells));
    }
    table
}

/// What became of each metric that is judged, the primary one first; or of those that are shown
/// for information only.
pub(super) fn effects(comparison: &Comparison, judged: bool) -> Table {
    let caption = match judged {
        true => format!("{} against {}", comparison.variant, comparison.baseline),
        false => "Not judged, for information".to_owned(),
    };
    let titles = [
        "Metric",
        "#Baseline",
        "#Variant",
        "#Difference",
        "#95% interval",
        "#Bootstrap",
        "#p, corrected",
        "#Could have seen",
        "Verdict",
    ];
    let mut table = Table::new(&caption, &titles);
    let wanted = |effect: &&Effect| (effect.verdict != Verdict::NotJudged) == judged;
    for effect in comparison.effects.iter().filter(wanted) {
        let row = Row::new(effect_cells(effect));
        let regressed = comparison.regressions.contains(&effect.metric.name);
        let tone = match effect.verdict {
            _ if regressed => Tone::Bad,
            Verdict::Better => Tone::Good,
            _ => Tone::Plain,
        };
        table.rows.push(row.toned(tone, 8));
    }
    table
}

fn effect_cells(effect: &Effect) -> Vec<String> {
    let interval = |ci: Option<(f64, f64)>| {
        ci.map_or_else(none, |(low, high)| format!("{} to {}", signed(low), signed(high)))
    };
    let p = effect.p_adjusted.or(effect.p_value).map_or_else(none, |p| match p {
        p if p < 0.0005 => "< 0.001".to_owned(),
        p => format!("{p:.3}"),
    });
    let verdict = match effect.verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::NoDifferenceShown => "no difference shown",
        Verdict::TooFew => "too few runs",
        Verdict::NotJudged => "not judged",
    };
    vec![
        metric(&effect.metric),
        format::figure(effect.baseline.mean),
        format::figure(effect.variant.mean),
        signed(effect.difference_percent),
        interval(effect.ci95_percent),
        interval(effect.bootstrap_ci95_percent),
        p,
        effect.smallest_detectable_percent.map_or_else(none, |it| format!("±{it:.1}%")),
        verdict.to_owned(),
    ]
}

/// `tpmC, 1/min`; a name that says its unit is enough.
fn metric(metric: &Metric) -> String {
    let Metric { name, unit, .. } = metric;
    if name.ends_with(unit.as_str()) { name.clone() } else { format!("{name}, {unit}") }
}

/// `+12.3%`.
pub(super) fn signed(percent: f64) -> String {
    if percent.is_finite() { format!("{percent:+.1}%") } else { none() }
}

/// Published figures beside the measured ones; empty where there are none.
pub(super) fn published(experiment: &ExperimentRecord, trials: &Trials) -> Table {
    let titles = ["Variant", "Their set-up", "Figure", "#Published", "#Measured", "#Ratio"];
    let mut table = Table::new("Published beside measured", &titles);
    for figure in experiment.experiment.published.iter().flat_map(|it| &it.figures) {
        let sweeps = trials.sweeps_of(experiment, &figure.variant);
        let measured = beside(experiment, &sweeps, figure);
        let at =
            figure.connections.map(|n| format!(" at {}", format::counted(n.into(), "connection")));
        let of = if figure.unit == "%" { ", change in %" } else { "" };
        let ratio = measured.map(|it| it / figure.value).filter(|it| it.is_finite());
        table.rows.push(Row::new(vec![
            figure.variant.clone(),
            figure.setup.clone(),
            format!("{}{}{}", figure.metric, of, at.unwrap_or_default()),
            format::figure(figure.value),
            measured.map_or_else(none, format::figure),
            ratio.map_or_else(none, |it| format!("{} ×", format::figure(it))),
        ]));
    }
    table
}

/// The trials in order, with what was said of each.
pub(super) fn trials(experiment: &ExperimentRecord, runs: &Trials) -> Table {
    let names = names(experiment);
    let figure = names.first().map(|(name, _)| format!("#{name}"));
    let duet = experiment.trials.iter().any(|trial| trial.pair.is_some());
    let place = if duet { "Pair, processors" } else { "#Round" };
    let titles = [
        "Trial",
        "Variant",
        place,
        figure.as_deref().unwrap_or("#Figure"),
        "#Steady from",
        "Check",
        "#Took",
        "Run or sweep",
        "Remarks",
    ];
    let mut table = Table::new("The trials in the order in which they were taken", &titles);
    for trial in &experiment.trials {
        let mut row = Row::new(trial_cells(trial, names.first().map(|(name, _)| *name), duet));
        row.notes = runs.run(&trial.run).map(troubles).unwrap_or_default();
        let bad = matches!(trial.status, RunStatus::Partial { .. });
        let row = match trial.check_good {
            Some(false) => row.toned(Tone::Bad, 5),
            _ if bad => row.toned(Tone::Bad, 8),
            _ => row,
        };
        table.rows.push(row);
    }
    table
}

fn trial_cells(trial: &TrialRecord, name: Option<&str>, duet: bool) -> Vec<String> {
    let place = match (&trial.pair, &trial.cpus) {
        (Some(pair), cpus) if duet => format!("{pair}, {}", cpus.as_deref().unwrap_or("–")),
        _ => trial.round.to_string(),
    };
    let figure = trial.figures.iter().find(|figure| Some(figure.name.as_str()) == name);
    let check = match trial.check_good {
        Some(true) => "✓ good",
        Some(false) => "✗ failed",
        None => "–",
    };
    let steady = trial.steady_from_s.filter(|at_s| at_s.is_finite());
    let mut remarks = trial.remarks.clone();
    if let RunStatus::Partial { reason } = &trial.status {
        remarks.insert(0, format!("Partial: {reason}."));
    }
    vec![
        trial.number.to_string(),
        trial.variant.clone(),
        place,
        figure.map_or_else(none, |figure| format::figure(figure.value)),
        steady.map_or_else(none, format::instant),
        check.to_owned(),
        format::duration(trial.took_s),
        trial.sweep.as_ref().unwrap_or(&trial.run).clone(),
        remarks.join(" "),
    ]
}

/// What went wrong in a run that went to its end.
fn troubles(run: &Digest) -> Vec<String> {
    let mut troubles: Vec<String> = run.outages.iter().take(3).map(summary::outage).collect();
    if run.failed > 0 {
        let failed = format::counted(run.failed, "transaction");
        troubles.push(format!("{failed} given up in the measured phase."));
    }
    troubles
}

/// What a reader must know of the runs, each warning once with the trials that have it.
pub(super) fn warnings(experiment: &ExperimentRecord, runs: &Trials) -> Table {
    let mut table = Table::new("Warnings of the runs", &["Trials", "Warning"]);
    let mut told: Vec<(&str, Vec<String>)> = Vec::new();
    let all: Vec<_> = runs.runs(experiment).collect();
    for (trial, run) in &all {
        for warning in &run.warnings {
            match told.iter_mut().find(|(words, _)| words == warning) {
                Some((_, trials)) => trials.push(trial.number.to_string()),
                None => told.push((warning, vec![trial.number.to_string()])),
            }
        }
    }
    for (warning, trials) in told {
        let who = if trials.len() == all.len() { "all".to_owned() } else { trials.join(", ") };
        table.rows.push(Row::new(vec![who, warning.to_owned()]));
    }
    table
}

/// Percentiles of each variant's merged response times.
pub(super) fn latencies(experiment: &ExperimentRecord, trials: &Trials) -> Table {
    let titles = ["Variant", "#Transactions", "#p50", "#p90", "#p95", "#p99", "#p99.9", "#max"];
    let mut table =
        Table::new("Response times of all transactions of all runs together, ms", &titles);
    for variant in &experiment.variants {
        let response = trials.response_of(experiment, &variant.name);
        if response.count() > 0 {
            let mut cells = vec![variant.name.clone(), format::count(response.count())];
            let percents = [50.0, 90.0, 95.0, 99.0, 99.9];
            cells.extend(percents.map(|percent| format::ms(response.percentile_ms(percent))));
            cells.push(format::ms(response.max_ms()));
            table.rows.push(Row::new(cells));
        }
    }
    table
}
