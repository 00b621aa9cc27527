//! A sweep as one HTML file that needs no network and no script.

use super::{section, words};
use crate::{
    chart::{self, Chart},
    format,
    html::{RenderError, Tile, filled},
    reproduce,
    section::{self as run_section, Facts},
    summary::{self, Alert},
    table::{Table, Tone},
};
use askama::Template;
use lab::{record::RunStatus, sweep::SweepRecord};

/// What the page is filled with.
#[derive(Template)]
#[template(path = "sweep.html")]
struct Page<'a> {
    sweep: &'a SweepRecord,
    title: String,
    started: String,
    /// Value and name of the peak's figure.
    peak: Option<(String, String)>,
    peak_words: String,
    knee_words: String,
    tiles: Vec<Tile>,
    over: String,
    alerts: Vec<Alert>,
    charts: Vec<Chart>,
    steps: Table,
    types: Table,
    runs: Table,
    facts: Vec<Facts>,
    command: Option<String>,
}

/// The whole page. Everything from the record is escaped.
///
/// # Errors
/// The page cannot be put together.
pub fn html(sweep: &SweepRecord) -> Result<String, RenderError> {
    let charts = [
        chart::throughput_over_steps(sweep),
        chart::percentiles_over_steps(sweep),
        chart::types_over_steps(sweep),
        chart::processors_over_steps(sweep),
    ];
    let page = Page {
        sweep,
        title: words::title(sweep),
        started: summary::started(&sweep.started_at),
        peak: sweep.peak.as_ref().map(|peak| (format::figure(peak.value), peak.figure.clone())),
        peak_words: words::peak(sweep),
        knee_words: words::knee(sweep),
        tiles: tiles(sweep),
        over: format!("sweep over {} · ", sweep.varied.unit()),
        alerts: alerts(sweep),
        charts: charts.into_iter().flatten().collect(),
        steps: section::steps(sweep, false),
        types: section::types(sweep),
        runs: section::runs(sweep),
        facts: run_section::of_sweep(sweep),
        command: reproduce::run_command(&sweep.workload.name, &sweep.settings),
    };
    filled(&page, &sweep.id)
}

fn tiles(sweep: &SweepRecord) -> Vec<Tile> {
    let tile = |name: &str, value: String, tone| Tile { name: name.to_owned(), value, tone };
    let (status, tone) = match sweep.status {
        RunStatus::Complete => ("complete", Tone::Good),
        RunStatus::Partial { .. } => ("partial", Tone::Bad),
    };
    let taken = format!("{} of {}", sweep.steps.len(), sweep.planned.len());
    let mut tiles =
        vec![tile("Sweep", status.to_owned(), tone), tile("Steps taken", taken, Tone::Plain)];
    let step = |index: usize| sweep.steps.get(index);
    if let Some(step) = sweep.peak.as_ref().and_then(|peak| step(peak.step)) {
        tiles.push(tile("Peak at", words::at(sweep, step), Tone::Plain));
        let value = format!("{} ms", format::ms(step.response.p95_ms));
        tiles.push(tile("p95 at the peak", value, Tone::Plain));
    }
    if let Some(step) = sweep.knee.as_ref().and_then(|knee| step(knee.step)) {
        tiles.push(tile("Knee at", words::at(sweep, step), Tone::Plain));
        let value = format!("{} ms", format::ms(step.response.p95_ms));
        tiles.push(tile("p95 at the knee", value, Tone::Plain));
    }
    tiles
}

fn alerts(sweep: &SweepRecord) -> Vec<Alert> {
    let alert = |tone, title: &str, text| Alert { title: title.to_owned(), text, tone };
    let mut alerts = Vec::new();
    if sweep.status != RunStatus::Complete {
        alerts.push(alert(Tone::Bad, "Partial sweep", sweep.ended.clone()));
    }
    for step in &sweep.steps {
        if let Some(words) = words::trouble(step) {
            let text = format!("{}: {words}.", words::at(sweep, step));
            alerts.push(alert(Tone::Bad, "Step", text));
        }
    }
    let warnings = sweep.warnings.iter();
    alerts.extend(warnings.map(|warning| alert(Tone::Plain, "Warning", warning.clone())));
    alerts
}
