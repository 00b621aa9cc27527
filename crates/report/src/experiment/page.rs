//! An experiment as one HTML file that needs no network, and no script to be read.

use super::{
    amplification, differences, facts, figures, limits,
    over_time::{Group, OverTime},
    section, sweeps,
    trials::Trials,
    words,
};
use crate::{
    chart::{self, Bar, Chart, Distribution, Key},
    format,
    html::{RenderError, Tile, filled},
    section::Facts,
    summary,
    table::{Table, Tone},
};
use askama::Template;
use lab::{
    comparison::Verdict,
    experiment::{ExperimentRecord, TrialRecord},
    histogram::LatencyHistogram,
    record::RunStatus,
};

/// The group of series that have a section of their own.
const FLASH: &str = "flash";

/// Figures that have a chart of bars.
const BARS_MAX: usize = 2;

/// What the page is filled with.
#[derive(Template)]
#[template(path = "experiment.html")]
struct Page<'a> {
    experiment: &'a ExperimentRecord,
    title: &'a str,
    scale: &'a str,
    started: String,
    verdict: String,
    tone: &'static str,
    tiles: Vec<Tile>,
    caveats: Vec<&'a str>,
    compared: Vec<Compared<'a>>,
    limit: Option<Chart>,
    limits: Table,
    amplification: Vec<Chart>,
    drives: Table,
    steadiness: Table,
    drive_facts: Vec<String>,
    rows: Table,
    variants: Table,
    bars: Vec<Chart>,
    published: Table,
    scaling: Option<Chart>,
    peaks: Table,
    steps: Table,
    legend: Vec<(usize, Key)>,
    trial_numbers: Vec<(u32, &'a str)>,
    over_time: Vec<Chart>,
    percentiles: Option<Chart>,
    latencies: Table,
    watched: Vec<Group>,
    more: Vec<Group>,
    settings: Table,
    variables: Table,
    trials: Table,
    warnings: Table,
    profiles: String,
    deviations: Vec<&'a str>,
    facts: Vec<Facts>,
    command: String,
    file: String,
}

/// The whole page; what is not among `trials` is left out of the charts. Everything from the
/// records is escaped.
///
/// # Errors
/// The page cannot be put together.
pub fn html(experiment: &ExperimentRecord, trials: &Trials) -> Result<String, RenderError> {
    let over_time = OverTime::of(experiment, trials);
    let scaling = sweeps::of(experiment, trials);
    let limits = limits::of(experiment);
    let (flash, groups): (Vec<_>, Vec<_>) =
        over_time.watched().into_iter().partition(|group| group.name == FLASH);
    let (watched, more) = groups.into_iter().partition(|group| group.first);
    let page = Page {
        experiment,
        title: words::title(experiment),
        scale: &experiment.experiment.scale,
        started: summary::started(&experiment.started_at),
        verdict: words::verdict(experiment),
        tone: words::tone(experiment).class(),
        tiles: tiles(experiment),
        caveats: words::caveats(experiment),
        compared: compared(experiment),
        limit: limits.as_ref().and_then(|it| chart::beside_limit(&it.speeds, it.limit)),
        limits: limits.as_ref().map(limits::table).unwrap_or_default(),
        amplification: flash.into_iter().flat_map(|group| group.charts).collect(),
        drives: amplification::drives(experiment, trials),
        steadiness: amplification::steadiness(experiment, trials),
        drive_facts: amplification::facts(experiment, trials),
        rows: amplification::rows(experiment, trials),
        variants: section::variants(experiment),
        bars: bars(experiment),
        published: section::published(experiment, trials),
        scaling: chart::scaling(&scaling),
        peaks: sweeps::table(&scaling),
        steps: sweeps::steps(&scaling),
        legend: over_time.variants(),
        trial_numbers: trials.runs(experiment).map(|(it, _)| (it.number, &*it.variant)).collect(),
        over_time: [over_time.throughput(), over_time.latency()].into_iter().flatten().collect(),
        percentiles: percentiles(experiment, trials),
        latencies: section::latencies(experiment, trials),
        watched,
        more,
        settings: differences::settings(experiment),
        variables: differences::variables(experiment),
        trials: section::trials(experiment, trials),
        warnings: section::warnings(experiment, trials),
        profiles: facts::profiles(experiment),
        deviations: facts::deviations(experiment),
        facts: facts::facts(experiment),
        command: words::command(experiment),
        file: words::file(experiment),
    };
    filled(&page, &experiment.id)
}

/// What is shown of a comparison.
struct Compared<'a> {
    title: String,
    chart: Option<Chart>,
    judged: Table,
    sentences: Vec<&'a str>,
    further: Table,
}

fn compared(experiment: &ExperimentRecord) -> Vec<Compared<'_>> {
    let comparisons = experiment.comparisons.iter().enumerate();
    let shown = comparisons.map(|(number, comparison)| {
        let effects = comparison.effects.iter().filter(|it| it.verdict != Verdict::NotJudged);
        let sentences = effects.map(|effect| effect.sentence.as_str());
        let judged = section::effects(comparison, true);
        Compared {
            title: judged.caption.clone(),
            chart: chart::effects(comparison, number),
            judged: Table { caption: "The same in numbers".to_owned(), ..judged },
            sentences: sentences.filter(|sentence| !sentence.is_empty()).collect(),
            further: section::effects(comparison, false),
        }
    });
    shown.collect()
}

fn tiles(experiment: &ExperimentRecord) -> Vec<Tile> {
    let tile = |name: &str, value: String, tone| Tile { name: name.to_owned(), value, tone };
    let (status, tone) = match experiment.status {
        RunStatus::Complete => ("complete", Tone::Good),
        RunStatus::Partial { .. } => ("partial", Tone::Bad),
    };
    let trials = format!("{} of {}", experiment.trials.len(), experiment.planned);
    let mut tiles = vec![
        tile("Experiment", status.to_owned(), tone),
        tile("Trials", trials, Tone::Plain),
        tile("Variants", experiment.variants.len().to_string(), Tone::Plain),
        tile("Order", words::order(experiment), Tone::Plain),
    ];
    let checked = |trial: &TrialRecord| trial.check_good;
    let checked: Vec<bool> = experiment.trials.iter().filter_map(checked).collect();
    if !checked.is_empty() {
        let good = checked.iter().filter(|good| **good).count();
        let tone = if good == checked.len() { Tone::Good } else { Tone::Bad };
        tiles.push(tile("Consistent", format!("{good} of {}", checked.len()), tone));
    }
    tiles.push(tile("Took", format::duration(experiment.took_s), Tone::Plain));
    tiles
}

/// The first figures of all variants; two variants that are compared have the effects instead.
fn bars(experiment: &ExperimentRecord) -> Vec<Chart> {
    if experiment.variants.len() < 2 || !experiment.comparisons.is_empty() {
        return Vec::new();
    }
    let names = figures::names(experiment).into_iter().take(BARS_MAX).enumerate();
    let charts = names.filter_map(|(number, (name, unit))| {
        let bar = |(variant, it): (usize, &lab::experiment::VariantRecord)| {
            let figure = figures::of(experiment, &it.name, name)?;
            let trials = figures::counted(experiment, &it.name);
            let of_trial = |trial: &&TrialRecord| {
                Some(trial.figures.iter().find(|figure| figure.name == name)?.value)
            };
            Some(Bar {
                name: it.name.clone(),
                variant,
                value: figure.value,
                ci95: figure.ci95,
                trials: trials.iter().filter_map(of_trial).collect(),
            })
        };
        let all: Vec<Bar> = experiment.variants.iter().enumerate().filter_map(bar).collect();
        chart::bars(&format!("bars-{number}"), &format!("{name} by variant"), unit, &all)
    });
    charts.collect()
}

fn percentiles(experiment: &ExperimentRecord, trials: &Trials) -> Option<Chart> {
    let of = |name: &str| trials.response_of(experiment, name);
    let merged: Vec<LatencyHistogram> =
        experiment.variants.iter().map(|variant| of(&variant.name)).collect();
    let named = experiment.variants.iter().zip(&merged).enumerate();
    let lines: Vec<Distribution<'_>> = named
        .map(|(index, (variant, response))| Distribution {
            name: variant.name.clone(),
            class: chart::class(index),
            response,
        })
        .collect();
    chart::distributions("Distribution of response times, all transactions", &lines)
}
