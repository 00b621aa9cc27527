//! A trial at rest among the others of an experiment.

use super::{
    files, passes,
    record::{self, Facts},
    tool,
};
use crate::{
    experiment::{
        capability, estimate,
        load::DATABASE,
        options,
        stand::Stand,
        trial::{Taken, Trial, of_fault},
    },
    failure::{Failure, Status},
    recording::rfc3339,
    run::{Whole, saving},
};
use lab::{
    experiment::{Stage, Variant},
    record::RunRecord,
};
use server::{Change, Instance, StartOptions};
use std::time::{Instant, SystemTime};

/// The whole of it, with the server down. Whatever comes of it, what the variant has changed of
/// the host is put back.
///
/// # Errors
/// Why it could not be taken.
pub(in crate::experiment) fn take(
    trial: &Trial<'_>,
    stand: &mut Stand<'_>,
    variants: &mut [Box<dyn Variant>],
) -> Result<Taken, Failure> {
    let begun = Instant::now();
    let mut remarks = Vec::new();
    let instance = match trial.set.at_rest {
        true => stand.at_rest(trial.set)?,
        false => {
            let (instance, restored) = stand.restore(trial.set, None)?;
            remarks.push(format!("restored in {:.1} s", restored.as_secs_f64()));
            instance
        }
    };
    // The server is not started, so that nothing of it needs to change; the host may.
    let (mut change, mut start) = (Change::default(), StartOptions::default());
    let stage =
        &mut Stage { arm: trial.arm, instance: &instance, change: &mut change, start: &mut start };
    capability::set(variants, stage).map_err(of_fault)?;
    let began = SystemTime::now();
    let measured = measure(trial, &instance, began);
    let put_back = capability::put_back(variants).map_err(of_fault);
    let run = measured?;
    put_back?;
    let bad = run.check.as_ref().is_some_and(|check| !check.good);
    let status = if bad { Status::Bad } else { Status::Good };
    remarks.extend(run.settings.get("program").and_then(|it| Some(it.as_str()?.to_owned())));
    let mut taken = trial.record(Whole::Run(Box::new(run)), status, rfc3339(began));
    taken.record.remarks = remarks;
    taken.record.took_s = begun.elapsed().as_secs_f64();
    Ok(taken)
}

/// Reads the files as asked for, and keeps what that came to.
fn measure(
    trial: &Trial<'_>,
    instance: &Instance,
    began: SystemTime,
) -> Result<RunRecord, Failure> {
    let args = options::pages_args(&trial.arm.workload)?;
    let files = files::of_database(&instance.data_dir().join(DATABASE), &args)?;
    let installation = instance.installation();
    let asker = trial.asker;
    let read = |file: &files::DataFile| tool::read(&args, installation, file);
    let watcher = (asker.stops, asker.output, trial.before.as_str());
    let passes = passes::take(&args, &files, read, watcher)?;
    let facts = Facts {
        args: &args,
        instance,
        files: &files,
        data: estimate::words_of(&options::data_args(&trial.arm.data)?),
        program: tool::program(args.tool, installation),
        label: trial.label(),
        began,
    };
    let run = record::record(&facts, &passes)?;
    saving::keep(&mut asker.paths.store()?, &run).map_err(|words| anyhow::anyhow!(words))?;
    saving::report(None, &run, asker.paths)?;
    Ok(run)
}
