//! An experiment as plain text, for a terminal, a log or a Markdown page.

use super::{amplification, differences, limits, section, sweeps, trials::Trials, words};
use crate::{
    table::{Table, Tone, plain_markdown, printable, wrapped},
    text::{BOLD, GREEN, RED, Style, YELLOW, fitted, paint, said, table_text},
};
use lab::{comparison::Comparison, experiment::ExperimentRecord};
use std::fmt::Write as _;

/// Columns of the table of effects that make room on a narrow terminal, the first to go first: the
/// bootstrap, the smallest effect, p, the means. Each counts the columns that are still there.
const EFFECTS_DISPENSABLE: [usize; 5] = [5, 6, 5, 1, 1];

/// The summary of an experiment, its verdict first. Ends with a line feed.
pub fn text(experiment: &ExperimentRecord, trials: &Trials, style: Style) -> String {
    let mut text = String::new();
    for line in wrapped(&printable(words::title(experiment)), style.width) {
        let _ = writeln!(text, "{}", paint(&line, BOLD, style));
    }
    for line in wrapped(&printable(&words::lead(experiment)), style.width) {
        let _ = writeln!(text, "{line}");
    }
    text.push('\n');
    let code = match words::tone(experiment) {
        Tone::Good => GREEN,
        Tone::Bad => RED,
        Tone::Plain => BOLD,
    };
    for line in wrapped(&printable(&words::verdict(experiment)), style.width) {
        let _ = writeln!(text, "{}", paint(&line, code, style));
    }
    for caveat in words::caveats(experiment) {
        said(&mut text, "!", caveat, YELLOW, style);
    }
    for table in variants(section::variants(experiment), style) {
        text += &table_text(&table, style);
    }
    for comparison in &experiment.comparisons {
        text += &table_text(&effects(comparison, style), style);
    }
    for table in further(experiment, trials) {
        let dispensable: &[usize] = match table.columns.len() {
            6 => &[1],
            // Of drives the latest rows, the interval.
            7 => &[6, 5],
            _ => &[],
        };
        text += &table_text(&fitted(table, dispensable, style.width), style);
    }
    text
}

/// The table, and where there is no room for all of it a second one for what the variants are.
fn variants(table: Table, style: Style) -> Vec<Table> {
    let fits = |table: &Table| {
        table.lines(style.width).iter().all(|(_, line)| line.chars().count() <= style.width)
    };
    if fits(&table) {
        return vec![table];
    }
    let columns = table.columns.len();
    let mut what = table.clone();
    for _ in 1..columns - 1 {
        what = what.without(1);
    }
    what.caption = "What differs".to_owned();
    // Without what differs and the size, then the server, then the least important figures.
    let mut figures = table.without(columns - 1).without(columns - 2);
    while !fits(&figures) && figures.columns.len() > 4 {
        let last = figures.columns.len() - 1;
        figures = figures.without(last);
    }
    vec![figures, what]
}

fn effects(comparison: &Comparison, style: Style) -> Table {
    fitted(section::effects(comparison, true), &EFFECTS_DISPENSABLE, style.width)
}

/// What only some experiments have: a limit, sweeps, published figures.
fn further(experiment: &ExperimentRecord, trials: &Trials) -> Vec<Table> {
    let scaling = sweeps::of(experiment, trials);
    // The words of the last two columns are too long for a line.
    let peaks = sweeps::table(&scaling).without(4);
    let limits = limits::of(experiment).as_ref().map(limits::table).unwrap_or_default();
    let drives = amplification::drives(experiment, trials);
    let steadiness = amplification::steadiness(experiment, trials);
    let published = section::published(experiment, trials);
    let mut tables = vec![limits, drives, steadiness, peaks, published];
    tables.retain(|table| !table.is_empty());
    tables
}

/// The same as a Markdown page, for a pull request: what is long is folded away.
pub fn markdown(experiment: &ExperimentRecord, trials: &Trials) -> String {
    let mut text = format!("# {}\n\n", plain_markdown(words::title(experiment)));
    let _ = writeln!(text, "**{}**", plain_markdown(&words::verdict(experiment)));
    for caveat in words::caveats(experiment) {
        let _ = write!(text, "\n> **Warning** {}\n", plain_markdown(caveat));
    }
    for comparison in &experiment.comparisons {
        let table = section::effects(comparison, true);
        let _ = write!(text, "\n## {}\n\n{}", plain_markdown(&table.caption), table.markdown());
    }
    let mut tables = vec![section::variants(experiment)];
    tables.extend(further(experiment, trials));
    for table in tables {
        let _ = write!(text, "\n## {}\n\n{}", plain_markdown(&table.caption), table.markdown());
    }
    let published = experiment.experiment.published.as_ref();
    if let Some(published) = published {
        let _ = write!(text, "\nPublished: {}.\n", plain_markdown(&published.source));
        for difference in &published.differs {
            let _ = writeln!(text, "- {}", plain_markdown(difference));
        }
    }
    let settings = [differences::settings(experiment), differences::variables(experiment)];
    let further = experiment.comparisons.iter().map(|it| section::effects(it, false));
    let folded = further.chain(settings).chain([section::trials(experiment, trials)]);
    for table in folded.filter(|table| !table.is_empty()) {
        fold(&mut text, &table.caption, &table.markdown());
    }
    let file = words::file(experiment);
    let fence = fence(&file);
    let command = words::command(experiment);
    let again = format!("{fence}\n{command}\n{fence}\n\n{fence}toml\n{file}\n{fence}\n");
    fold(&mut text, "Do it again: the command and the file", &again);
    let lead = plain_markdown(&words::lead(experiment));
    let _ = write!(text, "\n{lead}\n");
    text
}

fn fold(text: &mut String, summary: &str, content: &str) {
    let summary = plain_markdown(summary);
    let _ = write!(text, "\n<details><summary>{summary}</summary>\n\n{content}\n</details>\n");
}

/// A fence that nothing in the text can end.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!([fence(""), fence("a ``` b"), fence("````")], ["```", "````", "`````"]);
    }
}
