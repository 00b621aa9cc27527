//! What was found in files, in lines for a person.

use host::Bytes;
use pages::{
    Checksum, Damage, Reason, Space, Verdict,
    verify::{BadRange, Counts, FileReport, FileState, Reasons, Report},
};
use report::text::{Style, count, paint, printable};
use std::{fmt::Write as _, path::Path};

const GREEN: &str = "32";
const YELLOW: &str = "33";
const RED: &str = "31";
/// Copies of pages that are told of a range.
const COPIES_SHOWN: usize = 3;

/// A path as a terminal may see it: names of files can hold commands to it.
pub(super) fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

/// So many of something, with its plural.
pub(super) fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// A file: its verdict, what it is, and everything that is wrong with it.
pub(super) fn file(report: &FileReport, style: Style) -> String {
    let (word, code) = match (report.is_bad(), report.state) {
        (_, FileState::Dropped) => ("dropped", YELLOW),
        (true, _) => ("BAD", RED),
        (false, FileState::Verified) => ("ok", GREEN),
    };
    let word = paint(&format!("{word:7}"), code, style);
    let mut text = format!("{word} {}\n", shown(&report.path));
    let what = what(report);
    let _ = writeln!(text, "        {what}: {}", counts(&report.counts));
    if report.counts.unverifiable > 0 {
        let _ = writeln!(text, "        unverifiable: {}", reasons(&report.unverifiable));
    }
    for range in &report.bad {
        let _ = writeln!(text, "        {}", bad(range));
        for copy in range.copies.iter().take(COPIES_SHOWN) {
            let _ = writeln!(
                text,
                "          good copy of page {} (LSN {}): {}, byte {}",
                copy.page,
                copy.lsn,
                shown(&copy.path),
                copy.offset
            );
        }
        if let Some(more @ 1..) = range.copies.len().checked_sub(COPIES_SHOWN) {
            let _ = writeln!(text, "          and good copies of {more} more");
        }
    }
    if report.bad_untold > 0 {
        let _ = writeln!(text, "        and {} more", counted(report.bad_untold, "range"));
    }
    for remark in &report.remarks {
        let _ = writeln!(text, "        {remark}");
    }
    if report.reread > 0 {
        let reread = counted(report.reread, "page");
        let _ = writeln!(text, "        {reread} sound when read again");
    }
    text
}

/// What a file is: `table, 16 KiB full_crc32`.
pub(super) fn what(report: &FileReport) -> String {
    let kind = report.kind.words();
    match (&report.space, &report.redo) {
        (Some(space), _) => format!("{kind}, {}", format_of(space)),
        (None, Some(redo)) => format!("{kind}, format {}", redo.format),
        (None, None) => kind.to_owned(),
    }
}

fn format_of(space: &Space) -> String {
    let sum = match space.checksum {
        Checksum::FullCrc32 => "full_crc32",
        Checksum::Classic => "classic sums",
    };
    let size = Bytes(space.physical_bytes.into());
    let zip = if space.zip { " COMPRESSED" } else { "" };
    let compressed = if space.page_compressed { " page_compressed" } else { "" };
    let encrypted = if space.encrypted { " encrypted" } else { "" };
    format!("{size}{zip}{compressed}{encrypted}, {sum}")
}

/// Pages by verdict, without those that there are none of.
pub(super) fn counts(counts: &Counts) -> String {
    let Counts { ok, empty, freed, doublewrite, unverifiable, torn, misdirected, bad } = *counts;
    let all = [
        (ok, "ok"),
        (empty, "empty"),
        (freed, "freed"),
        (doublewrite, "doublewrite"),
        (unverifiable, "unverifiable"),
        (torn, "torn"),
        (misdirected, "misdirected"),
        (bad, "bad"),
    ];
    let some = all.iter().filter(|(pages, _)| *pages > 0);
    let parts: Vec<String> =
        some.map(|(pages, word)| format!("{} {word}", count(*pages))).collect();
    if parts.is_empty() { "nothing in it".to_owned() } else { parts.join(", ") }
}

/// Why nothing can be said of pages.
pub(super) fn reasons(reasons: &Reasons) -> String {
    let Reasons { encrypted, no_checksum, unfinished_copy } = *reasons;
    let all = [
        (encrypted, Reason::Encrypted),
        (no_checksum, Reason::NoChecksum),
        (unfinished_copy, Reason::UnfinishedCopy),
    ];
    let some = all.iter().filter(|(pages, _)| *pages > 0);
    let parts: Vec<String> = some
        .map(|(pages, reason)| format!("{} {}", count(*pages), reason_words(*reason)))
        .collect();
    parts.join(", ")
}

fn bad(range: &BadRange) -> String {
    let pages = match range.pages {
        1 => format!("page {}", range.first_page),
        pages => format!("pages {} to {}", range.first_page, range.first_page + pages - 1),
    };
    let single = range.pages == 1;
    format!("{pages}: {}", verdict(&range.verdict, single))
}

fn verdict(verdict: &Verdict, single: bool) -> String {
    match verdict {
        Verdict::Torn { header_lsn, trailer_lsn } if single => {
            format!("torn: LSN …{header_lsn:08x} at its beginning, …{trailer_lsn:08x} at its end")
        }
        Verdict::Torn { .. } => "torn".to_owned(),
        Verdict::Misdirected { page, space } if single => format!(
            "misdirected: it is page {} of space {}, not {} of {}",
            page[0], space[0], page[1], space[1]
        ),
        Verdict::Misdirected { .. } => "misdirected".to_owned(),
        Verdict::Bad { damage } => match damage {
            Damage::Checksum { stored, calculated } if single => {
                format!("checksum {stored:08x} instead of {calculated:08x}")
            }
            Damage::Checksum { .. } => "checksums do not hold".to_owned(),
            Damage::Compressed => "cannot be unpacked".to_owned(),
            Damage::Header => "impossible header".to_owned(),
            Damage::Truncated { bytes: 0 } => "not there: the file ends before".to_owned(),
            Damage::Truncated { bytes } => format!("cut off after {bytes} bytes"),
            Damage::Unreadable => "the device does not give it".to_owned(),
        },
        Verdict::Unverifiable { reason } => reason_words(*reason).to_owned(),
        Verdict::Ok | Verdict::Empty | Verdict::Freed | Verdict::Doublewrite => "ok".to_owned(),
    }
}

fn reason_words(reason: Reason) -> &'static str {
    match reason {
        Reason::Encrypted => "encrypted",
        Reason::NoChecksum => "without a checksum",
        Reason::UnfinishedCopy => "of an unfinished copy",
    }
}

/// What could not be read.
pub(super) fn failures(report: &Report, style: Style) -> String {
    let mut text = String::new();
    for failed in &report.failed {
        let word = paint("failed ", YELLOW, style);
        let _ = writeln!(text, "{word} {}\n        {}", shown(&failed.path), failed.error);
    }
    text
}

/// What was passed over, in a line.
pub(super) fn skipped(report: &Report) -> String {
    if report.skipped.is_empty() {
        return String::new();
    }
    let group = |group: &pages::file::Skipped| format!("{} {}", group.files, group.what);
    let groups: Vec<String> = report.skipped.iter().map(group).collect();
    format!("Passed over: {}\n", groups.join(", "))
}

/// How much was read, and how.
pub(super) fn speed(report: &Report) -> String {
    let scan = &report.scan;
    let how = match scan.reader {
        disk::engine::Reader::Uring => "io_uring",
        disk::engine::Reader::Plain => "plain reads",
    };
    let mut text = format!(
        "{} in {:.2} s, {:.2} GB/s",
        Bytes(scan.read_bytes()),
        report.seconds,
        report.bytes_per_s() / 1e9
    );
    if scan.cached_bytes > 0 {
        let _ = write!(text, "; {} were in memory", Bytes(scan.cached_bytes));
    }
    let _ = writeln!(
        text,
        "\n{}, {how}, depth {}, {} buffers",
        counted(scan.jobs as u64, "thread"),
        scan.depth,
        Bytes(scan.buffers_bytes)
    );
    for fallback in &scan.fallbacks {
        let _ = writeln!(text, "Without {}: {}", fallback.without, fallback.reason);
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!([counted(1, "file"), counted(2, "file")], ["1 file", "2 files"]);
    }

    #[test]
    fn names_of_files_do_not_command_the_terminal() {
        assert_eq!(shown(Path::new("a\x1b[2Jb")), "a\u{fffd}[2Jb");
    }

    #[test]
    fn a_file_that_was_dropped_while_it_was_verified_is_told_as_that_and_not_as_bad() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.ibd");
        std::fs::write(&path, [0x5a; 16_384]).unwrap();
        let found = pages::file::walk(std::slice::from_ref(&path));
        let options = pages::verify::Options {
            online: true,
            pause: Box::new(move |_| drop(std::fs::remove_file(&path))),
            ..Default::default()
        };
        let scan = disk::ScanOptions::new(std::num::NonZeroUsize::MIN);
        let report = pages::verify::verify(found, &options, &scan, &()).unwrap();
        let text = file(&report.files[0], Style { colour: false, width: 80 });
        assert!(text.starts_with("dropped ") && text.contains("t.ibd\n"), "{text}");
        assert!(!text.contains("BAD") && !text.contains("impossible"), "{text}");
    }

    #[test]
    fn figures_are_told_of_single_pages_only() {
        let damage = Damage::Checksum { stored: 1, calculated: 2 };
        let range = |pages| BadRange {
            first_page: 7,
            pages,
            offset: 7 * 16_384,
            verdict: Verdict::Bad { damage },
            copies: Vec::new(),
        };
        assert_eq!(bad(&range(1)), "page 7: checksum 00000001 instead of 00000002");
        assert_eq!(bad(&range(3)), "pages 7 to 9: checksums do not hold");
    }
}
