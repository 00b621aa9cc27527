//! What server and machine did during a run, second for second, and what the server waited for.

use serde::{Deserialize, Serialize};

/// What was watched during a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Watch {
    /// When each sample was taken, seconds from the start of the ramp-up. A rate is over the time
    /// since the sample before, or since the last that had a value.
    pub at_s: Vec<f64>,
    /// The series, all on that axis.
    pub series: Vec<Series>,
    /// What the sessions of the server waited for in the measured phase; none where they could
    /// not be seen.
    pub waits: Option<WaitSummary>,
    /// What could not be watched, a sentence each.
    pub remarks: Vec<String>,
    /// What watching cost.
    pub cost: WatchCost,
}

/// One quantity over time.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Series {
    /// Its name, unique in the run, `rows.read`.
    pub name: String,
    /// What it is called beside others of its group, `read`.
    pub label: String,
    /// What it is shown together with, `rows`.
    pub group: String,
    /// What its values count: `1/s`, `B/s`, `B`, `ms`, `%`, `processors`, `sessions`, `threads`.
    pub unit: String,
    /// Where it comes from.
    pub source: String,
    /// A value for each sample; none where there is a gap.
    pub values: Vec<Option<f64>>,
}

/// What the sessions of a server waited for in the measured phase.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct WaitSummary {
    /// The classes that sessions were in, the fullest first; those without a client's request
    /// (`idle`) last.
    pub classes: Vec<WaitClass>,
    /// Sessions by state, in the server's own words, the most frequent first.
    pub states: Vec<MeanCount>,
    /// Threads at each kind of file access and latch, background threads included, by the
    /// server's performance schema.
    pub instruments: Vec<MeanCount>,
}

/// Something that sessions spend their time on.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct WaitClass {
    /// `processor`, `run-queue`, `row-lock`, `commit` and so on.
    pub name: String,
    /// For a reader.
    pub label: String,
    /// Average number of sessions in it: seconds of sessions a second.
    pub sessions: f64,
    /// Share of all sessions that had a request to work on, 0 to 1; none for `idle`.
    pub share: Option<f64>,
    /// What it means, a sentence.
    pub meaning: String,
    /// Where it comes from.
    pub source: String,
}

/// An average number of sessions or threads.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct MeanCount {
    /// What they are at.
    pub label: String,
    /// How many, on average.
    pub mean: f64,
}

/// What watching cost, on average over the run.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct WatchCost {
    /// Processors for the watcher itself.
    pub cpus: f64,
    /// Processors that the server spent on its questions; none where that is not known.
    pub server_cpus: Option<f64>,
    /// What the server took for the questions of one sample, milliseconds.
    pub answer_ms: Option<f64>,
}

impl Watch {
    /// The series of a group, in their order.
    pub fn group<'a>(&'a self, group: &'a str) -> impl Iterator<Item = &'a Series> {
        self.series.iter().filter(move |series| series.group == group)
    }

    /// What was watched of the machine alone, and of no server.
    pub fn of_machine(&self) -> Self {
        let of_machine = |series: &&Series| {
            series.source.starts_with("/proc/") && !series.source.contains("/PID/")
        };
        let series = self.series.iter().filter(of_machine).cloned().collect();
        Self { at_s: self.at_s.clone(), series, cost: self.cost, ..Self::default() }
    }

    /// The series of that name.
    pub fn named(&self, name: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.name == name)
    }
}

impl WaitSummary {
    /// Average number of sessions that had a request to work on.
    pub fn active_sessions(&self) -> f64 {
        let active = self.classes.iter().filter(|class| class.share.is_some());
        active.map(|class| class.sessions).sum()
    }
}
