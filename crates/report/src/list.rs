//! Many runs, a line each.

use crate::{
    format, summary,
    table::{Row, Table},
    text::Style,
};
use lab::store::RunSummary;

/// The runs in the order given, as aligned lines; a sentence where there is none.
pub fn render(runs: &[RunSummary], style: Style) -> String {
    if runs.is_empty() {
        return "No run. `myrig demo` makes one.\n".to_owned();
    }
    let lines = table(runs).lines(style.width);
    lines.into_iter().map(|(_, line)| line + "\n").collect()
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
