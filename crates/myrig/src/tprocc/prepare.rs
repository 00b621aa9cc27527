//! `myrig tprocc prepare`: tables, procedures, rows.

use crate::{
    args::TproccPrepareArgs,
    connect,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    prepare::{self, Prepared, goes_on, resumed, rows_words},
    runtime::block_on,
    tpcc::{load::method, warehouses},
};
use client::Target;
use serde_json::json;
use std::time::{Duration, Instant};
use workloads::{
    tpcc::{self, LoadSummary},
    tprocc::{
        DataSet, Error, LoadOptions, TableOptions, is_engine_name, load, replace_procedures,
        usual_partitions,
    },
};

pub(crate) fn run(
    args: &TproccPrepareArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let options = options(args)?;
    if args.procedures_only {
        return replace(&connect::target(&args.connection, paths, output)?, output);
    }
    let servers = connect::servers(&args.connection, paths, output)?;
    prepare::carry_out(&servers, output, |target, progress| loaded(target, &options, progress))
}

/// Loads into one server.
///
/// # Errors
/// Options that cannot be, and what kept it from being loaded.
pub(crate) fn load_into(
    target: &Target,
    args: &TproccPrepareArgs,
    progress: &tpcc::LoadProgress,
) -> Result<Prepared, Failure> {
    loaded(target, &options(args)?, progress)
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
        other => other.into(),
    })?;
    let data = block_on(DataSet::expect(target, None, None))??;
    let text = words(&data, &summary, database(target));
    Ok(Prepared { value: value(&data, &summary, target), text })
}

/// Refuses what no server could load.
///
/// # Errors
/// The option at fault.
pub(crate) fn validate(args: &TproccPrepareArgs) -> Result<(), Failure> {
    options(args).map(drop)
}

fn options(args: &TproccPrepareArgs) -> Result<LoadOptions, Failure> {
    if !is_engine_name(&args.engine) {
        return Err(Failure::usage(format!(
            "--engine {}: give the name of a storage engine, such as InnoDB",
            args.engine
        )));
    }
    let usual = if args.partition { usual_partitions(args.warehouses) } else { 0 };
    Ok(LoadOptions {
        profile: args.profile,
        warehouses: args.warehouses,
        seed: args.seed,
        tables: TableOptions {
            engine: args.engine.clone(),
            partitions: args.partitions.unwrap_or(usual),
            history_key: args.history_key,
        },
        connections: args.connections,
        method: method(args.load_method),
    })
}

fn replace(target: &Target, output: &Output) -> Result<Status, Failure> {
    let began = Instant::now();
    let data = block_on(replace_procedures(target))??;
    let summary = LoadSummary {
        rows: 0,
        chunks_resumed: 0,
        rows_time: Duration::ZERO,
        finish_time: began.elapsed(),
        load_data: false,
    };
    let version = data.profile.versioned();
    let text = format!("the procedures of `{}` are now {version}\n", database(target));
    output.result(&value(&data, &summary, target), &text)?;
    Ok(Status::Good)
}

fn database(target: &Target) -> &str {
    target.database.as_deref().unwrap_or_default()
}

fn value(data: &DataSet, summary: &LoadSummary, target: &Target) -> serde_json::Value {
    json!({
        "schema": "myrig.prepare/1",
        "workload": "tprocc",
        "database": database(target),
        "profile": data.profile.versioned(),
        "warehouses": data.warehouses,
        "seed": data.seed,
        "rows": summary.rows,
        "rows_s": summary.rows_time.as_secs_f64(),
        "finish_s": summary.finish_time.as_secs_f64(),
        "chunks_resumed": summary.chunks_resumed,
        "load_data": summary.load_data,
    })
}

fn words(data: &DataSet, summary: &LoadSummary, database: &str) -> String {
    let resumed = resumed(summary.chunks_resumed);
    let partitions = match data.tables.partitions {
        0 => String::new(),
        count => format!(", ORDER_LINE in {count} partitions"),
    };
    let LoadSummary { rows, rows_time, load_data, finish_time, .. } = *summary;
    let rows = rows_words(rows, rows_time, load_data, "statistics", finish_time);
    format!(
        "TPROC-C data and procedures ({}, {}{partitions}) are in `{database}`{resumed}: {rows}\n",
        data.profile.versioned(),
        warehouses(data.warehouses),
    )
}
