//! `myrig streams status`: what the daemon does, and each file with its wanted and its real hint.

use super::{
    control,
    place::Place,
    report::{Directory, File, Overruled, Report, SCHEMA, duration},
    stop::nobody,
};
use crate::{
    args::StreamsStatusArgs,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use anyhow::{Context, anyhow};
use report::text::{Style, paint, printable, wrapped};
use std::{collections::BTreeMap, fmt::Write as _};

const RED: &str = "31";

/// What is said of a file stands below its hints.
const BELOW_A_FILE: &str = "           ";

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
    overruled: usize,
}

impl Counts {
    fn of(files: &[File]) -> Self {
        let mut counts = Self::default();
        for file in files {
            *counts.hints.entry(file.wanted.clone()).or_default() += 1;
            counts.wrong += usize::from(file.is_wrong());
            counts.overruled += usize::from(file.overruled.is_some());
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
    text += &beside("files    ", &counts.words(), style).join("");
    text += &beside("so far   ", &report.figures.words(), style).join("");
    if let Some(error) = &report.rules_error {
        let words = format!("the new rules were not taken, the earlier ones hold: {error}");
        text += &said("rules    ", &words, style);
    }
    if counts.wrong > 0 {
        let words = format!("{} files do not have the hint that they should have", counts.wrong);
        text += &said("wrong    ", &words, style);
    }
    if counts.overruled > 0 {
        let words = format!(
            "{} names are of files that have another name whose rule comes first",
            counts.overruled
        );
        text += &said("links    ", &words, style);
    }
    for directory in &report.directories {
        text += &below(directory, report, style);
    }
    text
}

/// A directory with its files.
fn below(directory: &Directory, report: &Report, style: Style) -> String {
    let Directory { directory: path, rules, rule_count, missing, unwatched, .. } = directory;
    let mut text = format!("\n{}\n  {rule_count} rules: {}\n", printable(path), printable(rules));
    if let Some(why) = missing {
        text += &said("  ", &format!("waited for: {why}"), style);
    }
    if *unwatched > 0 {
        let _ = writeln!(text, "  {unwatched} directories are read every few seconds, not watched");
    }
    let files = report.files.iter().filter_map(|file| Some((file, inside(&file.path, path)?)));
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
            text += &said(BELOW_A_FILE, error, style);
        }
        if let Some(Overruled { own, by }) = &file.overruled {
            let by = below_or_whole(by, path);
            let words =
                format!("its rule says {own}; {by} is the same file, and its rule is first");
            text += &said(BELOW_A_FILE, &words, style);
        }
    }
    text
}

/// Words in lines that fit beside what comes before them.
fn beside(before: &str, words: &str, style: Style) -> Vec<String> {
    let room = style.width.saturating_sub(before.len()).max(24);
    let lines = wrapped(&printable(words), room).into_iter().enumerate();
    let begin = |at: usize| if at == 0 { before.to_owned() } else { " ".repeat(before.len()) };
    lines.map(|(at, line)| format!("{}{line}\n", begin(at))).collect()
}

/// The same where it needs to be seen.
fn said(before: &str, words: &str, style: Style) -> String {
    let painted = |line: &String| format!("{}\n", paint(line.trim_end_matches('\n'), RED, style));
    beside(before, words, style).iter().map(painted).collect()
}

/// A path as it is called below a directory; the whole of it if it lies elsewhere.
fn below_or_whole<'a>(path: &'a str, directory: &str) -> &'a str {
    inside(path, directory).unwrap_or(path)
}

/// The name of a file below a directory; none if it lies elsewhere.
fn inside<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(directory.trim_end_matches('/'))?;
    rest.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A report with whatever may stand in names.
    fn report() -> Report {
        let path = |name: &str| format!("/d\u{1b}[2J/{name}");
        let long = format!("{}\u{7}\n.ibd", "n".repeat(200));
        let file = |name: &str, wanted: &str| File {
            path: path(name),
            line: 1,
            wanted: wanted.to_owned(),
            real: Some("short".to_owned()),
            ..File::default()
        };
        let refused = format!("permission denied\u{9b}31m{}", " and more".repeat(20));
        let by = Overruled { own: "long".to_owned(), by: path("redo\u{202e}") };
        Report {
            pid: 7,
            since: "2026-11-22T14:13:17Z".to_owned(),
            rules_error: Some(format!("line 1\u{1b}[31m\nline 2 {}", "x".repeat(300))),
            directories: vec![Directory {
                directory: "/d\u{1b}[2J".to_owned(),
                rules: "/r\u{1b}]0;x".to_owned(),
                rule_count: 2,
                missing: Some(format!("gone\r{}", " far".repeat(40))),
                ..Directory::default()
            }],
            files: vec![
                File { overruled: Some(by), ..file("cold", "short") },
                File { error: Some(refused), ..file(&long, "medium") },
            ],
            ..Report::default()
        }
    }

    #[test]
    fn names_of_any_kind_do_nothing_to_the_terminal_and_leave_the_columns_straight() {
        let report = report();
        let style = Style { colour: false, width: 80 };
        let text = text(&report, &Counts::of(&report.files), style);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        // A file's name is told whole, on one line, so that it can be copied.
        assert_eq!(wide.len(), 1, "{text}");
        assert!(wide[0].starts_with("  medium   short    nnn") && wide[0].ends_with(".ibd"));
        let below = "  short    short    cold\n           its rule says long; redo\u{fffd} is the \
                     same file, and its rule is first\n";
        assert!(text.contains(below), "{text}");
        assert!(text.contains("\nlinks    1 names are of files"), "{text}");
        assert!(text.contains("\nwrong    1 files do not"), "{text}");
        assert!(text.contains("\n  waited for: gone far"), "{text}");
    }
}
