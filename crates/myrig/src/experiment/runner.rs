//! Carrying an experiment out: from its plan to its verdict, in spite of what may happen between.
//!
//! What is to be done next follows from the record in the store alone: the schedule of the file,
//! less the trials that are in it. What is held of the machine is in [`Holdings`], written down
//! before it is taken. So a process that is killed at any moment loses at most the trial that it
//! was at, and the next one finds everything.

use super::{
    capability, conclusion,
    holdings::Holdings,
    load::Asker,
    stand::Stand,
    trial::{Taken, Trial, of_fault},
};
use crate::{
    facts,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    recording,
    run::Stops,
    sweep::worse,
};
use lab::{
    experiment::{
        EXPERIMENT_SCHEMA, Experiment, ExperimentRecord, Scheduled, TrialRecord, Variant,
        VariantRecord, data_sets, schedule,
    },
    record::{RunStatus, WorkloadFacts},
    store::Store,
};
use rand::Rng;
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

/// An experiment that has been read and planned.
pub(crate) struct Wanted {
    /// The file, word for word.
    pub(crate) file: String,
    /// Where it was.
    pub(crate) origin: String,
    /// What was typed over it.
    pub(crate) overrides: Vec<String>,
    /// What it means.
    pub(crate) experiment: Experiment,
    /// What a person calls it.
    pub(crate) label: String,
}

/// How an experiment is ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manner {
    /// Where the HTML report goes; none for the home.
    pub(crate) report: Option<PathBuf>,
    /// Whether its servers and snapshots stay.
    pub(crate) keep: bool,
}

/// Carries out a new experiment.
///
/// # Errors
/// What kept it from going on; what there is is kept, and `--resume` goes on with it.
pub(crate) fn begin(
    wanted: Wanted,
    manner: &Manner,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let start = SystemTime::now();
    let id = format!("experiment-{}", recording::run_id(start, rand::rng().next_u32()));
    let mut store = paths.store()?;
    let holdings = Holdings::begin(paths, &id)?;
    let record = blank(id, start, wanted);
    store.save_experiment(&record)?;
    Course { record, store, stand: Stand::new(holdings, paths, output)?, paths, output }.run(manner)
}

/// Goes on with an experiment that was broken off: the one of that id, or the latest.
///
/// # Errors
/// There is none, or what kept it from going on.
pub(crate) fn resume(
    id: Option<&str>,
    manner: &Manner,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let store = paths.store()?;
    let id = unfinished(id, &store, paths)?;
    let record = store.load_experiment(&id)?;
    let holdings = Holdings::open(paths, &id)?;
    let (done, planned) = (record.trials.len(), record.planned);
    output.note(&format!("{id}: going on after {done} of {planned} trials"));
    Course { record, store, stand: Stand::new(holdings, paths, output)?, paths, output }.run(manner)
}

/// Stops, puts back and removes everything that an experiment holds; all of them without an id.
///
/// # Errors
/// What could not be removed.
pub(crate) fn cleanup(
    id: Option<&str>,
    paths: &Paths,
    output: &Output,
) -> Result<Vec<String>, Failure> {
    let all = Holdings::all(paths)?;
    let chosen: Vec<String> = match id {
        Some(id) => vec![beginning_with(id, &all)?],
        None => all,
    };
    for id in &chosen {
        let mut stand = Stand::new(Holdings::open(paths, id)?, paths, output)?;
        stand.stop_all()?;
        let mut variants = capability::variants(paths, stand.holdings.dir(), output);
        capability::put_back(&mut variants).map_err(of_fault)?;
        stand.remove_all()?;
        stand.holdings.close()?;
    }
    Ok(chosen)
}

/// The experiment of that id, or the latest, among those that hold something.
fn unfinished(id: Option<&str>, store: &Store, paths: &Paths) -> Result<String, Failure> {
    let all = Holdings::all(paths)?;
    if let Some(id) = id {
        return beginning_with(id, &all);
    }
    let known = |id: &&String| store.load_experiment(id).is_ok();
    all.iter().rfind(known).cloned().ok_or_else(|| {
        Failure::usage("--resume: no experiment was broken off; `myrig runs list` shows the others")
    })
}

fn beginning_with(key: &str, all: &[String]) -> Result<String, Failure> {
    let mut found = all.iter().filter(|id| id.starts_with(key));
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only.clone()),
        (None, _) if all.is_empty() => {
            Err(Failure::usage(format!("{key}: no experiment was broken off")))
        }
        _ => {
            let all = all.join(", ");
            Err(Failure::usage(format!("{key}: is none, or not one only, of {all}")))
        }
    }
}

/// The record of an experiment that has not begun.
fn blank(id: String, start: SystemTime, wanted: Wanted) -> ExperimentRecord {
    let Wanted { file, origin, overrides, experiment, label } = wanted;
    let variant = |arm: &lab::experiment::spec::Arm| VariantRecord {
        name: arm.name.clone(),
        note: arm.note.clone(),
        differs: Vec::new(),
        server: None,
        workload: None::<WorkloadFacts>,
    };
    ExperimentRecord {
        schema: EXPERIMENT_SCHEMA.into(),
        id,
        label,
        started_at: recording::rfc3339(start),
        status: RunStatus::Partial { reason: "myrig did not live to see its end".into() },
        file,
        origin,
        overrides,
        host: facts::machine(Path::new("/")),
        client_version: env!("CARGO_PKG_VERSION").into(),
        variants: experiment.variants.iter().map(variant).collect(),
        trials: Vec::new(),
        planned: schedule(&experiment).len() as u32,
        experiment,
        comparisons: Vec::new(),
        verdict: String::new(),
        caveats: Vec::new(),
        took_s: 0.0,
    }
}

/// An experiment under way.
struct Course<'a> {
    record: ExperimentRecord,
    store: Store,
    stand: Stand<'a>,
    paths: &'a Paths,
    output: &'a Output,
}

impl Course<'_> {
    /// What is left of it, and its end.
    fn run(mut self, manner: &Manner) -> Result<Status, Failure> {
        let stops = Stops::default();
        let stopping = stops.clone();
        interrupt::watch(move || stopping.stop())?;
        let mut variants = capability::variants(self.paths, self.stand.holdings.dir(), self.output);
        // What a killed process has left running or changed.
        self.stand.stop_all()?;
        capability::put_back(&mut variants).map_err(of_fault)?;
        let begun = Instant::now();
        let before_s = self.record.took_s;
        let outcome =
            self.trials(&stops, &mut variants, &|| before_s + begun.elapsed().as_secs_f64());
        self.record.took_s = before_s + begun.elapsed().as_secs_f64();
        match outcome {
            Ok(worst) => self.end(worst, manner),
            Err(failure) => Err(self.broken_off(failure)),
        }
    }

    /// Takes the trials that are not in the record yet; the worst status of all.
    fn trials(
        &mut self,
        stops: &Stops,
        variants: &mut [Box<dyn Variant>],
        took_s: &dyn Fn() -> f64,
    ) -> Result<Status, Failure> {
        let schedule = schedule(&self.record.experiment);
        let mut worst = Status::Good;
        for scheduled in &schedule {
            if self.record.trials.iter().any(|trial| trial.number == scheduled.number) {
                continue;
            }
            let taken = self.trial(scheduled, stops, variants)?;
            worst = worse(worst, taken.status);
            let complete = taken.record.is_complete();
            let reason = match &taken.record.status {
                RunStatus::Complete => String::new(),
                RunStatus::Partial { reason } => reason.clone(),
            };
            if !complete {
                // Its run is in the store for whoever wants to look; the trial is taken again.
                return Err(anyhow::anyhow!("trial {}: {reason}", scheduled.number).into());
            }
            self.keep(taken, took_s())?;
        }
        Ok(worst)
    }

    fn trial(
        &mut self,
        scheduled: &Scheduled,
        stops: &Stops,
        variants: &mut [Box<dyn Variant>],
    ) -> Result<Taken, Failure> {
        let experiment = self.record.experiment.clone();
        let gone = || anyhow::anyhow!("the variant {} is not in the file", scheduled.variant);
        let arm = experiment.arm(&scheduled.variant).ok_or_else(gone)?;
        let sets = data_sets(&experiment);
        let of_arm = |set: &&lab::experiment::DataSet| set.variants.contains(&arm.name);
        let set = sets.iter().find(of_arm).ok_or_else(gone)?;
        let first = set.variants.first().and_then(|name| experiment.arm(name)).unwrap_or(arm);
        let left = self.time_left(scheduled);
        let (number, planned) = (scheduled.number, self.record.planned);
        self.output.note(&format!("trial {number} of {planned}: {}{left}", arm.name));
        self.stand.provide(set, first)?;
        let before = format!("{number}/{planned} {}: ", arm.name);
        let asker = Asker { stops, paths: self.paths, output: self.output };
        let id = self.record.id.clone();
        Trial { scheduled, experiment: &experiment, id: &id, arm, set, before, asker }
            .take(&mut self.stand, variants)
    }

    /// In words, by the trials that have been taken.
    fn time_left(&self, scheduled: &Scheduled) -> String {
        let taken: Vec<f64> = self.record.trials.iter().map(|trial| trial.took_s).collect();
        if taken.is_empty() {
            return String::new();
        }
        let mean_s = taken.iter().sum::<f64>() / taken.len() as f64;
        let left_s = mean_s * f64::from(self.record.planned + 1 - scheduled.number);
        let left = humantime::format_duration(Duration::from_secs(left_s as u64));
        format!(", about {left} left")
    }

    /// Puts a trial into the record, and what follows from it.
    fn keep(&mut self, taken: Taken, took_s: f64) -> Result<(), Failure> {
        let Taken { record, server, workload, .. } = taken;
        if let Some(variant) =
            self.record.variants.iter_mut().find(|variant| variant.name == record.variant)
        {
            variant.server.get_or_insert(server);
            variant.workload.get_or_insert(workload);
        }
        let TrialRecord { number, variant, figures, .. } = &record;
        let figures = report::text::figures_of(figures);
        self.output.note(&format!("trial {number}: {variant}: {figures} (run {})", record.run));
        self.record.trials.push(record);
        self.record.took_s = took_s;
        conclusion::draw(&mut self.record, &self.store)?;
        Ok(self.store.save_experiment(&self.record)?)
    }

    /// All trials are taken: the verdict, the report, and nothing left behind.
    fn end(mut self, worst: Status, manner: &Manner) -> Result<Status, Failure> {
        self.record.status = RunStatus::Complete;
        conclusion::draw(&mut self.record, &self.store)?;
        self.store.save_experiment(&self.record)?;
        let trials = self.store.load_trials(&self.record)?;
        let page = report::experiment::html(&self.record, &trials.runs, &trials.sweeps)?;
        let path = manner.report.clone().unwrap_or_else(|| self.paths.report(&self.record.id));
        let reported = std::fs::write(&path, page);
        if self.output.json() {
            self.output.write(&lab::experiment::json(&self.record)?)?;
        } else {
            self.output.write(&report::experiment::text(&self.record, self.output.style()))?;
        }
        match &reported {
            Ok(()) => self.output.note(&format!("report: {}", path.display())),
            Err(error) => {
                let path = path.display();
                self.output.note(&format!("myrig: writing the report {path} (--report): {error}"));
            }
        }
        if manner.keep {
            let kept = self.stand.holdings.instances().join(", ");
            self.output.note(&format!("kept: {kept}; `myrig run --cleanup` removes them"));
        } else {
            self.stand.remove_all()?;
            self.stand.holdings.close()?;
        }
        Ok(if reported.is_ok() { worst } else { worse(worst, Status::NotDone) })
    }

    /// What there is is kept; how to go on is said.
    fn broken_off(mut self, failure: Failure) -> Failure {
        self.record.status = RunStatus::Partial { reason: failure.to_string() };
        let id = &self.record.id;
        if let Err(error) = self.store.save_experiment(&self.record) {
            self.output.note(&format!("myrig: {id} could not be kept: {error}"));
        }
        self.output.note(&format!(
            "{} of {} trials are kept; `myrig run --resume` goes on, `myrig run --cleanup` removes \
             the servers and snapshots",
            self.record.trials.len(),
            self.record.planned
        ));
        failure
    }
}
