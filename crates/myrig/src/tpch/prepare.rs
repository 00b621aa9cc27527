//! `myrig tpch prepare`: make the tables and load them.

use super::{servers, words};
use crate::{
    args::TpchPrepareArgs,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    prepare::{self, Prepared, goes_on, resumed, rows_words},
    tpcc::load::method,
};
use client::Target;
use serde_json::json;
use workloads::{
    tpcc::{self, LoadProgress},
    tpch::{Error, LoadOptions, LoadSummary, Table, load},
};

pub(super) fn run(
    args: &TpchPrepareArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let servers = servers(&args.connection, paths, output)?;
    prepare::carry_out(&servers, output, |target, progress| load_into(target, args, progress))
}

/// Loads into one server.
///
/// # Errors
/// What kept it from being loaded.
pub(crate) fn load_into(
    target: &Target,
    args: &TpchPrepareArgs,
    progress: &LoadProgress,
) -> Result<Prepared, Failure> {
    let options = LoadOptions {
        scale_factor: args.scale_factor,
        tables: args.tables.clone(),
        connections: args.connections,
        method: method(args.load_method),
    };
    let summary = load(target, &options, progress).map_err(|error| match error {
        Error::Common(tpcc::Error::Database { .. } | tpcc::Error::DiskFull { .. })
            if progress.has_begun() =>
        {
            goes_on(error)
        }
        other => other.into(),
    })?;
    let database = target.database.as_deref().unwrap_or_default();
    let names = names(&args.tables);
    let value = json!({
        "schema": "myrig.tpch-prepare/1",
        "database": database,
        "scale_factor": args.scale_factor,
        "tables": names.split(',').collect::<Vec<_>>(),
        "rows": summary.rows,
        "rows_s": summary.rows_time.as_secs_f64(),
        "finish_s": summary.finish_time.as_secs_f64(),
        "chunks_resumed": summary.chunks_resumed,
        "load_data": summary.load_data,
        "already_there": summary.already_there,
    });
    let data = words(&names, args.scale_factor);
    Ok(Prepared { value, text: told(&data, &summary, database) })
}

/// The tables in the order in which they are loaded, separated by commas.
pub(crate) fn names(tables: &[Table]) -> String {
    let named = Table::ALL.iter().filter(|table| tables.contains(table));
    named.map(|table| table.name()).collect::<Vec<_>>().join(",")
}

fn told(data: &str, summary: &LoadSummary, database: &str) -> String {
    if summary.already_there {
        return format!("{data} is in `{database}` already; nothing was loaded.\n");
    }
    let LoadSummary { rows, rows_time, load_data, finish_time, .. } = *summary;
    let resumed = resumed(summary.chunks_resumed);
    let rows = rows_words(rows, rows_time, load_data, "statistics", finish_time);
    format!("{data} is in `{database}`{resumed}: {rows}\n")
}
