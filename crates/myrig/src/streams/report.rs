//! What a daemon tells of itself: `myrig.streams-status/1`.

use serde::{Deserialize, Serialize, Serializer};
use std::{borrow::Cow, time::Duration};
use streams::keeper::{Counters, FileStatus, Status};

/// The schema's name.
pub(super) const SCHEMA: &str = "myrig.streams-status/1";

/// Everything. It is made by the daemon and read by `status`, which are the same program but
/// perhaps not of the same version: what is not known is passed over, what is missing is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Report<F = Vec<File>> {
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
    /// Files that a rule matches: of the daemon [`Files`], of who reads it a list.
    pub(super) files: F,
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
    pub(super) directory: String,
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
    pub(super) path: String,
    /// The line of the rule that matches its name.
    pub(super) line: usize,
    /// What it should have: what that rule says, unless it is overruled.
    pub(super) wanted: String,
    /// What it had when it was last looked at; none where it never could be.
    pub(super) real: Option<String>,
    /// Why it could not be read or given its hint.
    pub(super) error: Option<String>,
    /// Why its own rule is not heard, if it is not.
    pub(super) overruled: Option<Overruled>,
}

/// The file has another name, whose rule comes first and wants another hint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Overruled {
    /// What its own rule says.
    pub(super) own: String,
    /// The name whose rule decides.
    pub(super) by: String,
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
            directory: target.dir.to_string_lossy().into_owned(),
            rules: rules.clone(),
            rule_count: *rule_count,
            missing: target.missing.map(|why| why.to_string()),
            directories: target.directories,
            unwatched: target.unwatched.len(),
        });
        directory.collect()
    }
}

/// The files of a keeper, written as a list of [`File`] without one being made: there may be a
/// hundred thousand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Files<'a>(pub(super) &'a Status);

impl Serialize for Files<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.files().map(Entry::of))
    }
}

/// What [`File`] is read from.
#[derive(Serialize)]
struct Entry<'a> {
    path: Cow<'a, str>,
    line: usize,
    wanted: &'static str,
    real: Option<&'static str>,
    error: Option<String>,
    overruled: Option<Overruled>,
}

impl<'a> Entry<'a> {
    fn of(file: &'a FileStatus) -> Self {
        Self {
            // Names need not be text, JSON must.
            path: file.path.to_string_lossy(),
            line: file.line,
            wanted: file.wanted.name(),
            real: file.real.map(streams::Lifetime::name),
            error: file.trouble.map(|why| why.to_string()),
            overruled: file.overruled.as_ref().map(|overruled| Overruled {
                own: overruled.own.name().to_owned(),
                by: overruled.by.to_string_lossy().into_owned(),
            }),
        }
    }
}

/// How long that is, to the second.
pub(super) fn duration(seconds: f64) -> String {
    let whole = Duration::try_from_secs_f64(seconds.floor()).unwrap_or_default();
    humantime::format_duration(whole).to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::Path};
    use streams::{Keeper, Options, Rules, Target};

    #[test]
    fn what_a_daemon_writes_is_read_whatever_files_are_called() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        for name in [&b"a\xffb"[..], b"a\"\n"] {
            std::fs::write(dir.join(Path::new(OsStr::from_bytes(name))), "").unwrap();
        }
        let target = Target { dir, rules: Rules::parse("/a short").unwrap() };
        let keeper = Keeper::start(vec![target], Options::default()).unwrap();
        assert!(keeper.settle(Duration::from_secs(60)));
        let status = keeper.status();
        let written = Report {
            schema: SCHEMA.to_owned(),
            running: true,
            version: "1".to_owned(),
            pid: 7,
            since: "then".to_owned(),
            uptime_s: 1.5,
            directories: Directory::all(&status, &[("r".to_owned(), 1)]),
            rules_error: Some("why".to_owned()),
            figures: Figures::new(&status.counters, (1, 2)),
            files: Files(&status),
        };
        let read: Report = serde_json::from_str(&serde_json::to_string(&written).unwrap()).unwrap();
        assert_eq!((&read.figures, &read.directories), (&written.figures, &written.directories));
        let mut names: Vec<&str> =
            read.files.iter().map(|file| file.path.rsplit('/').next().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, ["a\"\n", "a\u{fffd}b"]);
        assert!(read.files.iter().all(|file| !file.is_wrong()), "{read:?}");
        // What another version says besides, or does not say, is no matter.
        let other: Report = serde_json::from_str("{\"pid\": 3, \"new\": [1]}").unwrap();
        assert_eq!((other.pid, other.files.len()), (3, 0));
    }
}
