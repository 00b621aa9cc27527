//! `myrig pages summary`: what pages hold, by file and in all.

use super::{
    read,
    view::{self, counted, shown},
};
use crate::{
    args::PagesSummaryArgs,
    failure::{Failure, Status},
    output::Output,
};
use host::Bytes;
use pages::{
    summary::{FileSummary, IndexPages},
    verify::{FileReport, Report},
};
use report::text::{Style, count, paint};
use serde::Serialize;
use std::fmt::Write as _;

const BOLD: &str = "1";

/// What a program is told.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: &'static str,
    /// Types, LSNs and free space of all files.
    totals_summary: &'a FileSummary,
    #[serde(flatten)]
    report: &'a Report,
}

/// Ranges of bad pages that are kept: they are for `verify` to tell.
const RANGES: usize = 1;

pub(super) fn run(args: &PagesSummaryArgs, output: &Output) -> Result<Status, Failure> {
    let report = read::read(&args.read, RANGES, true, output)?;
    let mut totals = FileSummary::default();
    for summary in report.files.iter().filter_map(|file| file.summary.as_deref()) {
        totals.add(summary);
    }
    let answer =
        Answer { schema: "myrig.pages-summary/1", totals_summary: &totals, report: &report };
    let text = match output.json() {
        true => String::new(),
        false => text(&report, &totals, args.list_limit, output.style()),
    };
    output.result(&answer, &text)?;
    Ok(read::status(&report))
}

fn text(report: &Report, totals: &FileSummary, indexes: usize, style: Style) -> String {
    let mut text = String::new();
    for file in &report.files {
        text += &of_file(file, indexes, style);
    }
    text += &view::failures(report, style);
    let files = counted(report.files.len() as u64, "file");
    let head = format!("{files}, {}", counted(report.totals.pages(), "page"));
    let _ = writeln!(text, "{}", paint(&head, BOLD, style));
    text += &lines(totals, &view::counts(&report.totals), style);
    if report.bad_files() > 0 {
        text += "        `myrig pages verify` tells which pages are bad.\n";
    }
    text + &view::skipped(report) + &view::speed(report)
}

fn of_file(file: &FileReport, indexes: usize, style: Style) -> String {
    let head = format!("{} ({})", shown(&file.path), view::what(file));
    let mut text = paint(&head, BOLD, style) + "\n";
    let counts = view::counts(&file.counts);
    match file.summary.as_deref() {
        Some(summary) => {
            text += &lines(summary, &counts, style);
            text += &index_lines(summary, indexes);
        }
        None => text += &format!("        {counts}\n"),
    }
    if let Some(redo) = &file.redo {
        let lsn = |lsn: Option<u64>| lsn.map_or("none".to_owned(), |lsn| lsn.to_string());
        let _ = writeln!(
            text,
            "        checkpoint {}, end {}; by {}",
            lsn(redo.checkpoint_lsn),
            lsn(redo.end_lsn),
            redo.creator
        );
    }
    text
}

fn lines(summary: &FileSummary, counts: &str, style: Style) -> String {
    let mut text = String::new();
    let mut row = |name: &str, words: &str| {
        let _ = writeln!(text, "        {name:8} {}", folded(words, style.width));
    };
    row("pages", counts);
    let types: Vec<String> = summary
        .types
        .iter()
        .map(|of_type| format!("{} {}", count(of_type.pages), of_type.name))
        .collect();
    if !types.is_empty() {
        row("types", &types.join(", "));
    }
    if let Some((low, high)) = summary.lsn {
        row("LSN", &format!("{low} to {high}"));
    }
    let free = counted(summary.free_pages, "page");
    row("free", &format!("{free}, {}", Bytes(summary.free_bytes)));
    text
}

/// Words behind a name, folded at the width.
fn folded(words: &str, width: usize) -> String {
    const INDENT: usize = 17;
    let mut text = String::new();
    let mut used = INDENT;
    for word in words.split(' ') {
        let length = word.chars().count();
        match () {
            () if text.is_empty() => {}
            () if used + 1 + length > width => {
                text += &format!("\n{:INDENT$}", "");
                used = INDENT;
            }
            () => {
                text.push(' ');
                used += 1;
            }
        }
        text += word;
        used += length;
    }
    text
}

fn index_lines(summary: &FileSummary, most: usize) -> String {
    let mut text = String::new();
    if !summary.indexes.is_empty() {
        let _ = writeln!(
            text,
            "        {:>10} {:>6} {:>10} {:>10} {:>14} {:>6}",
            "index", "levels", "pages", "leaves", "records", "fill"
        );
    }
    let mut largest: Vec<&IndexPages> = summary.indexes.iter().collect();
    largest.sort_by_key(|index| (std::cmp::Reverse(index.pages), index.index));
    for index in largest.iter().take(most) {
        let _ = writeln!(
            text,
            "        {:>10} {:>6} {:>10} {:>10} {:>14} {:>5.0}%",
            index.index,
            index.levels,
            count(index.pages),
            count(index.leaf_pages),
            count(index.records),
            index.fill * 100.0
        );
    }
    if let Some(more @ 1..) = largest.len().checked_sub(most) {
        let _ = writeln!(text, "        and {more} more");
    }
    if summary.veiled_index_pages > 0 {
        let pages = counted(summary.veiled_index_pages, "page");
        let _ =
            writeln!(text, "        {pages} compressed or encrypted: of what index is not told");
    }
    text
}
