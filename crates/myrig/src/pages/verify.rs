//! `myrig pages verify`: every page of files, directories or a whole data directory.

use super::{
    read,
    view::{self, counted},
};
use crate::{
    args::PagesVerifyArgs,
    disk::limit,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use pages::{
    file::Kind,
    verify::{FileState, Reasons, Report},
};
use report::text::{Style, count};
use serde::Serialize;

/// What a program is told.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: &'static str,
    verdict: &'static str,
    bad_files: usize,
    bytes_per_s: f64,
    limit: Option<Share>,
    #[serde(flatten)]
    report: &'a Report,
}

/// How fast the disk was, beside how fast it can be.
#[derive(Debug, Serialize)]
struct Share {
    device: String,
    read_bytes_per_s: f64,
    /// Of that; none where most of what was read came through the page cache.
    share: Option<f64>,
}

pub(super) fn run(
    args: &PagesVerifyArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let report = read::read(&args.read, args.list_limit, false, output)?;
    let status = read::status(&report);
    let answer = Answer {
        schema: "myrig.pages/1",
        verdict: match status {
            Status::Good => "good",
            Status::Bad => "bad",
            _ => "incomplete",
        },
        bad_files: report.bad_files(),
        bytes_per_s: report.bytes_per_s(),
        limit: share(&report, paths),
        report: &report,
    };
    let text = match output.json() {
        true => String::new(),
        false => text(&report, answer.limit.as_ref(), args, output.style()),
    };
    output.result(&answer, &text)?;
    Ok(status)
}

/// The speed as a share of the limit of the disk that the first file is on.
fn share(report: &Report, paths: &Paths) -> Option<Share> {
    let limit = limit::known_limit(paths, &report.files.first()?.path)?;
    let read = report.scan.read_bytes();
    let from_disk = report.scan.direct_bytes.saturating_mul(2) > read;
    Some(Share {
        device: limit.device,
        read_bytes_per_s: limit.read_bytes_per_s,
        share: from_disk.then(|| report.bytes_per_s() / limit.read_bytes_per_s.max(1.0)),
    })
}

fn text(report: &Report, limit: Option<&Share>, args: &PagesVerifyArgs, style: Style) -> String {
    let mut text = String::new();
    // What is bad comes first; a file without a remark is told where it was asked for.
    let (bad, good): (Vec<_>, Vec<_>) = report.files.iter().partition(|file| file.is_bad());
    for file in bad {
        text += &view::file(file, style);
    }
    text += &view::failures(report, style);
    if args.quiet {
        return text;
    }
    for file in good {
        let telling = file.state != FileState::Verified || !file.remarks.is_empty();
        if args.verbose || telling {
            text += &view::file(file, style);
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text + &conclusion(report)
        + &view::skipped(report)
        + &view::speed(report)
        + &of_limit(report, limit)
}

/// A second's worth of reading from the disk says something of its speed.
const TELLING_BYTES: u64 = 1 << 30;

/// A share above it is no matter of chance.
const BEYOND: f64 = 1.05;

fn of_limit(report: &Report, limit: Option<&Share>) -> String {
    let from_disk = report.scan.direct_bytes + report.scan.buffered_bytes;
    match limit {
        Some(Share { device, read_bytes_per_s, share: Some(share) }) => {
            let beyond = match *share > BEYOND {
                true => "The files have holes, or the disk was busy when it was measured.\n",
                false => "",
            };
            let (percent, limit) = (share * 100.0, read_bytes_per_s / 1e9);
            format!("That is {percent:.0}% of the limit of {device}, {limit:.2} GB/s.\n{beyond}")
        }
        None if from_disk >= TELLING_BYTES => {
            "`myrig disk bench` measures what the disk could do.\n".to_owned()
        }
        _ => String::new(),
    }
}

fn conclusion(report: &Report) -> String {
    let totals = &report.totals;
    let files = counted(report.files.len() as u64, "file");
    let pages = counted(totals.pages(), "page");
    let mut text = format!("{files}, {pages}: {}\n", view::counts(totals));
    let mut reasons = Reasons::default();
    report.files.iter().for_each(|file| reasons.join(&file.unverifiable));
    if totals.unverifiable > 0 {
        text += &format!("Unverifiable: {}\n", view::reasons(&reasons));
    }
    if report.scan.stopped {
        text += "Stopped before the end; what was not read is not told.\n";
    }
    text += &verdict(report);
    if report.online {
        text += "A server is running on these files: suspicious pages were read again.\n";
    }
    text
}

/// What it comes to, in a sentence.
fn verdict(report: &Report) -> String {
    let (logs, files): (Vec<_>, Vec<_>) =
        report.files.iter().filter(|file| file.is_bad()).partition(|file| file.kind == Kind::Redo);
    let copies: usize = files.iter().flat_map(|file| &file.bad).map(|bad| bad.copies.len()).sum();
    let mut parts = Vec::new();
    match report.totals.damaged() {
        0 => {}
        1 => parts.push("1 page is bad".to_owned()),
        pages => {
            let files = counted(files.len() as u64, "file");
            parts.push(format!("{} in {files} are bad", counted(pages, "page")));
        }
    }
    if copies > 0 {
        parts.push(format!("of {} there is a good copy", count(copies as u64)));
    }
    match logs.len() as u64 {
        0 => {}
        1 => parts.push("a redo log is damaged".to_owned()),
        logs => parts.push(format!("{logs} redo logs are damaged")),
    }
    match (parts.is_empty(), report.failed.len() as u64) {
        (false, _) => format!("{}.\n", parts.join("; ")),
        (true, 0) => "No page is bad.\n".to_owned(),
        (true, failed) => {
            format!(
                "No page that was read is bad; {} could not be read.\n",
                counted(failed, "place")
            )
        }
    }
}
