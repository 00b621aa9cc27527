//! A run as plain text: what the page says, for a terminal, a log or a Markdown page.

use crate::{
    section,
    summary::{self, Alert},
    table::{Table, Tone, plain_markdown},
};
use lab::record::{Figure, RunRecord};
use std::fmt::Write as _;

pub use crate::{
    format::count,
    table::{printable, wrapped},
};

/// How text is shown. The caller knows its terminal; nothing is asked here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to colour with ANSI escapes.
    pub colour: bool,
    /// Longest line, characters.
    pub width: usize,
}

pub(crate) const BOLD: &str = "1";
pub(crate) const GREEN: &str = "32";
pub(crate) const RED: &str = "31";
pub(crate) const YELLOW: &str = "33";

/// A run's figures on one line, `12,345 tpmC, 456 TPS`.
pub fn figures(record: &RunRecord) -> String {
    figures_of(&record.headline)
}

/// The same of any figures.
pub fn figures_of(figures: &[Figure]) -> String {
    let figures: Vec<String> = figures
        .iter()
        .map(summary::headline)
        .map(|figure| format!("{} {}", figure.value, figure.name))
        .collect();
    if figures.is_empty() { "no figure".to_owned() } else { printable(&figures.join(", ")) }
}

/// The summary of a run: figures, verdicts, warnings, tables. Ends with a line feed. Control
/// characters in the record's words are shown as marks.
pub fn render(record: &RunRecord, style: Style) -> String {
    let mut text = String::new();
    let paint = |words: &str, code| paint(words, code, style);
    let _ = writeln!(text, "{}", paint(&printable(&summary::title(record)), BOLD));
    let label = if record.label.is_empty() { String::new() } else { format!("{}, ", record.label) };
    let connections = match record.client.connections {
        // No load was put on: files were read.
        0 => String::new(),
        number => format!("{number} connections, "),
    };
    let lead = format!(
        "{label}profile {}, {connections}{}, {}, run {}",
        record.workload.profile,
        summary::measured(record),
        summary::started(&record.started_at),
        record.id
    );
    for line in wrapped(&printable(&lead), style.width) {
        let _ = writeln!(text, "{line}");
    }
    text.push('\n');
    for figure in record.headline.iter().map(summary::headline) {
        let value = paint(&printable(&format!("{} {}", figure.value, figure.name)), BOLD);
        let _ = writeln!(text, "  {value}, {}", printable(&figure.detail));
    }
    if record.headline.is_empty() {
        text += "  no figure: the run ended before anything was measured\n";
    }
    let (check, tone) = summary::check(record.check.as_ref());
    let _ = writeln!(text, "  consistency: {}", paint(&check, tone_code(tone)));
    for alert in summary::alerts(record) {
        text += &alert_text(&alert, style);
    }
    for table in tables(record) {
        text += &table_text(&table, style);
    }
    text
}

/// The same as a Markdown page.
pub fn markdown(record: &RunRecord) -> String {
    let mut text = format!("# {}\n\n", plain_markdown(&summary::title(record)));
    for figure in record.headline.iter().map(summary::headline) {
        let name = plain_markdown(&figure.name);
        let detail = plain_markdown(&figure.detail);
        let _ = writeln!(text, "**{} {name}**, {detail}", figure.value);
        text.push('\n');
    }
    let (check, _) = summary::check(record.check.as_ref());
    let started = summary::started(&record.started_at);
    let lead =
        format!("Run {}, {}, {started}; consistency: {check}.", record.id, record.workload.profile);
    let _ = writeln!(text, "{}", plain_markdown(&lead));
    for alert in summary::alerts(record) {
        let _ = write!(text, "\n> **{}** {}\n", alert.title, plain_markdown(&alert.text));
    }
    for table in tables(record) {
        let _ = write!(text, "\n## {}\n\n{}", table.caption, table.markdown());
    }
    text
}

/// The tables that have something to say. Conditions are listed where one does not hold.
fn tables(record: &RunRecord) -> Vec<Table> {
    let mut tables = vec![section::outcomes(record), section::latencies(record)];
    tables.extend([section::waits_in_short(record), section::errors(record)]);
    if record.check.as_ref().is_some_and(|check| !check.good) {
        tables.push(section::conditions(record));
    }
    tables.retain(|table| !table.is_empty());
    tables
}

/// A name and a sentence, wrapped and indented.
pub(crate) fn said(text: &mut String, name: &str, words: &str, code: &str, style: Style) {
    let lines = wrapped(&printable(words), style.width.saturating_sub(8));
    for (index, line) in lines.iter().enumerate() {
        let name = if index == 0 { name } else { "" };
        let _ = writeln!(text, "  {}", paint(&format!("{name:<5} {line}"), code, style));
    }
}

/// The table without columns that there is no room for. `dispensable` are those that may go, the
/// first to go first; each counts the columns that are still there.
pub(crate) fn fitted(mut table: Table, dispensable: &[usize], width: usize) -> Table {
    for &column in dispensable {
        let wide = table.lines(width).iter().any(|(_, line)| line.chars().count() > width);
        if wide {
            table = table.without(column);
        }
    }
    table
}

/// A table below its caption, coloured where something is bad.
pub(crate) fn table_text(table: &Table, style: Style) -> String {
    let mut text = String::from("\n");
    let caption = wrapped(&table.caption, style.width).into_iter();
    let caption = caption.map(|line| paint(&line, BOLD, style));
    let lines = table.lines(style.width).into_iter();
    // Good lines are the rule and stay plain; colour is for what needs to be seen.
    let lines = lines.map(|(tone, line)| match tone {
        Tone::Bad => paint(&line, RED, style),
        Tone::Good | Tone::Plain => line,
    });
    for line in caption.chain(lines) {
        text += &line;
        text.push('\n');
    }
    text
}

fn alert_text(alert: &Alert, style: Style) -> String {
    let code = if alert.tone == Tone::Bad { RED } else { YELLOW };
    let words = printable(&format!("{}: {}", alert.title, alert.text));
    let mut text = String::new();
    for (index, line) in wrapped(&words, style.width.saturating_sub(4)).iter().enumerate() {
        let mark = if index == 0 { "!" } else { " " };
        let _ = writeln!(text, "  {}", paint(&format!("{mark} {line}"), code, style));
    }
    text
}

fn tone_code(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => GREEN,
        Tone::Bad => RED,
    }
}

/// The words in a colour, by the number of its ANSI escape, where colours are wanted.
pub fn paint(words: &str, code: &str, style: Style) -> String {
    match style.colour && !code.is_empty() {
        true => format!("\u{1b}[{code}m{words}\u{1b}[0m"),
        false => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_only_when_asked_for() {
        let plain = Style { colour: false, width: 80 };
        assert_eq!(paint("x", RED, plain), "x");
        assert_eq!(paint("x", RED, Style { colour: true, ..plain }), "\u{1b}[31mx\u{1b}[0m");
    }
}
