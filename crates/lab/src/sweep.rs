//! A sweep as data: the same load on more and more connections, or at higher and higher rates.
//!
//! Each step is a full run of its own in the store; a [`SweepRecord`] says which they are, what
//! they came to side by side, where the peak and the knee lie ([`analysis`]), and why it ended. Its
//! JSON form is the stable schema `myrig.sweep/1`, described in `docs/run-schema.md`: fields are
//! added, never renamed or given another meaning.

pub mod analysis;
mod export;
mod step;

pub(crate) use export::compact;
pub use export::{csv, json, parse};
pub use step::{Latency, Settling, SweepStep, TransactionLatency};

use crate::record::{HostFacts, RunStatus, ServerFacts, WorkloadFacts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name and version of the schema that [`SweepRecord`] serialises to.
pub const SWEEP_SCHEMA: &str = "myrig.sweep/1";

/// One finished or partial sweep.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct SweepRecord {
    /// Always [`SWEEP_SCHEMA`].
    pub schema: String,
    /// Unique in every store: `sweep-`, start time in UTC and a random tail.
    pub id: String,
    /// What a person called it, or empty.
    pub label: String,
    /// Start of the first step, UTC, RFC 3339.
    pub started_at: String,
    /// Whether the sweep went to its end; one that a stop rule ended did.
    pub status: RunStatus,
    /// Why it ended, a sentence.
    pub ended: String,
    /// What was run.
    pub workload: WorkloadFacts,
    /// The exact settings, by option name; the one that was varied holds its list.
    pub settings: BTreeMap<String, serde_json::Value>,
    /// The server under load, before the first step.
    pub server: ServerFacts,
    /// The machine that the load came from.
    pub host: HostFacts,
    /// myrig's version.
    pub client_version: String,
    /// What changed from step to step.
    pub varied: Varied,
    /// The values that were asked for, in order.
    pub planned: Vec<f64>,
    /// The steps that were taken, in order.
    pub steps: Vec<SweepStep>,
    /// The highest throughput; none before a step had one.
    pub peak: Option<Peak>,
    /// The best bargain between throughput and latency; none with fewer than three steps.
    pub knee: Option<Knee>,
    /// What a reader must know before believing a figure.
    pub warnings: Vec<String>,
}

/// What changes from step to step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Varied {
    /// Connections, in a closed loop or at one rate.
    Connections,
    /// Transactions a second that are due, in an open loop.
    Rate,
}

impl Varied {
    /// `connections` or `transactions/s due`, for axes and tables.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Connections => "connections",
            Self::Rate => "transactions/s due",
        }
    }

    /// The command line's option.
    pub fn option(self) -> &'static str {
        match self {
            Self::Connections => "--connections",
            Self::Rate => "--rate",
        }
    }
}

/// The step with the highest throughput, by the first headline figure.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Peak {
    /// Its index among the steps.
    pub step: usize,
    /// Name of the figure.
    pub figure: String,
    /// The figure's value there.
    pub value: f64,
    /// Steps whose figure cannot be told from the peak's, the peak left out: see
    /// [`analysis::differ`].
    pub not_different: Vec<usize>,
}

/// The step with the greatest power, throughput over mean response time (L. Kleinrock, "Power and
/// deterministic rules of thumb for probabilistic problems in computer communications", 1979).
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Knee {
    /// Its index among the steps.
    pub step: usize,
    /// Finished transactions a second over the mean response time in seconds, 1/s².
    pub power: f64,
    /// `first` or `last` where it is the step at that end, so that the true knee may lie beyond;
    /// `inside` elsewhere.
    pub place: KneePlace,
}

/// Where a knee lies among the steps.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum KneePlace {
    /// Power falls from the first step on.
    First,
    /// Steps on both sides have less.
    Inside,
    /// Power still grew at the last step.
    Last,
}

impl SweepRecord {
    /// The value of `step` on the axis: connections, or transactions a second due.
    pub fn value(&self, step: &SweepStep) -> f64 {
        match self.varied {
            Varied::Connections => f64::from(step.connections),
            Varied::Rate => step.rate_per_s.unwrap_or_default(),
        }
    }

    /// Finds peak and knee anew among the steps.
    pub fn analyse(&mut self) {
        self.peak = analysis::peak(&self.steps);
        self.knee = analysis::knee(&self.steps);
    }
}

#[cfg(test)]
pub(crate) mod example;
