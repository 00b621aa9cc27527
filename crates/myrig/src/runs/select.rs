//! The runs that a person means.

use crate::failure::Failure;
use anyhow::anyhow;
use lab::{
    experiment::{ExperimentRecord, spec::Order},
    record::RunRecord,
    store::{Found, RunFilter, Store},
};

/// Runs, and where they belong.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// The runs, each with its block, where a plan interleaved it with runs of the other side.
    pub(super) runs: Vec<(RunRecord, Option<u32>)>,
    /// The plan that the blocks are of; none where there is none, or more than one.
    pub(super) plan: Option<String>,
}

/// The runs that `words` name: keys with commas between them, each an id, the beginning of one,
/// `latest`, `label:NAME`, a sweep, a group, or an experiment and a variant of it.
///
/// # Errors
/// A key names nothing, or an experiment without a variant.
pub(super) fn select(words: &str, store: &Store) -> Result<Selection, Failure> {
    let keys: Vec<&str> = words.split(',').map(str::trim).filter(|key| !key.is_empty()).collect();
    let mut selection = Selection::default();
    for key in &keys {
        let (runs, plan) = of_key(key, store)?;
        for (run, block) in runs {
            if selection.runs.iter().all(|(known, _)| known.id != run.id) {
                selection.runs.push((run, block));
            }
        }
        selection.plan = plan.filter(|_| keys.len() == 1);
    }
    match selection.runs.is_empty() {
        true => Err(Failure::usage(format!("`{words}` names no run"))),
        false => Ok(selection),
    }
}

type Placed = Vec<(RunRecord, Option<u32>)>;

fn of_key(key: &str, store: &Store) -> Result<(Placed, Option<String>), Failure> {
    if let Some(label) = key.strip_prefix("label:") {
        return Ok((labelled(label, store)?, None));
    }
    if let Some((experiment, variant)) = key.split_once('/') {
        return of_experiment(experiment, variant, store);
    }
    let load = |id: &str, block| -> Result<(RunRecord, Option<u32>), Failure> {
        Ok((store.load(id)?, block))
    };
    // The latest run is meant, and not the sweep that it may be a step of.
    if key == "latest" {
        return Ok((vec![load(key, None)?], None));
    }
    match store.find(key)? {
        Found::Run(run) => Ok((vec![(*run, None)], None)),
        Found::Sweep(sweep) => {
            // Steps of one size are compared with each other.
            let steps = (0_u32..).zip(&sweep.steps);
            let runs: Result<Placed, Failure> =
                steps.map(|(step, it)| load(&it.run, Some(step))).collect();
            Ok((runs?, Some(format!("{:?}: {:?}", sweep.varied, sweep.planned))))
        }
        Found::Group(group) => {
            let members = group.members.iter();
            let runs: Result<Placed, Failure> =
                members.map(|member| load(&member.run.run, None)).collect();
            Ok((runs?, None))
        }
        Found::Experiment(record) => Err(Failure::usage(format!(
            "{key} is an experiment: name a variant of it, {}",
            variants(&record)
        ))),
    }
}

/// All runs that are called so.
fn labelled(label: &str, store: &Store) -> Result<Placed, Failure> {
    let filter = RunFilter { label: Some(label.to_owned()), ..RunFilter::default() };
    let mut found = store.list(&filter)?;
    found.retain(|run| run.label == label);
    if found.is_empty() {
        return Err(
            anyhow!("no run is labelled {label:?}: `myrig runs list` shows the labels").into()
        );
    }
    found.iter().map(|run| Ok((store.load(&run.id)?, None))).collect()
}

/// The trials of one variant, in the rounds of the plan where these were interleaved.
fn of_experiment(
    experiment: &str,
    variant: &str,
    store: &Store,
) -> Result<(Placed, Option<String>), Failure> {
    let Found::Experiment(record) = store.find(experiment)? else {
        return Err(Failure::usage(format!(
            "{experiment} is no experiment, so it has no variants"
        )));
    };
    // A duet's pairs are blocks as well: what disturbed the one run disturbed the other.
    let interleaved = record.experiment.repeat.order != Order::InOrder;
    let trials = record.trials_of(variant);
    let runs: Result<Placed, Failure> = trials
        .map(|trial| Ok((store.load(&trial.run)?, interleaved.then_some(trial.round))))
        .collect();
    match runs? {
        runs if runs.is_empty() => Err(anyhow!(
            "experiment {} has no trial of a variant {variant:?}: there are {}",
            record.id,
            variants(&record)
        )
        .into()),
        runs => Ok((runs, interleaved.then_some(record.id))),
    }
}

fn variants(record: &ExperimentRecord) -> String {
    let keys = record.variants.iter().map(|variant| format!("{}/{}", record.id, variant.name));
    keys.collect::<Vec<_>>().join(" or ")
}
