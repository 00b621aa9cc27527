//! Where each feed of a home is, for a list.

use super::{Begin, End, Event, Second, Tail, directory};
use serde::Serialize;
use std::{fs, path::Path};

/// The last lines that a glance looks at, bytes.
pub(super) const LAST_BYTES: u64 = 32 << 10;
/// A home has a few feeds; of more than this, the latest are shown.
const FEEDS_MAX: usize = 100;

/// A feed at a glance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Glance {
    /// Its first line.
    pub(crate) begin: Begin,
    /// Whether it still goes on.
    pub(crate) state: GlanceState,
    /// What is being done, in a word or a few.
    pub(crate) phase: String,
    /// Seconds of the load that are over; none before the first.
    pub(crate) at_s: Option<f64>,
    /// Committed transactions a second in the last one, all types.
    pub(crate) committed_per_s: Option<f64>,
    /// Share of the planned time that is over, 0 to 1; none where that cannot be known.
    pub(crate) share: Option<f64>,
    /// How it ended, once it has.
    pub(crate) end: Option<End>,
}

/// Whether a feed still goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum GlanceState {
    /// It does.
    Running,
    /// Its last line is there.
    Ended,
    /// Its process is gone, and nobody told the end: it was killed, or its disk was full.
    Dead,
}

/// The feeds of a home, the latest first.
pub(crate) fn glances(home: &Path) -> Vec<Glance> {
    let entries = fs::read_dir(directory(home)).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let feeds = paths.filter(|path| path.extension().is_some_and(|it| it == "jsonl"));
    let mut glances: Vec<Glance> = feeds.filter_map(|path| glance(&path)).collect();
    let started = |glance: &Glance| (glance.begin.started_at.clone(), glance.begin.id.clone());
    glances.sort_by_key(|glance| std::cmp::Reverse(started(glance)));
    glances.truncate(FEEDS_MAX);
    glances
}

fn glance(path: &Path) -> Option<Glance> {
    let begin = first(path)?;
    let mut tail = Tail::open(path).ok()?;
    tail.skip_to_last(LAST_BYTES).ok()?;
    let alive = begin.writer.is_alive();
    let state = if alive { GlanceState::Running } else { GlanceState::Dead };
    let mut glance = Glance {
        begin,
        state,
        phase: "connect".into(),
        at_s: None,
        committed_per_s: None,
        share: None,
        end: None,
    };
    for event in tail.events().ok()? {
        glance.take(event);
    }
    Some(glance)
}

/// The first line of a feed.
fn first(path: &Path) -> Option<Begin> {
    match Tail::open(path).ok()?.first()? {
        Event::Begin(begin) => Some(*begin),
        _ => None,
    }
}

impl Glance {
    fn take(&mut self, event: Event) {
        match event {
            Event::Phase { name } => self.phase = name,
            Event::Second(second) => self.take_second(&second),
            Event::Progress { step, of, name, .. } => {
                self.phase = format!("step {step} of {of}: {name}");
                self.share = (of > 0).then(|| f64::from(step.saturating_sub(1)) / f64::from(of));
            }
            Event::End(end) => {
                self.state = GlanceState::Ended;
                self.end = Some(end);
            }
            Event::Begin(_) | Event::Note { .. } => {}
        }
    }

    fn take_second(&mut self, second: &Second) {
        self.phase.clone_from(&second.phase);
        self.at_s = Some(second.at_s);
        let committed: u64 =
            second.transactions.iter().map(|it| it.committed).fold(0, u64::saturating_add);
        self.committed_per_s = Some(committed as f64 / second.length_s.max(1e-3));
        let planned_s = self.begin.phases.last().map(|phase| phase.until_s);
        self.share = planned_s
            .filter(|planned_s| *planned_s > 0.0)
            .map(|planned_s| (second.at_s / planned_s).clamp(0.0, 1.0));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::live::{Feed, Kind, PlannedPhase, SecondOfType, State};
    use std::collections::BTreeMap;

    fn begin(id: &str, started_at: &str) -> Begin {
        Begin::of(Kind::Run, id, "t", started_at)
    }

    #[test]
    fn feeds_are_told_by_where_they_are_the_latest_first() {
        let home = tempfile::tempdir().unwrap();
        let mut early = begin("early", "2026-11-22T06:00:00Z");
        let whole = PlannedPhase { name: "measure".into(), from_s: 0.0, until_s: 8.0 };
        early.phases = vec![whole];
        let mut feed = Feed::begin(home.path(), early);
        feed.tell(&Event::Second(Second {
            at_s: 2.0,
            length_s: 1.0,
            phase: "measure".into(),
            connected: 2,
            client_cpu: 0.1,
            transactions: vec![SecondOfType { committed: 7, ..Default::default() }; 2],
            watch: BTreeMap::new(),
        }));
        let mut late = begin("late", "2026-11-22T07:00:00Z");
        late.writer.pid_start += 1;
        std::mem::forget(Feed::begin(home.path(), late));
        let seen = glances(home.path());
        let states: Vec<_> = seen.iter().map(|it| (it.begin.id.as_str(), it.state)).collect();
        assert_eq!(states, [("late", GlanceState::Dead), ("early", GlanceState::Running)]);
        assert_eq!((seen[1].at_s, seen[1].committed_per_s), (Some(2.0), Some(14.0)));
        assert_eq!((seen[1].share, seen[1].phase.as_str()), (Some(0.25), "measure"));
        feed.end(End { state: State::Partial, reason: "r".into(), figures: Vec::new() });
        assert_eq!(glances(home.path())[1].state, GlanceState::Ended);
    }
}
