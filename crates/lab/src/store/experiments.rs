//! Experiments in the store, and what a list shows of them.

use super::{
    Store, StoreError,
    bundles::{Bundle, Tables},
    removal,
};
use crate::{
    experiment::{self, ExperimentRecord, TrialRecord},
    export::ExportError,
    record::{RunRecord, RunStatus},
    sweep::SweepRecord,
};
use serde::{Deserialize, Serialize};

/// One line of a list of experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentSummary {
    /// Unique id.
    pub id: String,
    /// The experiment's short name.
    pub name: String,
    /// What it is called in reports.
    pub title: String,
    /// The scale, or empty.
    pub scale: String,
    /// Start, UTC, RFC 3339.
    pub started_at: String,
    /// Names of the variants, in order.
    pub variants: Vec<String>,
    /// `complete` or `partial`.
    pub status: String,
    /// Trials that were gone through.
    pub trials: u32,
    /// Trials that there are to be.
    pub planned: u32,
    /// The answer; empty before there is one.
    pub verdict: String,
    /// Number of reasons for which the verdict is not clean.
    pub caveats: u32,
}

/// The runs and sweeps that an experiment's trials are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trials {
    /// The runs of trials that are no sweeps, in the order of the trials.
    pub runs: Vec<RunRecord>,
    /// The sweeps, in the order of the trials.
    pub sweeps: Vec<SweepRecord>,
}

/// Where experiments are. A part is the id of a trial's run, or of its sweep where it is one.
pub(super) const EXPERIMENTS: Tables =
    Tables { whole: "experiments", key: "experiment", parts: "experiment_trials" };

impl Store {
    /// Saves an experiment, whole or not at all, in place of an earlier version of it. The runs
    /// and sweeps that are its trials are saved by themselves.
    pub fn save_experiment(&mut self, record: &ExperimentRecord) -> Result<(), StoreError> {
        let bundle = bundle(record)?;
        self.change(|transaction| EXPERIMENTS.write(transaction, &bundle))
    }

    /// The experiments, the latest first; at most `limit`.
    pub fn list_experiments(
        &self,
        limit: Option<u32>,
    ) -> Result<Vec<ExperimentSummary>, StoreError> {
        EXPERIMENTS.list(&self.connection, limit).map_err(|error| self.sort_row(error))
    }

    /// The experiment that `key` names: its id, the beginning of exactly one, or `latest`, which
    /// is the one that was begun last.
    pub fn load_experiment(&self, key: &str) -> Result<ExperimentRecord, StoreError> {
        let id = match key {
            "latest" => self.list_experiments(Some(1))?.into_iter().next().map(|latest| latest.id),
            key => self.only(EXPERIMENTS, key)?,
        };
        match id {
            Some(id) => self.experiment(&id),
            None => Err(StoreError::NoExperiment { path: self.path.clone(), key: key.to_owned() }),
        }
    }

    /// What the trials of an experiment were. A run or a sweep that was removed is left out.
    pub fn load_trials(&self, record: &ExperimentRecord) -> Result<Trials, StoreError> {
        let mut trials = Trials::default();
        for trial in &record.trials {
            match &trial.sweep {
                Some(sweep) => trials.sweeps.extend(found(self.load_sweep(sweep))?),
                None => trials.runs.extend(found(self.load(&trial.run))?),
            }
        }
        Ok(trials)
    }

    /// Removes an experiment, by its whole id, with its sweeps and runs, those of single servers
    /// of its trials included; what is part of anything else stays.
    pub fn remove_experiment(&mut self, id: &str) -> Result<(), StoreError> {
        self.change(|transaction| removal::remove(transaction, id))
    }

    /// The experiment whose id is `id`.
    pub(super) fn experiment(&self, id: &str) -> Result<ExperimentRecord, StoreError> {
        let json = EXPERIMENTS.read(&self.connection, id).map_err(|error| self.sort(error))?;
        Ok(experiment::parse(&json)?)
    }

    /// The id of the experiment that a run is part of, itself or by the sweep that it is a step of.
    pub(super) fn experiment_of(
        &self,
        run: &str,
        sweep: Option<&str>,
    ) -> Result<Option<String>, StoreError> {
        for part in [Some(run), sweep].into_iter().flatten() {
            let of = EXPERIMENTS.of_run(&self.connection, part).map_err(|e| self.sort(e))?;
            if of.is_some() {
                return Ok(of);
            }
        }
        Ok(None)
    }
}

/// What was found; none where nothing has that id any more.
fn found<T>(read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(StoreError::Unknown { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn bundle(record: &ExperimentRecord) -> Result<Bundle<'_, ExperimentSummary>, ExportError> {
    Ok(Bundle {
        id: &record.id,
        started_at: &record.started_at,
        summary: summary(record),
        record: experiment::compact(record)?,
        runs: record.trials.iter().map(part).collect(),
    })
}

/// What stands for a trial among the parts.
fn part(trial: &TrialRecord) -> &str {
    trial.sweep.as_deref().unwrap_or(&trial.run)
}

fn summary(record: &ExperimentRecord) -> ExperimentSummary {
    ExperimentSummary {
        id: record.id.clone(),
        name: record.experiment.name.clone(),
        title: record.experiment.title.clone(),
        scale: record.experiment.scale.clone(),
        started_at: record.started_at.clone(),
        variants: record.variants.iter().map(|variant| variant.name.clone()).collect(),
        status: match record.status {
            RunStatus::Complete => "complete".to_owned(),
            RunStatus::Partial { .. } => "partial".to_owned(),
        },
        trials: record.trials.len() as u32,
        planned: record.planned,
        verdict: record.verdict.clone(),
        caveats: record.caveats.len() as u32,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{
        experiment::example,
        store::{Found, RunFilter, Store, StoreError},
        sweep,
    };
    use tempfile::{TempDir, tempdir};

    /// Trials whose last is a sweep of older runs.
    fn filled() -> (TempDir, Store) {
        let directory = tempdir().unwrap();
        let mut store = Store::open(directory.path().join("runs.sqlite")).unwrap();
        for run in sweep::example::runs().into_iter().chain(example::runs()) {
            store.save(&run).unwrap();
        }
        store.save_sweep(&sweep::example::sweep()).unwrap();
        store.save_experiment(&example::experiment()).unwrap();
        store.save_experiment(&example::experiment()).unwrap();
        (directory, store)
    }

    #[test]
    fn an_experiment_is_found_by_its_id_its_beginning_and_as_the_latest() {
        let (_directory, mut store) = filled();
        let experiment = example::experiment();
        for key in [experiment.id.as_str(), "experiment-2026", "latest"] {
            let found = store.find(key).unwrap();
            assert_eq!(found, Found::Experiment(experiment.clone().into()), "{key}");
            assert_eq!(store.load_experiment(key).unwrap(), experiment, "{key}");
        }
        let mut later = crate::record::example::record();
        (later.id, later.started_at) = ("alone".into(), "2026-11-23T00:00:00Z".into());
        store.save(&later).unwrap();
        assert_eq!(store.find("latest").unwrap(), Found::Run(later.into()));
        assert_eq!(store.load_experiment("latest").unwrap(), experiment);
        let error = store.load_experiment("nothing").unwrap_err();
        assert!(matches!(error, StoreError::NoExperiment { .. }), "{error}");
    }

    #[test]
    fn the_latest_step_of_a_sweep_gives_the_experiment_that_the_sweep_is_a_trial_of() {
        let (_directory, mut store) = filled();
        for run in example::RUNS {
            store.remove(run).unwrap();
        }
        assert!(matches!(store.find("latest").unwrap(), Found::Experiment(_)));
    }

    #[test]
    fn a_list_says_which_runs_are_trials() {
        let (_directory, store) = filled();
        let listed = store.list_experiments(None).unwrap();
        assert_eq!((listed.len(), listed[0].trials, listed[0].planned), (1, 4, 8));
        assert_eq!((listed[0].variants.join(" "), listed[0].caveats), ("durable fast".into(), 1));
        let runs = store.list(&RunFilter::default()).unwrap();
        let trials: Vec<_> =
            runs.iter().map(|run| run.experiment.as_ref().map(|trial| trial.step)).collect();
        assert_eq!(trials, [Some(3), Some(2), Some(1), Some(4), Some(4), Some(4)]);
    }

    #[test]
    fn trials_are_loaded_as_far_as_they_are_there() {
        let (_directory, mut store) = filled();
        let trials = store.load_trials(&example::experiment()).unwrap();
        assert_eq!(trials.runs, example::runs());
        assert_eq!(trials.sweeps, [sweep::example::sweep()]);
        store.remove(example::RUNS[1]).unwrap();
        store.remove_sweep(&sweep::example::sweep().id).unwrap();
        let trials = store.load_trials(&example::experiment()).unwrap();
        assert_eq!((trials.runs.len(), trials.sweeps.len()), (2, 0));
    }

    #[test]
    fn a_removed_experiment_takes_its_runs_and_sweeps_along_and_no_other() {
        let (_directory, mut store) = filled();
        store.save(&crate::record::example::record()).unwrap();
        store.remove_experiment(&example::experiment().id).unwrap();
        assert_eq!(store.list_experiments(None).unwrap(), []);
        assert_eq!(store.list_sweeps(None).unwrap(), []);
        let left = store.list(&RunFilter::default()).unwrap();
        assert_eq!((left.len(), left[0].experiment.as_ref()), (1, None));
    }
}
