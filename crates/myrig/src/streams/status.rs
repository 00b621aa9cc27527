//! `myrig streams status`: what the daemon does, and each file with its wanted and its real hint.

use super::{
    control,
    place::Place,
    report::{Directory, File, Report, SCHEMA, duration},
    stop::nobody,
};
use crate::{
    args::StreamsStatusArgs,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use anyhow::{Context, anyhow};
use report::text::{Style, paint, printable};
use std::{collections::BTreeMap, fmt::Write as _};

const RED: &str = "31";

pub(super) fn run(
    args: &StreamsStatusArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let place = Place::new(&args.place, paths)?;
    let Some(holder) = super::holder(&place)? else {
        let report: Report = Report { schema: SCHEMA.to_owned(), ..Report::default() };
        output.result(&report, &nobody(&place))?;
        return Ok(Status::Bad);
    };
    let waiting = output.spinner("asking the daemon");
    let question = if args.check { "check" } else { "status" };
    let answer = control::ask(&place.socket(), question);
    waiting.finish_and_clear();
    let answer = answer?.ok_or_else(|| {
        anyhow!("process {} is starting or ending, and does not answer yet", holder.pid)
    })?;
    let mut report: Report = serde_json::from_str(&answer)
        .with_context(|| format!("what process {} answers is not understood", holder.pid))?;
    let good = report.rules_error.is_none() && !report.files.iter().any(File::is_wrong);
    let counts = Counts::of(&report.files);
    if args.wrong {
        report.files.retain(File::is_wrong);
    }
    output.result(&report, &text(&report, &counts, output.style()))?;
    Ok(if good { Status::Good } else { Status::Bad })
}

/// How many files there are of each kind.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    hints: BTreeMap<String, usize>,
    wrong: usize,
}

impl Counts {
    fn of(files: &[File]) -> Self {
        let mut counts = Self::default();
        for file in files {
            *counts.hints.entry(file.wanted.clone()).or_default() += 1;
            counts.wrong += usize::from(file.is_wrong());
        }
        counts
    }

    fn words(&self) -> String {
        let hints: Vec<String> =
            self.hints.iter().map(|(name, count)| format!("{count} {name}")).collect();
        if hints.is_empty() { "no rule matches any".to_owned() } else { hints.join(", ") }
    }
}

fn text(report: &Report, counts: &Counts, style: Style) -> String {
    let mut text = format!(
        "process {} has kept hints since {} ({})\n",
        report.pid,
        report.since,
        duration(report.uptime_s)
    );
    let _ = writeln!(text, "files    {}", counts.words());
    let _ = writeln!(text, "so far   {}", report.figures.words());
    if let Some(error) = &report.rules_error {
        let words = format!("the new rules were not taken, the earlier ones hold: {error}");
        let _ = writeln!(text, "rules    {}", paint(&words, RED, style));
    }
    if counts.wrong > 0 {
        let words = format!("{} files do not have the hint that they should have", counts.wrong);
        let _ = writeln!(text, "wrong    {}", paint(&words, RED, style));
    }
    for directory in &report.directories {
        text += &below(directory, report, style);
    }
    text
}

/// A directory with its files.
fn below(directory: &Directory, report: &Report, style: Style) -> String {
    let Directory { directory: path, rules, rule_count, missing, unwatched, .. } = directory;
    let mut text = format!("\n{path}\n  {rule_count} rules: {rules}\n");
    if let Some(why) = missing {
        let _ = writeln!(text, "  {}", paint(&format!("waited for: {why}"), RED, style));
    }
    if *unwatched > 0 {
        let _ = writeln!(text, "  {unwatched} directories are read every few seconds, not watched");
    }
    let files = report.files.iter().filter_map(|file| Some((file, inside(file, path)?)));
    let mut files = files.peekable();
    if files.peek().is_some() {
        text += "  wanted   real     file\n";
    }
    for (file, name) in files {
        let wanted = &file.wanted;
        let real = file.real.as_deref().unwrap_or("?");
        let line = format!("  {wanted:8} {real:8} {}", printable(name));
        let line = if file.is_wrong() { paint(&line, RED, style) } else { line };
        let _ = writeln!(text, "{line}");
        if let Some(error) = &file.error {
            let _ = writeln!(text, "           {}", paint(error, RED, style));
        }
    }
    text
}

/// The name of a file below a directory; none if it lies elsewhere.
fn inside<'a>(file: &'a File, directory: &str) -> Option<&'a str> {
    let rest = file.path.strip_prefix(directory.trim_end_matches('/'))?;
    rest.strip_prefix('/')
}
