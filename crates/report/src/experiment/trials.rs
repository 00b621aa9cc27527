//! What an experiment's trials came to, as far as a page shows it.

use super::digest::Digest;
use lab::{
    experiment::{ExperimentRecord, TrialRecord},
    histogram::LatencyHistogram,
    record::RunRecord,
    sweep::SweepRecord,
};
use std::collections::BTreeMap;

/// The runs and sweeps of an experiment, in brief. It is filled run by run, so that no more than
/// one of them has to be in memory: twelve hours of a watched server take tens of megabytes. What
/// is missing is missed by the charts only.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    runs: BTreeMap<String, Digest>,
    sweeps: BTreeMap<String, SweepRecord>,
}

impl Trials {
    /// Of all runs and sweeps at once.
    pub fn of(runs: &[RunRecord], sweeps: &[SweepRecord]) -> Self {
        let mut trials = Self::default();
        for run in runs {
            trials.add_run(run);
        }
        for sweep in sweeps {
            trials.add_sweep(sweep.clone());
        }
        trials
    }

    /// Takes what is shown of a run.
    pub fn add_run(&mut self, run: &RunRecord) {
        self.runs.insert(run.id.clone(), Digest::of(run));
    }

    /// Takes a sweep.
    pub fn add_sweep(&mut self, sweep: SweepRecord) {
        self.sweeps.insert(sweep.id.clone(), sweep);
    }

    /// The run whose id is `id`.
    pub(super) fn run(&self, id: &str) -> Option<&Digest> {
        self.runs.get(id)
    }

    /// The trials that are runs and are there, in order.
    pub(super) fn runs<'a>(
        &'a self,
        experiment: &'a ExperimentRecord,
    ) -> impl Iterator<Item = (&'a TrialRecord, &'a Digest)> {
        let plain = experiment.trials.iter().filter(|trial| trial.sweep.is_none());
        plain.filter_map(|trial| Some((trial, self.runs.get(&trial.run)?)))
    }

    /// The sweeps of a variant that are there, in order.
    pub(super) fn sweeps_of<'a>(
        &'a self,
        experiment: &'a ExperimentRecord,
        variant: &'a str,
    ) -> Vec<&'a SweepRecord> {
        let ids = experiment.trials_of(variant).filter_map(|trial| trial.sweep.as_ref());
        ids.filter_map(|id| self.sweeps.get(id)).collect()
    }

    /// The response times of all runs of a variant together.
    pub(super) fn response_of(
        &self,
        experiment: &ExperimentRecord,
        variant: &str,
    ) -> LatencyHistogram {
        let of_variant = self.runs(experiment).filter(|(trial, _)| trial.variant == variant);
        LatencyHistogram::of_all(of_variant.map(|(_, digest)| &digest.response))
    }
}
