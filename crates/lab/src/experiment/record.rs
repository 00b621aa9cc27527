//! What became of an experiment.
//!
//! Each trial is a run or a sweep of its own in the store; an [`ExperimentRecord`] says which they
//! are, which variant each belongs to, and what can be concluded. It is saved after every trial,
//! and an experiment that was broken off goes on from it. Its JSON form is the stable schema
//! `myrig.experiment/1`, described in `docs/run-schema.md`: fields are added, never renamed or
//! given another meaning.

use super::Experiment;
use crate::{
    comparison::Comparison,
    record::{Figure, HostFacts, RunRecord, RunStatus, ServerFacts, WorkloadFacts},
    sweep::SweepRecord,
};
use serde::{Deserialize, Serialize};

/// Name and version of the schema that [`ExperimentRecord`] serialises to.
pub const EXPERIMENT_SCHEMA: &str = "myrig.experiment/1";

/// One finished or partial experiment.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct ExperimentRecord {
    /// Always [`EXPERIMENT_SCHEMA`].
    pub schema: String,
    /// Unique in every store: `experiment-`, start time in UTC and a random tail.
    pub id: String,
    /// What a person called it, or empty.
    pub label: String,
    /// Start, UTC, RFC 3339.
    pub started_at: String,
    /// Whether every trial was gone through.
    pub status: RunStatus,
    /// The experiment file, word for word.
    pub file: String,
    /// Where it was: a path, or the name of one that myrig carries.
    pub origin: String,
    /// The overrides that were typed, `workload.duration=30s`.
    pub overrides: Vec<String>,
    /// The file's meaning, with scale and overrides.
    pub experiment: Experiment,
    /// The machine.
    pub host: HostFacts,
    /// myrig's version.
    pub client_version: String,
    /// The variants, in the file's order.
    pub variants: Vec<VariantRecord>,
    /// The trials in the order in which they were taken.
    pub trials: Vec<TrialRecord>,
    /// How many trials there are to be.
    pub planned: u32,
    /// Every variant against the baseline; empty before there is enough, or where nothing is
    /// compared.
    pub comparisons: Vec<Comparison>,
    /// The answer, a sentence or a few; empty before there is one.
    pub verdict: String,
    /// Why the verdict is not clean, a sentence each; it says so itself where there are any.
    pub caveats: Vec<String>,
    /// How long all of it took, interruptions left out, seconds.
    pub took_s: f64,
}

/// A variant and what ran it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct VariantRecord {
    /// Its name.
    pub name: String,
    /// What it is, a sentence; may be empty.
    pub note: String,
    /// What it differs in from the others, `server.settings.innodb-flush-log-at-trx-commit`
    /// and the value in words; paths that are equal in all variants are left out.
    pub differs: Vec<(String, String)>,
    /// The server as it was in its first trial; none before that.
    pub server: Option<ServerFacts>,
    /// The workload as it was in its first trial; none before that.
    pub workload: Option<WorkloadFacts>,
}

/// One trial: the data restored, the server started, the load put on, the data checked.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct TrialRecord {
    /// Its place in the plan, from 1.
    pub number: u32,
    /// The variant's name.
    pub variant: String,
    /// The round of all variants that it is part of, from 1.
    pub round: u32,
    /// Duet only: the pair of trials that ran at the same time, from 1.
    pub pair: Option<u32>,
    /// Duet only: the processors that it began on.
    pub cpus: Option<String>,
    /// Duet only: how often the two exchanged their processors during the run.
    #[serde(default)]
    pub exchanges: Option<u32>,
    /// The run in the store; for a sweep its best step's, for several instances that of all
    /// together.
    pub run: String,
    /// Several instances only: the run of each in the store.
    #[serde(default)]
    pub members: Vec<String>,
    /// The sweep in the store, where a list of connections or rates made one.
    pub sweep: Option<String>,
    /// Start of the load, UTC, RFC 3339.
    pub started_at: String,
    /// Whether it went to its end.
    pub status: RunStatus,
    /// Whether the data was as it must be afterwards; none where nothing was checked.
    pub check_good: Option<bool>,
    /// The figures of merit, the most important first; a sweep's are its peak's.
    pub figures: Vec<Figure>,
    /// When throughput had become steady, seconds from the start of the ramp-up; none where it
    /// never did, or the series was too short to tell.
    pub steady_from_s: Option<f64>,
    /// How the trial came about: restored in so many seconds, settled or not.
    pub remarks: Vec<String>,
    /// How long all of it took, restoring and checking included, seconds.
    pub took_s: f64,
}

impl TrialRecord {
    /// Takes what the trial's run came to.
    pub fn take_run(&mut self, run: &RunRecord) {
        self.run.clone_from(&run.id);
        self.status.clone_from(&run.status);
        self.check_good = run.check.as_ref().map(|check| check.good);
        self.figures.clone_from(&run.headline);
    }

    /// Takes what the trial's sweep came to: its best step stands for it.
    pub fn take_sweep(&mut self, sweep: &SweepRecord) {
        self.sweep = Some(sweep.id.clone());
        self.status.clone_from(&sweep.status);
        let best = sweep.peak.as_ref().and_then(|peak| sweep.steps.get(peak.step));
        if let Some(step) = best.or(sweep.steps.last()) {
            self.run.clone_from(&step.run);
            self.figures.clone_from(&step.headline);
        }
        // One bad check among the steps is enough.
        let checks = sweep.steps.iter().filter_map(|step| step.check_good);
        self.check_good = checks.reduce(|all, good| all && good);
    }

    /// Whether it went to its end.
    pub fn is_complete(&self) -> bool {
        self.status == RunStatus::Complete
    }
}

impl ExperimentRecord {
    /// The trials of a variant, in the order in which they were taken.
    pub fn trials_of<'a>(&'a self, variant: &'a str) -> impl Iterator<Item = &'a TrialRecord> {
        self.trials.iter().filter(move |trial| trial.variant == variant)
    }

    /// Every run that belongs to it and is no step of a sweep.
    pub fn runs(&self) -> impl Iterator<Item = &str> {
        self.trials.iter().map(|trial| trial.run.as_str())
    }
}
