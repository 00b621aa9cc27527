//! Many runs, a line each.

use crate::{
    format, summary,
    table::{Row, Table},
    text::Style,
};
use lab::store::{ExperimentSummary, GroupSummary, HeadlineSummary, RunSummary, SweepSummary};

/// Columns that make room on a narrow terminal, the first to go first: the run's id begins with
/// its start, and `runs show` says the rest. Each counts the columns that are still there.
const DISPENSABLE: [usize; 3] = [STARTED, SERVER - 1, WORKLOAD - 1];
const STARTED: usize = 1;
const WORKLOAD: usize = 2;
const SERVER: usize = 6;

/// The experiments, the sweeps, the groups, then the runs, in the order given, as aligned lines; a
/// sentence where there is none. What does not fit into the width is left out by columns.
pub fn render(
    runs: &[RunSummary],
    sweeps: &[SweepSummary],
    groups: &[GroupSummary],
    experiments: &[ExperimentSummary],
    style: Style,
) -> String {
    if runs.is_empty() && sweeps.is_empty() && groups.is_empty() && experiments.is_empty() {
        return "No run. `myrig demo` makes one.\n".to_owned();
    }
    let mut text = String::new();
    if !experiments.is_empty() {
        text += &fitted(experiment_table(experiments), style);
        text.push('\n');
    }
    if !sweeps.is_empty() {
        text += &fitted(sweep_table(sweeps), style);
        text.push('\n');
    }
    if !groups.is_empty() {
        text += &fitted(group_table(groups), style);
        text.push('\n');
    }
    if runs.is_empty() { text } else { text + &fitted(table(runs), style) }
}

/// The table's lines, without columns that there is no room for.
fn fitted(mut table: Table, style: Style) -> String {
    let fits = |table: &Table| {
        let mut lines = table.lines(style.width).into_iter();
        lines.all(|(_, line)| line.chars().count() <= style.width)
    };
    for column in DISPENSABLE {
        if !fits(&table) && column < table.columns.len() {
            table = table.without(column);
        }
    }
    let lines = table.lines(style.width).into_iter();
    lines.map(|(_, line)| line.trim_end().to_owned() + "\n").collect()
}

/// The same as a Markdown table.
pub fn markdown(runs: &[RunSummary]) -> String {
    table(runs).markdown()
}

/// Started is the second column and can go, as in the other tables.
fn experiment_table(experiments: &[ExperimentSummary]) -> Table {
    let titles = ["Experiment", "Started (UTC)", "Name", "#Trials", "Status", "Verdict"];
    let mut table = Table::new("Experiments", &titles);
    for experiment in experiments {
        let scale = match experiment.scale.as_str() {
            "" => String::new(),
            scale => format!(" ({scale})"),
        };
        let verdict = match experiment.verdict.as_str() {
            "" => experiment.variants.join(", "),
            verdict => verdict.to_owned(),
        };
        table.rows.push(Row::new(vec![
            experiment.id.clone(),
            started(&experiment.started_at),
            format!("{}{scale}", experiment.name),
            format!("{} of {}", experiment.trials, experiment.planned),
            experiment.status.clone(),
            verdict,
        ]));
    }
    table
}

fn sweep_table(sweeps: &[SweepSummary]) -> Table {
    let titles =
        ["Sweep", "Started (UTC)", "Workload", "#Peak", "at", "Status", "Server", "Range, label"];
    let mut table = Table::new("Sweeps", &titles);
    for sweep in sweeps {
        let (value, at) = match (&sweep.peak_name, sweep.peak_value, sweep.peak_at) {
            (Some(name), Some(value), Some(at)) => {
                (format::figure(value), format!("{name} at {}", format::short(at)))
            }
            _ => ("–".to_owned(), String::new()),
        };
        let label =
            if sweep.label.is_empty() { String::new() } else { format!(", {}", sweep.label) };
        table.rows.push(Row::new(vec![
            sweep.id.clone(),
            started(&sweep.started_at),
            format!("{} {}", sweep.workload, sweep.profile),
            value,
            at,
            sweep.status.clone(),
            summary::full_version("", &sweep.server),
            format!("{}{label}", sweep.range),
        ]));
    }
    table
}

fn group_table(groups: &[GroupSummary]) -> Table {
    let titles =
        ["Group", "Started (UTC)", "Workload", "#Together", "", "Status", "Servers", "Label"];
    let mut table = Table::new("Groups", &titles);
    for group in groups {
        let (value, name) = result(group.headline.as_ref());
        table.rows.push(Row::new(vec![
            group.id.clone(),
            started(&group.started_at),
            format!("{} {}", group.workload, group.profile),
            value,
            name,
            group.status.clone(),
            group.members.join(", "),
            group.label.clone(),
        ]));
    }
    table
}

fn result(headline: Option<&HeadlineSummary>) -> (String, String) {
    match headline {
        Some(headline) => (format::figure(headline.value), headline.name.clone()),
        None => ("–".to_owned(), String::new()),
    }
}

fn started(started_at: &str) -> String {
    started_at.replace('T', " ").trim_end_matches('Z').to_owned()
}

fn table(runs: &[RunSummary]) -> Table {
    let titles = ["Run", "Started (UTC)", "Workload", "#Result", "", "Status", "Server", "Label"];
    let mut table = Table::new("Runs", &titles);
    for run in runs {
        let (value, name) = result(run.headline.as_ref());
        let mut label = run.label.clone();
        let wholes = [("step", &run.sweep), ("member", &run.group), ("trial", &run.experiment)];
        for (part, whole) in wholes {
            let Some(place) = whole else { continue };
            let gap = if label.is_empty() { "" } else { ", " };
            // The tail of the id is what tells sweeps and groups apart.
            let tail = place.id.rsplit('-').next().unwrap_or_default();
            label += &format!("{gap}{part} {} of {tail}", place.step);
        }
        table.rows.push(Row::new(vec![
            run.id.clone(),
            started(&run.started_at),
            format!("{} {}", run.workload, run.profile),
            value,
            name,
            run.status.clone(),
            summary::full_version("", &run.server),
            label,
        ]));
    }
    table
}
