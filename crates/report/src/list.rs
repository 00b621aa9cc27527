//! Many runs, a line each.

use crate::{
    format, summary,
    table::{Row, Table},
    text::Style,
};
use lab::store::RunSummary;

/// Columns that make room on a narrow terminal, the first to go first: the run's id begins with
/// its start, and `runs show` says the rest. Each counts the columns that are still there.
const DISPENSABLE: [usize; 3] = [STARTED, SERVER - 1, WORKLOAD - 1];
const STARTED: usize = 1;
const WORKLOAD: usize = 2;
const SERVER: usize = 6;

/// The runs in the order given, as aligned lines; a sentence where there is none. What does not
/// fit into the width is left out by columns.
pub fn render(runs: &[RunSummary], style: Style) -> String {
    if runs.is_empty() {
        return "No run. `myrig demo` makes one.\n".to_owned();
    }
    let mut table = table(runs);
    let fits = |table: &Table| {
        let mut lines = table.lines(style.width).into_iter();
        lines.all(|(_, line)| line.chars().count() <= style.width)
    };
    for column in DISPENSABLE {
        if !fits(&table) {
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

fn table(runs: &[RunSummary]) -> Table {
    let titles = ["Run", "Started (UTC)", "Workload", "#Result", "", "Status", "Server", "Label"];
    let mut table = Table::new("Runs", &titles);
    for run in runs {
        let (value, name) = match &run.headline {
            Some(headline) => (format::figure(headline.value), headline.name.clone()),
            None => ("–".to_owned(), String::new()),
        };
        let started = run.started_at.replace('T', " ");
        table.rows.push(Row::new(vec![
            run.id.clone(),
            started.trim_end_matches('Z').to_owned(),
            format!("{} {}", run.workload, run.profile),
            value,
            name,
            run.status.clone(),
            summary::full_version("", &run.server),
            run.label.clone(),
        ]));
    }
    table
}
