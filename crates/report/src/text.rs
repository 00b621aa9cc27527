//! A run as plain text: what the page says, for a terminal, a log or a Markdown page.

use crate::{
    section,
    summary::{self, Alert},
    table::{Table, Tone, plain_markdown, printable},
};
use lab::record::RunRecord;
use std::fmt::Write as _;

/// How text is shown. The caller knows its terminal; nothing is asked here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to colour with ANSI escapes.
    pub colour: bool,
    /// Longest line, characters.
    pub width: usize,
}

const BOLD: &str = "1";
const GREEN: &str = "32";
const RED: &str = "31";
const YELLOW: &str = "33";

/// The summary of a run: figures, verdicts, warnings, tables. Ends with a line feed. Control
/// characters in the record's words are shown as marks.
pub fn render(record: &RunRecord, style: Style) -> String {
    let mut text = String::new();
    let paint = |words: &str, code| paint(words, code, style);
    let _ = writeln!(text, "{}", paint(&printable(&summary::title(record)), BOLD));
    let label = if record.label.is_empty() { String::new() } else { format!("{}, ", record.label) };
    let lead = format!(
        "{label}profile {}, {} connections, {}, {}, run {}",
        record.workload.profile,
        record.client.connections,
        summary::measured(record),
        summary::started(record),
        record.id
    );
    text += &wrapped(&lead, "", style.width);
    text.push('\n');
    for figure in record.headline.iter().map(summary::headline) {
        let value = paint(&printable(&format!("{} {}", figure.value, figure.name)), BOLD);
        let _ = writeln!(text, "  {value} {}, {}", printable(&figure.unit), figure.interval);
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
        let _ = writeln!(text, "**{} {name}** {}, {}", figure.value, figure.unit, figure.interval);
        text.push('\n');
    }
    let (check, _) = summary::check(record.check.as_ref());
    let started = summary::started(record);
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
    let mut tables =
        vec![section::outcomes(record), section::latencies(record), section::errors(record)];
    if record.check.as_ref().is_some_and(|check| !check.good) {
        tables.push(section::conditions(record));
    }
    tables.retain(|table| !table.is_empty());
    tables
}

fn table_text(table: &Table, style: Style) -> String {
    let mut text = format!("\n{}\n", paint(&table.caption, BOLD, style));
    let lines = table.text(style.width);
    // Two lines of heading, then a line a row, each followed by its notes.
    let tones = table.rows.iter().flat_map(|row| vec![row.tone; 1 + row.notes.len()]);
    let mut tones = [Tone::Plain, Tone::Plain].into_iter().chain(tones);
    for line in lines.lines() {
        let code = match tones.next() {
            Some(Tone::Bad) => RED,
            _ => "",
        };
        let _ = writeln!(text, "{}", paint(line, code, style));
    }
    text
}

fn alert_text(alert: &Alert, style: Style) -> String {
    let code = if alert.tone == Tone::Bad { RED } else { YELLOW };
    let lines = wrapped(&format!("! {}: {}", alert.title, alert.text), "    ", style.width.max(20));
    lines.lines().fold(String::new(), |text, line| text + "  " + &paint(line, code, style) + "\n")
}

fn tone_code(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => GREEN,
        Tone::Bad => RED,
    }
}

fn paint(words: &str, code: &str, style: Style) -> String {
    match style.colour && !code.is_empty() {
        true => format!("\u{1b}[{code}m{words}\u{1b}[0m"),
        false => words.to_owned(),
    }
}

/// The words in lines of at most `width` characters, `indent` before all but the first.
fn wrapped(words: &str, indent: &str, width: usize) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for word in printable(words).split_whitespace() {
        let longer = line.chars().count() + 1 + word.chars().count();
        if !line.trim().is_empty() && longer > width {
            text += line.trim_end();
            text.push('\n');
            indent.clone_into(&mut line);
        } else if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
        line += word;
    }
    text + line.trim_end() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_at_the_width() {
        assert_eq!(wrapped("one two three four", "  ", 9), "one two\n  three\n  four\n");
        assert_eq!(wrapped("", "", 9), "\n");
    }

    #[test]
    fn colours_come_only_when_asked_for() {
        let plain = Style { colour: false, width: 80 };
        assert_eq!(paint("x", RED, plain), "x");
        assert_eq!(paint("x", RED, Style { colour: true, ..plain }), "\u{1b}[31mx\u{1b}[0m");
    }
}
