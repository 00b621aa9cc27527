//! What a daemon tells of itself: `myrig.streams-status/1`.

use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};
use streams::keeper::{Counters, Status};

/// The schema's name.
pub(super) const SCHEMA: &str = "myrig.streams-status/1";

/// Everything. It is made by the daemon and read by `status`, which are the same program but
/// perhaps not of the same version: what is not known is passed over, what is missing is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Report {
    pub(super) schema: String,
    /// Whether a daemon runs; without one the rest is empty.
    pub(super) running: bool,
    pub(super) version: String,
    pub(super) pid: u32,
    /// When it began, and for how long it has run.
    pub(super) since: String,
    pub(super) uptime_s: f64,
    pub(super) directories: Vec<Directory>,
    /// Why the rules that were last read were not taken; the earlier ones hold.
    pub(super) rules_error: Option<String>,
    pub(super) figures: Figures,
    /// Files that a rule matches.
    pub(super) files: Vec<File>,
}

/// What the daemon has done since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Figures {
    /// Hints given to files that had another or none; of those, again after they had been lost.
    pub(super) set: u64,
    pub(super) set_again: u64,
    /// Hints taken away because no rule matched any more.
    pub(super) cleared: u64,
    /// Looks at files, and those of them that failed.
    pub(super) checks: u64,
    pub(super) failures: u64,
    /// Directories read.
    pub(super) scans: u64,
    /// Times that the kernel lost events.
    pub(super) overflows: u64,
    /// Times that rules were read anew and taken, and not taken.
    pub(super) reloads: u64,
    pub(super) reloads_failed: u64,
}

/// A directory that is watched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Directory {
    pub(super) directory: PathBuf,
    /// The rule file, or the name of a built-in set.
    pub(super) rules: String,
    /// How many rules there are.
    pub(super) rule_count: usize,
    /// Why it is not there, if it is not.
    pub(super) missing: Option<String>,
    /// How many directories it has, itself included, and how many of them the kernel does not
    /// watch for us: those are read every few seconds.
    pub(super) directories: usize,
    pub(super) unwatched: usize,
}

/// A file, the hint that it should have and the one that it has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct File {
    pub(super) path: PathBuf,
    /// The line of the rule that decides.
    pub(super) line: usize,
    /// What it should have.
    pub(super) wanted: String,
    /// What it had when it was last looked at; none where it never could be.
    pub(super) real: Option<String>,
    /// Why it could not be read or given its hint.
    pub(super) error: Option<String>,
}

impl File {
    /// Whether it has not got what it should have.
    pub(super) fn is_wrong(&self) -> bool {
        self.real.as_ref() != Some(&self.wanted)
    }
}

impl Figures {
    /// The keeper's counts, with those of rules read anew: taken, and not taken.
    pub(super) fn new(counters: &Counters, reloads: (u64, u64)) -> Self {
        Self {
            set: counters.set,
            set_again: counters.set_again,
            cleared: counters.cleared,
            checks: counters.checks,
            failures: counters.failures,
            scans: counters.scans,
            overflows: counters.overflows,
            reloads: reloads.0,
            reloads_failed: reloads.1,
        }
    }

    /// The same in words.
    pub(super) fn words(&self) -> String {
        let Self { set, set_again, failures, overflows, reloads, .. } = self;
        format!(
            "{set} hints set, {set_again} set again; {failures} failures; {overflows} overflows; \
             rules read anew {reloads} times"
        )
    }
}

impl Directory {
    /// Those of a keeper, each with the name and the number of its rules.
    pub(super) fn all(status: &Status, rules: &[(String, usize)]) -> Vec<Self> {
        let pairs = status.targets.iter().zip(rules);
        let directory = pairs.map(|(target, (rules, rule_count))| Self {
            directory: target.dir.clone(),
            rules: rules.clone(),
            rule_count: *rule_count,
            missing: target.missing.map(|why| why.to_string()),
            directories: target.directories,
            unwatched: target.unwatched.len(),
        });
        directory.collect()
    }
}

impl File {
    /// Those of a keeper.
    pub(super) fn all(status: &Status) -> Vec<Self> {
        let file = status.files().map(|file| Self {
            path: file.path.clone(),
            line: file.line,
            wanted: file.wanted.name().to_owned(),
            real: file.real.map(|real| real.name().to_owned()),
            error: file.trouble.map(|why| why.to_string()),
        });
        file.collect()
    }
}

/// How long that is, to the second.
pub(super) fn duration(seconds: f64) -> String {
    let whole = Duration::try_from_secs_f64(seconds.floor()).unwrap_or_default();
    humantime::format_duration(whole).to_string()
}
