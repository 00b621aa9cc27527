//! A group as data: the same load on several servers at the same time.
//!
//! Each member is a full run of its own in the store; a [`GroupRecord`] says which they are, what
//! they came to side by side, and what to all together. Its JSON form is the stable schema
//! `myrig.group/1`, described in `docs/run-schema.md`: fields are added, never renamed or given
//! another meaning.

mod export;
mod merge;
mod sum;
mod together;

pub(crate) use export::compact;
pub use export::{csv, json, parse};
pub use merge::merged;
pub use sum::{combined, sums};

use crate::{
    record::{Figure, HostFacts, RunRecord, RunStatus, ServerFacts, WorkloadFacts},
    sweep::SweepStep,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name and version of the schema that [`GroupRecord`] serialises to.
pub const GROUP_SCHEMA: &str = "myrig.group/1";

/// One finished or partial group.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct GroupRecord {
    /// Always [`GROUP_SCHEMA`].
    pub schema: String,
    /// Unique in every store: `group-`, start time in UTC and a random tail.
    pub id: String,
    /// What a person called it, or empty.
    pub label: String,
    /// Start, UTC, RFC 3339.
    pub started_at: String,
    /// Whether every run went to its end.
    pub status: RunStatus,
    /// What was run on each; the scale is that of the first.
    pub workload: WorkloadFacts,
    /// The exact settings, by option name, as typed for all.
    pub settings: BTreeMap<String, serde_json::Value>,
    /// The machine that the load came from.
    pub host: HostFacts,
    /// myrig's version.
    pub client_version: String,
    /// The rates among the figures of merit, added up over the members. The interval's half-width
    /// is the sum of theirs: members that share a machine are not independent of each other.
    pub headline: Vec<Figure>,
    /// The members in the order in which they were named.
    pub members: Vec<GroupMember>,
    /// What a reader must know before believing a figure.
    pub warnings: Vec<String>,
}

/// One server of a group and its run.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct GroupMember {
    /// The instance's name.
    pub name: String,
    /// The server.
    pub server: ServerFacts,
    /// Its run in brief.
    #[serde(flatten)]
    pub run: SweepStep,
}

impl GroupRecord {
    /// Takes what the runs came to, in the order of the members.
    pub fn take(&mut self, runs: &[RunRecord]) {
        for (member, run) in self.members.iter_mut().zip(runs) {
            member.run = SweepStep::of(run, member.run.rate_per_s, None);
        }
        self.headline = sums(&self.members);
        let partial = self.members.iter().find_map(|member| match &member.run.status {
            RunStatus::Complete => None,
            RunStatus::Partial { reason } => Some(format!("{}: {reason}", member.name)),
        });
        self.status = match partial {
            None => RunStatus::Complete,
            Some(reason) => RunStatus::Partial { reason },
        };
        // What all have in common is told once.
        self.warnings.clear();
        for (member, run) in self.members.iter().zip(runs) {
            for warning in &run.warnings {
                let common = runs.iter().all(|other| other.warnings.contains(warning));
                let told = match common {
                    true => warning.clone(),
                    false => format!("{}: {warning}", member.name),
                };
                if !self.warnings.contains(&told) {
                    self.warnings.push(told);
                }
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod example;
