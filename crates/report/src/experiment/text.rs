//! An experiment as plain text, for a terminal, a log or a Markdown page.

use crate::{
    table::{plain_markdown, printable, wrapped},
    text::{BOLD, Style, YELLOW, paint, said},
};
use lab::experiment::ExperimentRecord;
use std::fmt::Write as _;

/// The summary of an experiment, its verdict first. Ends with a line feed.
pub fn text(experiment: &ExperimentRecord, style: Style) -> String {
    let mut text = String::new();
    for line in wrapped(&printable(&experiment.experiment.title), style.width) {
        let _ = writeln!(text, "{}", paint(&line, BOLD, style));
    }
    for line in wrapped(&printable(&experiment.verdict), style.width) {
        let _ = writeln!(text, "{line}");
    }
    for caveat in &experiment.caveats {
        said(&mut text, "!", caveat, YELLOW, style);
    }
    text
}

/// The same as a Markdown page.
pub fn markdown(experiment: &ExperimentRecord) -> String {
    format!(
        "# {}\n\n{}\n",
        plain_markdown(&experiment.experiment.title),
        plain_markdown(&experiment.verdict)
    )
}
