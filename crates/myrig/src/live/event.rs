//! The lines of a feed. Their JSON is the schema `myrig.live/1`, described in docs/serve.md.

use super::Writer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name and version of the schema, in the first line.
pub(crate) const SCHEMA: &str = "myrig.live/1";

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Event {
    /// The first line: who writes, and what is about to be.
    Begin(Box<Begin>),
    /// What is being done now, where the seconds do not say it: `connect`, `check`.
    Phase {
        /// Its name.
        name: String,
    },
    /// A second of a load is over.
    Second(Second),
    /// A step of an experiment begins.
    Progress {
        /// Which, from 1.
        step: u32,
        /// Of how many.
        of: u32,
        /// What it is, in a few words.
        name: String,
        /// What is left of all of it, as far as can be known, seconds.
        left_s: Option<f64>,
        /// The run that it puts on, where it has begun.
        run: Option<String>,
    },
    /// Something that an onlooker should know.
    Note {
        /// A sentence.
        text: String,
    },
    /// The last line: how it ended.
    End(End),
}

/// Who writes a feed, and what is about to be. An experiment leaves out what is a load's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Begin {
    /// [`SCHEMA`].
    pub(crate) schema: String,
    /// The run's or the experiment's id.
    pub(crate) id: String,
    /// Which of them.
    pub(crate) what: Kind,
    /// It in one line, `TPC-C, 10 warehouses, on MariaDB 10.11.14`.
    pub(crate) title: String,
    /// What a person called it, or empty.
    pub(crate) label: String,
    /// Workload's name, `tpcc`; may be empty.
    pub(crate) workload: String,
    /// Name of the instance or the endpoint under load; may be empty.
    pub(crate) server: String,
    /// Start, UTC, RFC 3339.
    pub(crate) started_at: String,
    /// The process that writes.
    #[serde(flatten)]
    pub(crate) writer: Writer,
    /// Names of the transaction types, in order.
    #[serde(default)]
    pub(crate) types: Vec<String>,
    /// The phases as they are planned.
    #[serde(default)]
    pub(crate) phases: Vec<PlannedPhase>,
    /// Connections that put the load on.
    #[serde(default)]
    pub(crate) connections: Option<u32>,
    /// Open loop: transactions a second that are due.
    #[serde(default)]
    pub(crate) rate_per_s: Option<f64>,
    /// The settings, by option name.
    #[serde(default)]
    pub(crate) settings: BTreeMap<String, serde_json::Value>,
    /// The command that would do it again.
    #[serde(default)]
    pub(crate) command: Option<String>,
}

/// Whose a feed is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// A run.
    Run,
    /// An experiment, which has runs of its own.
    Experiment,
}

/// A phase as it is planned, in seconds from the start of the ramp-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlannedPhase {
    /// `ramp-up`, `measure` or `ramp-down`.
    pub(crate) name: String,
    /// Its start.
    pub(crate) from_s: f64,
    /// Its end.
    pub(crate) until_s: f64,
}

/// One second of a load; in a summary, some neighbouring ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Second {
    /// Its end, seconds from the start of the ramp-up.
    pub(crate) at_s: f64,
    /// Its length, seconds.
    pub(crate) length_s: f64,
    /// The phase that it lies in.
    pub(crate) phase: String,
    /// Connections that are up.
    pub(crate) connected: u32,
    /// Share of the load threads' time spent on a processor, 0 to 1.
    pub(crate) client_cpu: f64,
    /// By transaction type, in order.
    pub(crate) transactions: Vec<SecondOfType>,
    /// The last values of some series that are watched, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) watch: BTreeMap<String, f64>,
}

/// One second of one transaction type; times are milliseconds, the worst second's where seconds
/// were joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SecondOfType {
    /// Committed.
    pub(crate) committed: u64,
    /// Rolled back by the business rule.
    pub(crate) rolled_back: u64,
    /// Given up.
    pub(crate) failed: u64,
    /// Attempts that were tried again.
    pub(crate) retries: u64,
    /// Median of the response time.
    pub(crate) p50_ms: f64,
    /// 95th percentile.
    pub(crate) p95_ms: f64,
    /// 99th percentile.
    pub(crate) p99_ms: f64,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct End {
    /// In a word.
    pub(crate) state: State,
    /// Why, where it is not complete; else empty.
    pub(crate) reason: String,
    /// The figures of merit, the most important first, or a verdict; a few words each.
    pub(crate) figures: Vec<String>,
}

/// How something ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// It went to its end.
    Complete,
    /// It ended early; what there is counts.
    Partial,
    /// It could not be carried out.
    Failed,
}

impl Begin {
    /// Of a run or an experiment with that id, written by this process; the rest is the caller's
    /// to fill in.
    pub(crate) fn of(what: Kind, id: &str, title: &str, started_at: &str) -> Self {
        Self {
            schema: SCHEMA.into(),
            id: id.into(),
            what,
            title: title.into(),
            label: String::new(),
            workload: String::new(),
            server: String::new(),
            started_at: started_at.into(),
            writer: Writer::this_process(),
            types: Vec::new(),
            phases: Vec::new(),
            connections: None,
            rate_per_s: None,
            settings: BTreeMap::new(),
            command: None,
        }
    }
}
