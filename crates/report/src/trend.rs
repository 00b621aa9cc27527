//! The history of a metric as plain text or Markdown.

use crate::{
    comparison::p_words,
    format,
    table::{Row, Table, Tone, plain_markdown, printable, wrapped},
    text::{BOLD, RED, Style, fitted, paint, table_text},
};
use lab::{comparison::Verdict, trend::Trend};
use std::fmt::Write as _;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Columns that make room on a narrow terminal: p, then the number of runs.
const DISPENSABLE: [usize; 2] = [6, 5];

/// The answer, the history as a row of bars, and a table of the changes. Ends with a line feed.
pub fn text(trend: &Trend, style: Style) -> String {
    let mut text = String::new();
    for line in wrapped(&printable(&trend.sentence), style.width) {
        let worse = trend.changes.last().is_some_and(|last| last.verdict == Verdict::Worse);
        let _ = writeln!(text, "{}", paint(&line, if worse { RED } else { BOLD }, style));
    }
    for line in wrapped(&printable(&trend.runs_of), style.width) {
        let _ = writeln!(text, "{line}");
    }
    if trend.points.len() > 1 {
        let _ = write!(text, "\n{}", bars(trend, style.width));
    }
    if !trend.changes.is_empty() {
        text += &table_text(&fitted(table(trend), &DISPENSABLE, style.width), style);
    }
    text
}

/// The same as Markdown.
pub fn markdown(trend: &Trend) -> String {
    let plain = |words: &str| plain_markdown(&printable(words));
    let mut text = format!("**{}**\n\n{}\n", plain(&trend.sentence), plain(&trend.runs_of));
    if !trend.changes.is_empty() {
        let _ = write!(text, "\n{}", table(trend).markdown());
    }
    text
}

/// The latest runs, a bar each, with a mark below the first one after each change.
fn bars(trend: &Trend, width: usize) -> String {
    let first = trend.points.len().saturating_sub(width);
    let values: Vec<f64> = trend.points[first..].iter().map(|point| point.value).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let bar = |value: &f64| {
        let share = if most > least { (value - least) / (most - least) } else { 0.5 };
        // Between 0 and 7.
        BARS[((share * 7.0).round() as usize).min(7)]
    };
    let line: String = values.iter().map(bar).collect();
    let is_change = |index: usize| trend.changes.iter().any(|change| change.index == index);
    let marks: String =
        (first..trend.points.len()).map(|at| if is_change(at) { '^' } else { ' ' }).collect();
    match marks.trim_end() {
        "" => format!("{line}\n"),
        marks => format!("{line}\n{marks}\n"),
    }
}

fn table(trend: &Trend) -> Table {
    let titles =
        ["First run after", "Started (UTC)", "#Before", "#After", "#Change", "#Runs", "#p"];
    let caption = format!("Changes in {}", trend.metric.name);
    let mut table = Table::new(&caption, &titles);
    for change in &trend.changes {
        let row = Row::new(vec![
            change.run.clone(),
            change.started_at.replace('T', " ").trim_end_matches('Z').to_owned(),
            format::figure(change.before),
            format::figure(change.after),
            format!("{:+.1}%", change.change_percent),
            format!("{} → {}", change.runs_before, change.runs_after),
            p_words(change.p_value),
        ]);
        let tone = if change.verdict == Verdict::Worse { Tone::Bad } else { Tone::Good };
        table.rows.push(row.toned(tone, 4));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::{
        comparison::{Better, Metric},
        trend::{Point, TrendOptions},
    };

    fn trend(runs: usize) -> Trend {
        let metric = Metric {
            name: "tpmC".to_owned(),
            unit: "1/min".to_owned(),
            better: Better::Higher,
            judged: true,
        };
        let level = |run: usize| if run < runs * 2 / 3 { 12_000.0 } else { 10_900.0 };
        let point = |run: usize| Point {
            run: format!("202611{:02}T120000-00000{}", run + 1, run % 10),
            started_at: format!("2026-11-{:02}T12:00:00Z", run + 1),
            value: level(run) + 40.0 * ((run * 7 % 5) as f64 - 2.0),
        };
        let points = (0..runs).map(point).collect();
        Trend::of(metric, "tpcc spec/1, 4 warehouses".to_owned(), points, &TrendOptions::default())
    }

    #[test]
    fn a_history_fits_a_terminal_of_eighty_columns() {
        let text = text(&trend(24), Style { colour: false, width: 80 });
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_history_without_a_change_has_no_table() {
        let text = text(&trend(3), Style { colour: false, width: 80 });
        assert!(text.contains("too few") && !text.contains("First run"), "{text}");
        assert!(markdown(&trend(24)).contains("| 20261117T120000-000006 |"));
    }
}
