//! `myrig tpch check`: rows and keys of every table against the generator.

use super::{target, words};
use crate::{
    args::TpchCheckArgs,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    tpcc::check::{recorded, table, under_bar},
};
use serde_json::json;
use std::sync::{Arc, atomic::Ordering};
use workloads::{tpcc::CheckProgress, tpch::check};

pub(super) fn run(args: &TpchCheckArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let target = target(&args.connection, paths, output)?;
    let progress = Arc::new(CheckProgress::default());
    let stopping = Arc::clone(&progress);
    interrupt::watch(move || stopping.stop.store(true, Ordering::Relaxed))?;
    let checked = under_bar(&progress, output, || check(&target, &progress))?;
    let (data, conditions) = checked.map_err(|error| match error {
        error if error.is_stopped() => {
            anyhow::anyhow!("interrupted; `myrig tpch check` does it").into()
        }
        other => Failure::from(other),
    })?;
    let record = recorded(conditions);
    let value = json!({
        "schema": "myrig.tpch-check/1",
        "scale_factor": data.scale_factor,
        "tables": data.tables.iter().map(|table| table.name()).collect::<Vec<_>>(),
        "good": record.good,
        "conditions": record.conditions,
    });
    let text = format!("{}\n{}", words(&data.names(), data.scale_factor), table(&record));
    output.result(&value, &text)?;
    Ok(if record.good { Status::Good } else { Status::Bad })
}
