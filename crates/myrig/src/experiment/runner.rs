//! Carrying an experiment out: from its plan to its verdict, in spite of what may happen between.
//!
//! What is to be done next follows from the record in the store alone: the schedule of the file,
//! less the trials that are in it. What is held of the machine is in [`Holdings`], written down
//! before it is taken. So a process that is killed at any moment loses at most the trial that it
//! was at, and the next one finds everything.

use super::{
    capability, conclusion,
    duet::Duet,
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
        DataSet, EXPERIMENT_SCHEMA, Experiment, ExperimentRecord, Scheduled, TrialRecord, Variant,
        VariantRecord, data_sets, differs, schedule, spec::Arm,
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
    let variant = |(arm, differs): (&Arm, _)| VariantRecord {
        name: arm.name.clone(),
        note: arm.note.clone(),
        differs,
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
        variants: experiment
            .variants
            .iter()
            .zip(differs(&experiment.variants))
            .map(variant)
            .collect(),
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
        // The two of a duet are taken together, any other trial alone.
        for together in schedule.chunk_by(|a, b| a.pair.is_some() && a.pair == b.pair) {
            let is_taken = |scheduled: &Scheduled| {
                self.record.trials.iter().any(|trial| trial.number == scheduled.number)
            };
            if together.iter().all(is_taken) {
                continue;
            }
            let taken = self.take(together, stops, variants)?;
            for trial in &taken {
                if let RunStatus::Partial { reason } = &trial.record.status {
                    // Its run is in the store for whoever wants to look; it is taken again.
                    return Err(anyhow::anyhow!("trial {}: {reason}", trial.record.number).into());
                }
            }
            worst = taken.iter().fold(worst, |worst, trial| worse(worst, trial.status));
            self.keep(taken, took_s())?;
        }
        Ok(worst)
    }

    /// Takes one trial, or the two of a duet.
    fn take(
        &mut self,
        together: &[Scheduled],
        stops: &Stops,
        variants: &mut [Box<dyn Variant>],
    ) -> Result<Vec<Taken>, Failure> {
        let experiment = self.record.experiment.clone();
        let sets = data_sets(&experiment);
        let id = self.record.id.clone();
        let asker = Asker { stops, paths: self.paths, output: self.output };
        let mut trials = Vec::new();
        for scheduled in together {
            let Scheduled { number, variant, .. } = scheduled;
            let gone = || anyhow::anyhow!("the variant {variant} is not in the file");
            let arm = experiment.arm(variant).ok_or_else(gone)?;
            let of_arm = |set: &&DataSet| set.variants.contains(variant);
            let set = sets.iter().find(of_arm).ok_or_else(gone)?;
            let first = set.variants.first().and_then(|name| experiment.arm(name)).unwrap_or(arm);
            let (planned, left) = (self.record.planned, self.time_left(scheduled));
            self.output.note(&format!("trial {number} of {planned}: {variant}{left}"));
            self.stand.provide(set, first)?;
            let (experiment, id, before) =
                (&experiment, &id, format!("{number}/{planned} {variant}: "));
            trials.push(Trial { scheduled, experiment, id, arm, set, before, asker });
        }
        match <[Trial<'_>; 2]>::try_from(trials) {
            Ok(both) => Ok(Duet(both).take(&mut self.stand, variants)?.into()),
            Err(alone) => alone.iter().map(|trial| trial.take(&mut self.stand, variants)).collect(),
        }
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

    /// Puts trials into the record, and what follows from them.
    fn keep(&mut self, taken: Vec<Taken>, took_s: f64) -> Result<(), Failure> {
        for Taken { record, server, workload, .. } in taken {
            let mut variants = self.record.variants.iter_mut();
            if let Some(variant) = variants.find(|variant| variant.name == record.variant) {
                variant.server.get_or_insert(server);
                variant.workload.get_or_insert(workload);
            }
            let TrialRecord { number, variant, figures, run, .. } = &record;
            let figures = report::text::figures_of(figures);
            self.output.note(&format!("trial {number}: {variant}: {figures} (run {run})"));
            self.record.trials.push(record);
        }
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
