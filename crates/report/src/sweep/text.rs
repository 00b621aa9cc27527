//! A sweep as plain text, for a terminal, a log or a Markdown page.

use super::{section, words};
use crate::{
    summary,
    table::{plain_markdown, printable, wrapped},
    text::{BOLD, RED, Style, YELLOW, fitted, paint, said, table_text},
};
use lab::{record::RunStatus, sweep::SweepRecord};
use std::fmt::Write as _;

/// Columns that make room on a narrow terminal, the first to go first: the client's and the
/// server's processor time, the interval. Each counts the columns that are still there.
const DISPENSABLE: [usize; 3] = [6, 6, 2];

/// The summary of a sweep: its steps with bars, peak, knee, and why it ended. Ends with a line
/// feed.
pub fn text(sweep: &SweepRecord, style: Style) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", paint(&printable(&words::title(sweep)), BOLD, style));
    let label = if sweep.label.is_empty() { String::new() } else { format!("{}, ", sweep.label) };
    let lead = format!(
        "{label}profile {}, sweep over {}, {}, {}",
        sweep.workload.profile,
        sweep.varied.unit(),
        summary::started(&sweep.started_at),
        sweep.id
    );
    for line in wrapped(&printable(&lead), style.width) {
        let _ = writeln!(text, "{line}");
    }
    text.push('\n');
    for (name, words) in [("peak", words::peak(sweep)), ("knee", words::knee(sweep))] {
        said(&mut text, name, &words, "", style);
    }
    let code = if sweep.status == RunStatus::Complete { "" } else { RED };
    said(&mut text, "end", &sweep.ended, code, style);
    for warning in &sweep.warnings {
        said(&mut text, "!", warning, YELLOW, style);
    }
    text + &table_text(&fitted(section::steps(sweep, true), &DISPENSABLE, style.width), style)
}

/// The same as a Markdown page.
pub fn markdown(sweep: &SweepRecord) -> String {
    let mut text = format!("# {}\n\n", plain_markdown(&words::title(sweep)));
    let _ = writeln!(
        text,
        "Sweep over {}, profile {}, {}, {}.\n",
        sweep.varied.unit(),
        plain_markdown(&sweep.workload.profile),
        plain_markdown(&summary::started(&sweep.started_at)),
        plain_markdown(&sweep.id)
    );
    let ended = ("End", sweep.ended.clone());
    for (name, words) in [("Peak", words::peak(sweep)), ("Knee", words::knee(sweep)), ended] {
        let _ = writeln!(text, "- **{name}**: {}", plain_markdown(&words));
    }
    for warning in &sweep.warnings {
        let _ = write!(text, "\n> **Warning** {}\n", plain_markdown(warning));
    }
    for table in [section::steps(sweep, false), section::types(sweep), section::runs(sweep)] {
        if !table.is_empty() {
            let _ = write!(text, "\n## {}\n\n{}", table.caption, table.markdown());
        }
    }
    text
}
