//! `myrig run`: an experiment from its file to its verdict.
//!
//! - [`library`]: the text of an experiment; [`options`]: its options as those of the command line;
//! - [`planning`]: its plan, with [`estimate`] for sizes and times and [`obstacle`] for what the
//!   machine has to say; [`view`]: how a plan looks;
//! - [`runner`]: carrying it out, trial by trial; [`capability`]: what can be changed before a
//!   trial and measured during one.

mod capability;
mod carried;
mod conclusion;
mod course;
mod duet;
mod estimate;
mod exchange;
mod holdings;
pub(crate) mod library;
mod load;
mod obstacle;
pub(crate) mod options;
mod pages;
mod planning;
mod program;
pub(crate) mod runner;
mod stand;
mod together;
mod trial;
mod view;

pub(crate) use conclusion::trials;

use crate::{
    args::RunExperimentArgs,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use capability::storage;
use course::Manner;
use library::Source;
use planning::Planned;
use runner::Wanted;
use serde_json::json;

pub(crate) fn run(
    args: &RunExperimentArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let manner = Manner { report: args.report.clone(), keep: args.keep };
    if let Some(id) = &args.cleanup {
        let removed = runner::cleanup(id.as_deref(), paths, output)?;
        return cleaned(&removed, output);
    }
    if let Some(id) = &args.resume {
        return runner::resume(id.as_deref(), &manner, paths, output);
    }
    let Some(named) = &args.experiment else {
        let (value, text) = view::library()?;
        output.result(&value, &text)?;
        return Ok(Status::Good);
    };
    let source = Source::of(named)?;
    let overrides = overrides(args);
    let planned = planning::planned(&source, args.scale.as_deref(), &overrides, paths, output);
    // There is no fault in an experiment that comes along, but in what was typed over it.
    let is_typed = library::EMBEDDED.iter().any(|(name, _)| *name == source.origin);
    let planned = planned.map_err(|failure| match is_typed {
        true => Failure::usage(failure),
        false => failure,
    })?;
    if args.plan {
        let value = view::value(&planned, &source.origin, &overrides);
        output.result(&value, &view::text(&planned))?;
        let can = planned.findings.obstacles.is_empty();
        return Ok(if can { Status::Good } else { Status::NotDone });
    }
    begin(planned, source, args, &manner, paths, output)
}

/// What was typed over the file: `--set`, and the devices that may be destroyed.
fn overrides(args: &RunExperimentArgs) -> Vec<String> {
    let devices: Vec<String> =
        args.destroy_data.iter().map(|device| json!(device).to_string()).collect();
    let destroy = format!("storage.{}=[{}]", storage::DESTROY, devices.join(", "));
    args.overrides.iter().cloned().chain((!devices.is_empty()).then_some(destroy)).collect()
}

/// Carries out what can be carried out.
fn begin(
    planned: Planned,
    source: Source,
    args: &RunExperimentArgs,
    manner: &Manner,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let Planned { experiment, plan, findings, .. } = planned;
    if !findings.obstacles.is_empty() {
        let all = findings.obstacles.join("\n- ");
        return Err(anyhow::anyhow!("{} cannot be carried out:\n- {all}", experiment.name).into());
    }
    let trials = if plan.trials == 1 { "trial" } else { "trials" };
    output.note(&format!(
        "{}: {} {trials}, about {}; --plan shows every step",
        experiment.title,
        plan.trials,
        view::about(plan.expected_s)
    ));
    for remark in &plan.remarks {
        output.note(remark);
    }
    let wanted = Wanted {
        file: source.text,
        origin: source.origin,
        overrides: overrides(args),
        experiment,
        label: args.label.clone(),
    };
    runner::begin(wanted, manner, paths, output)
}

fn cleaned(removed: &[String], output: &Output) -> Result<Status, Failure> {
    let value = json!({ "schema": "myrig.run-cleanup/1", "removed": removed });
    let text = match removed {
        [] => "Nothing is left of any experiment.\n".to_owned(),
        all => format!("Cleaned up after {}.\n", all.join(", ")),
    };
    output.result(&value, &text)?;
    Ok(Status::Good)
}
