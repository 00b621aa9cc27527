//! `myrig oltp prepare`: make the tables and load them.

use super::{failure, plan, tables, target};
use crate::{
    args::OltpPrepareArgs,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    tpcc::load::under_bar,
};
use indicatif::HumanCount;
use serde_json::json;
use std::sync::{Arc, atomic::Ordering};
use workloads::{
    oltp::{Error, LoadOptions, LoadProgress, LoadSummary, load},
    tpcc,
};

pub(super) fn run(
    args: &OltpPrepareArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let options = plan::load_options(args)?;
    let target = target(&args.connection, paths, output)?;
    let progress = Arc::new(LoadProgress::default());
    let stopping = Arc::clone(&progress);
    interrupt::watch(move || stopping.stop.store(true, Ordering::Relaxed))?;
    let loaded = under_bar(&progress, output, || load(&target, &options, &progress))?;
    let begun = progress.rows_expected.load(Ordering::Relaxed) > 0;
    let summary = loaded.map_err(|error| match error {
        Error::Common(tpcc::Error::Database { .. } | tpcc::Error::DiskFull { .. }) if begun => {
            let then = "once that is mended, the same command goes on where it was";
            anyhow::anyhow!("{error}; {then}").into()
        }
        other => failure(other),
    })?;
    let database = target.database.as_deref().unwrap_or_default();
    let data = &options.data;
    let value = json!({
        "schema": "myrig.oltp-prepare/1",
        "database": database,
        "version": data.schema,
        "tables": data.tables,
        "table_size": data.table_size,
        "seed": options.seed,
        "rows": summary.rows,
        "rows_s": summary.rows_time.as_secs_f64(),
        "finish_s": summary.finish_time.as_secs_f64(),
        "chunks_resumed": summary.chunks_resumed,
        "load_data": summary.load_data,
        "already_there": summary.already_there,
    });
    output.result(&value, &words(&options, &summary, database))?;
    Ok(Status::Good)
}

fn words(options: &LoadOptions, summary: &LoadSummary, database: &str) -> String {
    let data = &options.data;
    let size = format!("{} of {} rows", tables(data.tables), HumanCount(data.table_size.into()));
    if summary.already_there {
        return format!("{size} are in `{database}` already; nothing was loaded.\n");
    }
    let seconds = summary.rows_time.as_secs_f64();
    let rate = summary.rows as f64 / seconds.max(1e-9);
    let resumed = match summary.chunks_resumed {
        0 => String::new(),
        chunks => format!(" after {chunks} parts of an earlier load"),
    };
    let method = if summary.load_data { "LOAD DATA LOCAL" } else { "INSERT" };
    format!(
        "{size} (sysbench {}) are in `{database}`{resumed}: {} rows in {seconds:.1} s ({} rows/s \
         by {method}), indexes and statistics in {:.1} s.\n",
        data.schema,
        HumanCount(summary.rows),
        HumanCount(rate as u64),
        summary.finish_time.as_secs_f64()
    )
}
