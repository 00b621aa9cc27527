//! The live feed: what a run or an experiment tells of itself while it is on.
//!
//! Whoever is at work writes a file `live/ID.jsonl` in the home, an [`Event`] a line: who it is
//! ([`Begin`]), each second or step as it is over, at last how it ended. `myrig serve` reads along.
//! The file is for looking on and nothing else: what counts is in the store, so that a disk that is
//! full costs the feed a line and the run nothing. docs/serve.md describes the events.
//!
//! - `event`: the lines; `feed`: writing them; `tail`: reading along; `glance`: where each feed
//!   of a home is; `writer`: whether a feed's process is still there; `merge`: seconds joined, so
//!   that a day fits on a page; `sweeping`: what is over goes away.

mod event;
mod feed;
mod glance;
mod merge;
mod sweeping;
mod tail;
mod writer;

pub(crate) use event::{Begin, End, Event, Kind, PlannedPhase, Second, SecondOfType, State};
pub(crate) use feed::Feed;
pub(crate) use glance::{Glance, GlanceState, glances};
pub(crate) use merge::merged;
pub(crate) use tail::Tail;
pub(crate) use writer::Writer;

use std::path::{Path, PathBuf};

/// Where the feeds of a home are.
pub(crate) fn directory(home: &Path) -> PathBuf {
    home.join("live")
}

/// The feed of a run or an experiment; none for what can be no id, such as a path to elsewhere.
pub(crate) fn path(home: &Path, id: &str) -> Option<PathBuf> {
    is_id(id).then(|| directory(home).join(format!("{id}.jsonl")))
}

/// Whether a text can be the id of a run, a sweep, a group or an experiment.
pub(crate) fn is_id(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (1..=80).contains(&text.len()) && text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_elsewhere_is_no_id() {
        assert!(is_id("20261121T204500-1f3a9c") && is_id("experiment-20261121T204500-1f3a9c"));
        for hostile in ["", "..", "../runs", "a/b", "a.b", "a\0", "é", &"a".repeat(81)] {
            assert!(!is_id(hostile), "{hostile:?}");
            assert_eq!(path(Path::new("/home"), hostile), None);
        }
    }
}
