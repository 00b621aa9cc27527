//! Watching a server under load: counters of server and machine each second, and what its sessions
//! waited for.
//!
//! # Layers
//! - `meter`: from readings to series on one axis. `catalog` and `formula`: which of a server's
//!   counters, as data. `machine`: those of the host. All pure, but for reading `/proc`.
//! - `class`, `session`, `looks`, `tally`: what sessions are about, and how often each is seen at
//!   it. `instruments`: what the performance schema timed.
//! - `ask`: the questions, on a connection of its own. `second`: one second of all this.
//! - [`Watcher`]: the loop.
//!
//! # What holds
//! - Nothing that fails or is late ends anything: it leaves a gap, and is said once ([`Remark`]).
//! - What watching costs is bounded and measured ([`Cost`]).

mod ask;
mod catalog;
mod class;
mod formula;
mod instruments;
mod looks;
mod machine;
mod meter;
mod place;
mod remark;
mod second;
mod session;
mod tally;
mod watcher;

pub use class::Class;
pub use meter::{Meter, Track};
pub use remark::Remark;
pub use watcher::{Plan, Watcher};

/// What came of watching.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// When each sample was taken, seconds from the start of the load.
    pub axis_s: Vec<f64>,
    /// The series on that axis.
    pub tracks: Vec<Track>,
    /// What the sessions waited for in the measured phase; none where nobody was seen.
    pub waits: Option<Waits>,
    /// What was not seen.
    pub remarks: Vec<Remark>,
    /// What it cost.
    pub cost: Cost,
}

/// What the sessions of a server waited for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waits {
    /// Classes with somebody in them, the fullest first, and [`Class::Idle`] last.
    pub classes: Vec<ClassShare>,
    /// Average sessions in each state of the server's own words, the most frequent first.
    pub states: Vec<(String, f64)>,
    /// Average threads, background threads included, at each kind of file access and latch, by the
    /// performance schema's clock.
    pub instruments: Vec<(String, f64)>,
}

/// How many sessions were in a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassShare {
    /// The class.
    pub class: Class,
    /// Average number of sessions: seconds of sessions a second.
    pub sessions: f64,
    /// Where that comes from.
    pub source: &'static str,
}

/// What watching costs, on average over all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Processors for the watcher itself.
    pub cpus: f64,
    /// Processors that the server spent on its questions; none where that cannot be known.
    pub server_cpus: Option<f64>,
    /// What the server took for all questions of a second, milliseconds; none where it answered
    /// none.
    pub answer_ms: Option<f64>,
}
