//! `myrig oltp prepare`: make the tables and load them.

use super::{failure, plan, servers, tables};
use crate::{
    args::OltpPrepareArgs,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    prepare::{self, Prepared, goes_on, resumed, rows_words},
};
use client::Target;
use indicatif::HumanCount;
use serde_json::{Value, json};
use workloads::{
    oltp::{Error, LoadOptions, LoadSummary, load},
    tpcc,
};

pub(super) fn run(
    args: &OltpPrepareArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let options = plan::load_options(args)?;
    let servers = servers(&args.connection, paths, output)?;
    prepare::carry_out(&servers, output, |target, progress| loaded(target, &options, progress))
}

/// Loads into one server.
///
/// # Errors
/// Options that cannot be, and what kept it from being loaded.
pub(crate) fn load_into(
    target: &Target,
    args: &OltpPrepareArgs,
    progress: &tpcc::LoadProgress,
) -> Result<Prepared, Failure> {
    loaded(target, &plan::load_options(args)?, progress)
}

/// Refuses what no server could load.
///
/// # Errors
/// The option at fault.
pub(crate) fn validate(args: &OltpPrepareArgs) -> Result<(), Failure> {
    plan::load_options(args).map(drop)
}

fn loaded(
    target: &Target,
    options: &LoadOptions,
    progress: &tpcc::LoadProgress,
) -> Result<Prepared, Failure> {
    let summary = load(target, options, progress).map_err(|error| match error {
        Error::Common(tpcc::Error::Database { .. } | tpcc::Error::DiskFull { .. })
            if progress.has_begun() =>
        {
            goes_on(error)
        }
        other => failure(other),
    })?;
    let database = target.database.as_deref().unwrap_or_default();
    let text = words(options, &summary, database);
    Ok(Prepared { value: value(options, &summary, database), text })
}

fn value(options: &LoadOptions, summary: &LoadSummary, database: &str) -> Value {
    let data = &options.data;
    json!({
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
    })
}

fn words(options: &LoadOptions, summary: &LoadSummary, database: &str) -> String {
    let data = &options.data;
    let size = format!("{} of {} rows", tables(data.tables), HumanCount(data.table_size.into()));
    if summary.already_there {
        return format!("{size} are in `{database}` already; nothing was loaded.\n");
    }
    let resumed = resumed(summary.chunks_resumed);
    let LoadSummary { rows, rows_time, load_data, finish_time, .. } = *summary;
    let rows = rows_words(rows, rows_time, load_data, "indexes and statistics", finish_time);
    format!("{size} (sysbench {}) are in `{database}`{resumed}: {rows}\n", data.schema)
}
