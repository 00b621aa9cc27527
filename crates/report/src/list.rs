//! Many runs, a line each.

use crate::{
    format, summary,
    table::{Row, Table},
    text::Style,
};
use lab::store::{RunSummary, SweepSummary};

/// Columns that make room on a narrow terminal, the first to go first: the run's id begins with
/// its start, and `runs show` says the rest. Each counts the columns that are still there.
const DISPENSABLE: [usize; 3] = [STARTED, SERVER - 1, WORKLOAD - 1];
const STARTED: usize = 1;
const WORKLOAD: usize = 2;
const SERVER: usize = 6;

/// The sweeps, then the runs, in the order given, as aligned lines; a sentence where there is none.
/// What does not fit into the width is left out by columns.
pub fn render(runs: &[RunSummary], sweeps: &[SweepSummary], style: Style) -> String {
    if runs.is_empty() && sweeps.is_empty() {
        return "No run. `myrig demo` makes one.\n".to_owned();
    }
    let mut text = String::new();
    if !sweeps.is_empty() {
        text += &fitted(sweep_table(sweeps), style);
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

fn started(started_at: &str) -> String {
    started_at.replace('T', " ").trim_end_matches('Z').to_owned()
}

fn table(runs: &[RunSummary]) -> Table {
    let titles = ["Run", "Started (UTC)", "Workload", "#Result", "", "Status", "Server", "Label"];
    let mut table = Table::new("Runs", &titles);
    for run in runs {
        let (value, name) = match &run.headline {
            Some(headline) => (format::figure(headline.value), headline.name.clone()),
            None => ("–".to_owned(), String::new()),
        };
        let mut label = run.label.clone();
        if let Some(step) = &run.sweep {
            let gap = if label.is_empty() { "" } else { ", " };
            // The tail of the id is what tells sweeps apart.
            let tail = step.id.rsplit('-').next().unwrap_or_default();
            label += &format!("{gap}step {} of {tail}", step.step);
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
