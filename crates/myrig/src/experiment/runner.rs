//! Carrying an experiment out: from its plan to its verdict, in spite of what may happen between.
//!
//! What is to be done next follows from the record in the store alone: the schedule of the file,
//! less the trials that are in it. What is held of the machine is in [`Holdings`], written down
//! before it is taken. So a process that is killed at any moment loses at most the trial that it
//! was at, and the next one finds everything.

use super::{
    capability,
    course::{Course, Manner},
    holdings::Holdings,
    stand::Stand,
    trial::of_fault,
};
use crate::{
    facts,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    recording,
};
use lab::{
    experiment::{
        EXPERIMENT_SCHEMA, Experiment, ExperimentRecord, VariantRecord, differs, schedule,
        spec::Arm,
    },
    record::{RunStatus, WorkloadFacts},
    store::Store,
};
use rand::Rng;
use std::{path::Path, time::SystemTime};

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
    Course::new(record, store, holdings, paths, output)?.run(manner)
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
    Course::new(record, store, holdings, paths, output)?.run(manner)
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
        stand.close()?;
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
