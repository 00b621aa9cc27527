//! What a trace comes to, for a person.

use super::summary::{Done, Summary};
use host::Bytes;
use report::text::{Style, count, paint, printable};
use std::{fmt::Write as _, path::Path};

const BOLD: &str = "1";
const RED: &str = "31";

/// A path as a terminal may see it.
pub(super) fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

/// Head and tables.
pub(super) fn text(summary: &Summary, style: Style) -> String {
    let mut text = head(summary, style);
    let all = summary.done();
    if summary.events == 0 {
        return text;
    }
    let rows = summary.hints.iter().map(|row| (row.name.clone(), row.done));
    table(&mut text, "hint", rows, all, style);
    if let Some(classes) = &summary.classes {
        let rows = classes.iter().map(|row| (format!("{}, {}", row.class, row.name), row.done));
        table(&mut text, "file and hint", rows, all, style);
    }
    text
}

fn head(summary: &Summary, style: Style) -> String {
    let Summary { device, device_bytes, seconds, events, .. } = summary;
    let lost = match summary.lost {
        Some(0) => "none lost".to_owned(),
        Some(lost) => paint(&format!("{} LOST", count(lost)), RED, style),
        None => paint("it is not known how many were lost", RED, style),
    };
    let mut text = format!(
        "{}, {}, {seconds:.1} s: {} events, {lost}\n",
        printable(device),
        Bytes(*device_bytes),
        count(*events)
    );
    if let Some(file) = &summary.file {
        let _ = write!(text, "{}: {}", shown(&file.path), Bytes(file.bytes));
        if *events > 0 {
            let _ = write!(text, ", {:.1} bytes an event", file.bytes as f64 / *events as f64);
        }
        text.push('\n');
    }
    if !summary.carries_hints {
        text.push_str("This kernel's bios carry no write hint: 0 means nothing here.\n");
    }
    text
}

fn table(
    text: &mut String,
    title: &str,
    rows: impl Iterator<Item = (String, Done)>,
    all: Done,
    style: Style,
) {
    let line = |name: &str, cells: [String; 5]| {
        let [writes, bytes, share, discards, discarded] = cells;
        format!("{name:26}{writes:>11}{bytes:>11}{share:>8}{discards:>11}{discarded:>11}")
    };
    let heads = ["writes", "bytes", "share", "discards", "bytes"].map(str::to_owned);
    let _ = writeln!(text, "\n{}", paint(&line(title, heads), BOLD, style));
    for (name, done) in rows {
        let share = 100.0 * done.written_bytes as f64 / (all.written_bytes as f64).max(1.0);
        let cells = [
            count(done.writes),
            Bytes(done.written_bytes).to_string(),
            format!("{share:.1}%"),
            count(done.discards),
            Bytes(done.discarded_bytes).to_string(),
        ];
        let _ = writeln!(text, "{}", line(&name, cells));
    }
}
