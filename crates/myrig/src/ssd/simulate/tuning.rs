//! `--tune`: stream rules proposed from a trace.

use super::{
    drives::{self, Asked},
    placements::{self, Named},
    progress::Replaying,
    table,
    trace::Traced,
};
use crate::{args::SsdSimulateArgs, failure::Failure};
use anyhow::Context;
use flash::{
    placement::Placement,
    replay::{Effect, PageTrace, ReplayError, Setup, Stopping, Watch, replay_all},
    tune::{ClassLife, Classes, Lifetimes, Search, halves, lifetimes, propose as search},
};
use host::Bytes;
use serde_json::{Value, json};
use std::{
    borrow::Cow,
    fs,
    path::{Path, PathBuf},
};
use streams::{Lifetime, Rules};

/// Classes that are shown to a person, those that are written most.
const SHOWN: usize = 20;

/// What is proposed.
pub(super) struct Proposed {
    /// To be replayed beside the other placements.
    pub(super) named: Named,
    /// The text of a rule file.
    pub(super) rules: String,
    lifetimes: Lifetimes,
    hints: Vec<u8>,
    page_bytes: u32,
    tried: usize,
    /// What rules are worth on the second half of the trace that were chosen on the first, against
    /// none; nothing if the trace cannot be parted.
    held_out: Option<Effect>,
}

/// Proposes rules by what the first drive makes of them.
pub(super) fn propose(
    traced: &Traced,
    drive: &Asked,
    stopping: Stopping,
    args: &SsdSimulateArgs,
    replaying: &Replaying<'_>,
) -> Result<Proposed, Failure> {
    if traced.files.len() < 2 {
        return Err(Failure::usage(
            "--tune: the trace names no file, so there is nothing to make rules of; trace a device \
             whose file system is mounted",
        ));
    }
    let names: Vec<Cow<'_, str>> = traced.files.iter().map(|path| path.to_string_lossy()).collect();
    let classes = Classes::new(names.iter().map(AsRef::as_ref));
    let lifetimes = lifetimes(&traced.trace, &classes);
    let how = Search {
        drive: drive.options,
        stopping,
        streams_max: args.tune_streams.min(drive.options.streams.max(2)),
        moves: args.tune_moves,
        threads: drives::jobs(args.jobs),
    };
    let found = replaying.show("trying rules", None, |watch| {
        search(&traced.trace, &classes, &lifetimes, &how, watch)
    })?;
    let found = found.map_err(super::refusal)?;
    let files = &traced.files;
    let held_out = replaying.show("trying rules on half of the trace", None, |watch| {
        held_out(&traced.trace, (&classes, files), &how, args.seed, watch)
    })??;
    let rules = found.rules(&classes);
    let placement = as_rules(&rules, &traced.files)?;
    Ok(Proposed {
        named: Named { name: "proposed".to_owned(), placement },
        rules,
        lifetimes,
        hints: found.hints,
        page_bytes: drive.options.geometry.page_bytes,
        tried: found.tried,
        held_out,
    })
}

/// What rules that are chosen on the first half of a trace are worth on the second.
fn held_out(
    trace: &PageTrace,
    (classes, files): (&Classes, &[PathBuf]),
    how: &Search,
    seed: u64,
    watch: &Watch,
) -> Result<Option<Effect>, Failure> {
    let drive = how.drive;
    let Some([first, second]) = halves(trace, drive.geometry.page_bytes) else { return Ok(None) };
    let found = search(&first, classes, &lifetimes(&first, classes), how, watch);
    let placement = as_rules(&found.map_err(super::refusal)?.rules(classes), files)?;
    let setups = [Placement::Ignored, placement].map(|placement| Setup { drive, placement });
    let outcomes = replay_all(&second, &setups, how.stopping, how.threads, watch);
    let outcomes: Result<Vec<_>, ReplayError> = outcomes.into_iter().collect();
    let outcomes = outcomes.map_err(super::refusal)?;
    Ok(outcomes
        .first()
        .zip(outcomes.get(1))
        .and_then(|(before, after)| Effect::between(before, after, seed)))
}

/// The placement of the rules as the daemon would read them, so that what is measured is what is
/// written.
fn as_rules(text: &str, files: &[PathBuf]) -> Result<flash::placement::Placement, Failure> {
    let rules = Rules::parse(text).context("the proposed rules")?;
    placements::by_rules(&rules, "proposed", Some(files))
}

/// Writes the rules to a file.
pub(super) fn write(file: &Path, rules: &str) -> Result<(), Failure> {
    Ok(fs::write(file, rules).with_context(|| format!("--rules-out {}", file.display()))?)
}

impl Proposed {
    /// What a program is told.
    pub(super) fn json(&self) -> Value {
        let class = |(life, hint): (&ClassLife, &u8)| {
            let mut value = json!(life);
            value["stream"] = json!(hint);
            value
        };
        let classes: Vec<Value> =
            self.lifetimes.classes.iter().zip(&self.hints).map(class).collect();
        json!({
            "rules": self.rules,
            "tried": self.tried,
            "held_out": self.held_out,
            "classes": classes,
        })
    }

    /// What a person sees: how long what the classes wrote lived, and the rules.
    pub(super) fn text(&self, file: Option<&Path>, width: usize) -> String {
        let mut classes: Vec<(&ClassLife, u8)> =
            self.lifetimes.classes.iter().zip(self.hints.iter().copied()).collect();
        classes.retain(|(life, _)| life.written_pages > 0);
        classes.sort_by_key(|(life, _)| std::cmp::Reverse(life.written_pages));
        let patterns = classes.iter().map(|(life, _)| life.pattern.as_str());
        let dir = common(patterns.filter(|pattern| !pattern.is_empty()));
        let rows: Vec<Vec<String>> =
            classes.iter().take(SHOWN).map(|(life, hint)| self.row(life, *hint, dir)).collect();
        let head = ["#written", "#p10", "#median", "#p90", "#lasting", "stream", "files"];
        let words = format!(
            "Lifetimes, in bytes that the device was given between a write and the next write or \
             discard of the same page (Kaplan-Meier; > : not seen). Proposed after {} assignments \
             were simulated on the first drive{}. Files are those below {}",
            self.tried,
            self.judged(),
            dir.trim_start_matches('^')
        );
        let mut text =
            format!("\n{}\n{}", table::wrapped(&words, width), table::lines(&head, &rows));
        if let Some(more) = classes.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            text += &format!("and {more} classes more\n");
        }
        text += &match file {
            Some(file) => format!("\nrules: {}\n", file.display()),
            None => format!("\n{}", self.rules),
        };
        text
    }

    /// What the gain is on writes that did not choose the rules.
    fn judged(&self) -> String {
        let Some(Effect { change, ci95 }) = self.held_out else {
            return "; on another trace the gain may be less".to_owned();
        };
        let interval = ci95.map_or(String::new(), |(low, high)| {
            format!(" ({} to {})", table::change(low), table::change(high))
        });
        format!(
            ". Rules chosen in the same way on the first half of the trace are worth {}{interval} \
             on the second half; of another load even that says nothing",
            table::change(change)
        )
    }

    fn row(&self, life: &ClassLife, hint: u8, dir: &str) -> Vec<String> {
        let bytes = |pages: f64| Bytes((pages * f64::from(self.page_bytes)) as u64).to_string();
        let most = self.lifetimes.written_pages as f64;
        let lifetime =
            |pages: Option<f64>| pages.map_or_else(|| format!("> {}", bytes(most)), bytes);
        let stream = Lifetime::from_number(hint.into()).filter(|_| hint > 0);
        let lasting = 100.0 * life.lasting_pages as f64 / life.written_pages.max(1) as f64;
        vec![
            bytes(life.written_pages as f64),
            lifetime(life.p10_pages),
            lifetime(life.median_pages),
            lifetime(life.p90_pages),
            format!("{lasting:.0}%"),
            stream.map_or("-".to_owned(), |lifetime| format!("{hint} {lifetime}")),
            match life.pattern.strip_prefix(dir) {
                Some("") | None => "(no file)".to_owned(),
                Some(file) => file.trim_end_matches('$').to_owned(),
            },
        ]
    }
}

/// The directory that all patterns begin with, its last slash included.
fn common<'a>(mut patterns: impl Iterator<Item = &'a str>) -> &'a str {
    let Some(mut dir) = patterns.next() else { return "" };
    for pattern in patterns {
        let same = dir.chars().zip(pattern.chars()).take_while(|(a, b)| a == b);
        let same: usize = same.map(|(letter, _)| letter.len_utf8()).sum();
        dir = &dir[..same];
    }
    dir.rfind('/').map_or("", |at| &dir[..=at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_share_a_directory() {
        let common = |patterns: &[&'static str]| common(patterns.iter().copied());
        assert_eq!(common(&["^/d/t/a[0-9]+$", "^/d/t/ab$", "^/d/log$"]), "^/d/");
        assert_eq!(common(&["^/d/t/a$"]), "^/d/t/");
        assert_eq!(common(&["^/é/a$", "^/è/a$"]), "^/");
        assert_eq!(common(&["x", "y"]), "");
        assert_eq!(common(&[]), "");
    }
}
