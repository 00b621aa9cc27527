//! A group as one HTML file that needs no network and no script.

use super::{section, title, troubles};
use crate::{
    chart::{self, Chart},
    format,
    html::{RenderError, Tile, filled},
    reproduce,
    section::{self as run_section, Facts},
    summary::{self, Alert, Headline},
    table::{Table, Tone},
};
use askama::Template;
use lab::{
    group::{GroupRecord, combined},
    record::{RunRecord, RunStatus},
};

/// What the page is filled with.
#[derive(Template)]
#[template(path = "group.html")]
struct Page<'a> {
    group: &'a GroupRecord,
    title: String,
    started: String,
    headline: Option<Headline>,
    further: Vec<Headline>,
    tiles: Vec<Tile>,
    alerts: Vec<Alert>,
    throughput: Option<Chart>,
    percentiles: Option<Chart>,
    latencies_over_time: Vec<Chart>,
    machine: Vec<Chart>,
    members: Table,
    outcomes: Option<Table>,
    latencies: Option<Table>,
    runs: Table,
    differences: Table,
    facts: Vec<Facts>,
    command: Option<String>,
}

/// The whole page; `runs` in the order of the members, for the charts over time. Without them
/// these are left out. Everything from the records is escaped.
///
/// # Errors
/// The page cannot be put together.
pub fn html(group: &GroupRecord, runs: &[RunRecord]) -> Result<String, RenderError> {
    let all = combined(group, runs).filter(|_| runs.len() == group.members.len());
    let mut headlines = group.headline.iter().map(summary::headline);
    let page = Page {
        group,
        title: title(group),
        started: summary::started(&group.started_at),
        headline: headlines.next(),
        further: headlines.collect(),
        tiles: tiles(group, all.as_ref()),
        alerts: alerts(group),
        throughput: all.as_ref().and_then(chart::throughput_over_time),
        percentiles: all.as_ref().and_then(chart::percentiles),
        machine: all.as_ref().map(machine).unwrap_or_default(),
        latencies_over_time: all.as_ref().map(chart::latency_over_time).unwrap_or_default(),
        members: section::members(group),
        outcomes: all.as_ref().map(run_section::outcomes),
        latencies: all.as_ref().map(run_section::latencies),
        runs: section::runs(group),
        differences: section::differences(group),
        facts: run_section::of_group(group),
        command: reproduce::run_command(&group.workload.name, &group.settings),
    };
    filled(&page, &group.id)
}

/// What the machine did, whichever server it was for.
fn machine(all: &RunRecord) -> Vec<Chart> {
    let charts = chart::watched(all);
    charts.first.into_iter().chain(charts.more).collect()
}

fn tiles(group: &GroupRecord, all: Option<&RunRecord>) -> Vec<Tile> {
    let tile = |name: &str, value: String, tone| Tile { name: name.to_owned(), value, tone };
    let (status, tone) = match group.status {
        RunStatus::Complete => ("complete", Tone::Good),
        RunStatus::Partial { .. } => ("partial", Tone::Bad),
    };
    let mut tiles = vec![tile("Group", status.to_owned(), tone)];
    tiles.push(tile("Servers", group.members.len().to_string(), Tone::Plain));
    let checked: Vec<bool> =
        group.members.iter().filter_map(|member| member.run.check_good).collect();
    if !checked.is_empty() {
        let good = checked.iter().filter(|good| **good).count();
        let tone = if good == checked.len() { Tone::Good } else { Tone::Bad };
        tiles.push(tile("Consistent", format!("{good} of {}", checked.len()), tone));
    }
    if let Some(all) = all {
        tiles.push(tile("Duration", summary::measured(all), Tone::Plain));
        tiles.push(tile("Connections", all.client.connections.to_string(), Tone::Plain));
        if let Some(cpus) = all.server_cpus {
            tiles.push(tile("Servers' CPUs", format::figure(cpus), Tone::Plain));
        }
    }
    tiles
}

fn alerts(group: &GroupRecord) -> Vec<Alert> {
    let alert = |tone, title: &str, text| Alert { title: title.to_owned(), text, tone };
    let mut alerts: Vec<_> = troubles(group)
        .into_iter()
        .map(|(name, words)| alert(Tone::Bad, "Trouble", format!("{name}: {words}.")))
        .collect();
    let warnings = group.warnings.iter();
    alerts.extend(warnings.map(|warning| alert(Tone::Plain, "Warning", warning.clone())));
    alerts
}
