//! A run as one HTML file that needs no network and no script.

use crate::{
    chart::{self, Chart, WatchCharts},
    format, reproduce,
    section::{self, Facts},
    summary::{self, Alert, Headline},
    table::{Table, Tone},
};
use askama::Template;
use lab::record::{Outcomes, RunRecord, RunStatus};

/// What the page is filled with.
#[derive(Template)]
#[template(path = "run.html")]
struct Page<'a> {
    record: &'a RunRecord,
    title: String,
    started: String,
    headline: Option<Headline>,
    further: Vec<Headline>,
    tiles: Vec<Tile>,
    alerts: Vec<Alert>,
    throughput: Option<Chart>,
    latencies: Vec<Chart>,
    percentiles: Option<Chart>,
    watched: WatchCharts,
    waits: Table,
    wait_details: Vec<Table>,
    watch_cost: Option<String>,
    outcomes: Table,
    latency_table: Table,
    errors: Table,
    conditions: Table,
    facts: Vec<Facts>,
    command: Option<String>,
}

/// A small fact beside the headline.
pub(crate) struct Tile {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) tone: Tone,
}

/// A report cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("the report of {id} cannot be written: {source}")]
pub struct RenderError {
    /// The run or sweep.
    pub(crate) id: String,
    /// Why.
    pub(crate) source: askama::Error,
}

/// The whole page. Everything from the record is escaped.
pub fn render(record: &RunRecord) -> Result<String, RenderError> {
    let page = Page {
        record,
        title: summary::title(record),
        started: summary::started(&record.started_at),
        headline: record.headline.first().map(summary::headline),
        further: record.headline.iter().skip(1).map(summary::headline).collect(),
        tiles: tiles(record),
        alerts: summary::alerts(record),
        throughput: chart::throughput_over_time(record),
        latencies: chart::latency_over_time(record),
        percentiles: chart::percentiles(record),
        watched: chart::watched(record),
        waits: section::waits(record),
        wait_details: section::wait_details(record),
        watch_cost: record.watch.as_ref().map(section::watch_cost),
        outcomes: section::outcomes(record),
        latency_table: section::latencies(record),
        errors: section::errors(record),
        conditions: section::conditions(record),
        facts: section::facts(record),
        command: reproduce::command(record),
    };
    filled(&page, &record.id)
}

/// The page as text.
pub(crate) fn filled(page: &impl Template, id: &str) -> Result<String, RenderError> {
    let page = page.render().map_err(|source| RenderError { id: id.to_owned(), source })?;
    // HTML has no way to say a control character.
    Ok(page.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}"))
}

fn tiles(record: &RunRecord) -> Vec<Tile> {
    let (check, check_tone) = summary::check(record.check.as_ref());
    let (status, status_tone) = match record.status {
        RunStatus::Complete => ("complete", Tone::Good),
        RunStatus::Partial { .. } => ("partial", Tone::Bad),
    };
    let tile = |name: &str, value, tone| Tile { name: name.to_owned(), value, tone };
    let mut tiles = vec![
        tile("Run", status.to_owned(), status_tone),
        tile("Consistency", check, check_tone),
        tile("Duration", summary::measured(record), Tone::Plain),
    ];
    if let Some(first) = record.transactions.first().filter(|first| first.response.count() > 0) {
        let at = |percent| format::ms(first.response.percentile_ms(percent));
        let value = format!("{} · {} · {} ms", at(50.0), at(95.0), at(99.0));
        tiles.push(tile(&format!("{}, p50 · p95 · p99", first.name), value, Tone::Plain));
    }
    let connections = format!("{} over {}", record.client.connections, threads(record));
    tiles.push(tile("Connections", connections, Tone::Plain));
    let sum = |of: fn(&Outcomes) -> u64| {
        record.transactions.iter().map(|t| of(&t.measured)).fold(0, u64::saturating_add)
    };
    let failed = sum(|outcomes| outcomes.failed);
    let ended = failed
        .saturating_add(sum(|outcomes| outcomes.committed.saturating_add(outcomes.rolled_back)));
    let words = format!("{} of {}", format::count(failed), format::count(ended));
    tiles.push(tile("Failed", words, if failed > 0 { Tone::Bad } else { Tone::Good }));
    tiles
}

fn threads(record: &RunRecord) -> String {
    format::counted(u64::from(record.client.threads), "thread")
}
