//! A group as plain text, for a terminal, a log or a Markdown page.

use super::{section, title, troubles};
use crate::{
    summary,
    table::{plain_markdown, printable, wrapped},
    text::{BOLD, RED, Style, YELLOW, fitted, paint, said, table_text},
};
use lab::group::GroupRecord;
use std::fmt::Write as _;

/// Columns that make room on a narrow terminal, the first to go first: the client's processor
/// time, the place, the size, the server's processors, the share, the median.
const DISPENSABLE: [usize; 6] = [7, 9, 8, 7, 3, 3];

/// The summary of a group: its sums, its members, what is wrong with them. Ends with a line feed.
pub fn text(group: &GroupRecord, style: Style) -> String {
    let mut text = String::new();
    for line in wrapped(&printable(&title(group)), style.width) {
        let _ = writeln!(text, "{}", paint(&line, BOLD, style));
    }
    for line in wrapped(&printable(&lead(group)), style.width) {
        let _ = writeln!(text, "{line}");
    }
    text.push('\n');
    for headline in group.headline.iter().map(summary::headline) {
        let words = format!("{} together; {}", headline.value, headline.detail);
        said(&mut text, &headline.name, &words, "", style);
    }
    for (name, words) in troubles(group) {
        said(&mut text, "!", &format!("{name}: {words}"), RED, style);
    }
    for warning in &group.warnings {
        said(&mut text, "!", warning, YELLOW, style);
    }
    text + &table_text(&fitted(section::members(group), &DISPENSABLE, style.width), style)
}

fn lead(group: &GroupRecord) -> String {
    let label = if group.label.is_empty() { String::new() } else { format!("{}, ", group.label) };
    let started = summary::started(&group.started_at);
    format!("{label}profile {}, {started}, {}", group.workload.profile, group.id)
}

/// The same as a Markdown page.
pub fn markdown(group: &GroupRecord) -> String {
    let mut text = format!("# {}\n\n", plain_markdown(&title(group)));
    let _ = writeln!(text, "{}.\n", plain_markdown(&lead(group)));
    for headline in group.headline.iter().map(summary::headline) {
        let words = plain_markdown(&headline.detail);
        let _ = writeln!(text, "- **{} {}** together; {words}", headline.value, headline.name);
    }
    for (name, words) in troubles(group) {
        let words = plain_markdown(&format!("{name}: {words}"));
        let _ = write!(text, "\n> **Trouble** {words}\n");
    }
    for warning in &group.warnings {
        let _ = write!(text, "\n> **Warning** {}\n", plain_markdown(warning));
    }
    for table in [section::members(group), section::runs(group), section::differences(group)] {
        if !table.is_empty() {
            let _ = write!(text, "\n## {}\n\n{}", table.caption, table.markdown());
        }
    }
    text
}
