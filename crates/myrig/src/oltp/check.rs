//! `myrig oltp check`: rows, keys and indexes of every table.

use super::{failure, target};
use crate::{
    args::OltpCheckArgs,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    tpcc::check::{recorded, table, under_bar},
};
use client::Target;
use lab::record::CheckRecord;
use serde_json::json;
use std::sync::{Arc, atomic::Ordering};
use workloads::{
    oltp::{CheckOptions, check},
    tpcc::CheckProgress,
};

pub(super) fn run(args: &OltpCheckArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let target = target(&args.connection, paths, output)?;
    let progress = Arc::new(CheckProgress::default());
    let stopping = Arc::clone(&progress);
    interrupt::watch(move || stopping.stop.store(true, Ordering::Relaxed))?;
    let OltpCheckArgs { table_size, rows_changed, .. } = *args;
    let options = CheckOptions { table_size, rows_changed };
    let record = record(&target, options, &progress, output)?;
    let value = json!({
        "schema": "myrig.oltp-check/1",
        "tables": progress.steps.load(Ordering::Relaxed),
        "good": record.good,
        "conditions": record.conditions,
    });
    output.result(&value, &table(&record))?;
    Ok(if record.good { Status::Good } else { Status::Bad })
}

/// Checks under a progress bar.
///
/// # Errors
/// Why the tables could not be checked.
pub(super) fn record(
    target: &Target,
    options: CheckOptions,
    progress: &CheckProgress,
    output: &Output,
) -> Result<CheckRecord, Failure> {
    let checked = under_bar(progress, output, || check(target, options, progress))?;
    let checked = checked.map_err(|error| match error {
        error if error.is_stopped() => {
            anyhow::anyhow!("interrupted; `myrig oltp check` does it").into()
        }
        other => failure(other),
    })?;
    Ok(recorded(checked))
}
