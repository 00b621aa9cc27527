//! `myrig tpcc prepare`: load, with rows a second and time left.

use super::warehouses;
use crate::{
    args::{LoadArgs, Method},
    connect::Server,
    failure::{Failure, Status},
    output::Output,
    prepare::{self, Prepared, goes_on, resumed, rows_words},
};
use client::Target;
use serde_json::json;
use workloads::tpcc::{Error, LoadMethod, LoadOptions, LoadProgress, LoadSummary, load};

/// Loads as asked for into every server and says what was done.
pub(crate) fn run(servers: &[Server], args: &LoadArgs, output: &Output) -> Result<Status, Failure> {
    prepare::carry_out(servers, output, |target, progress| load_into(target, args, progress))
}

/// Loads into one server.
///
/// # Errors
/// What kept it from being loaded.
pub(crate) fn load_into(
    target: &Target,
    args: &LoadArgs,
    progress: &LoadProgress,
) -> Result<Prepared, Failure> {
    let summary = one(target, args, progress)?;
    let database = target.database.as_deref().unwrap_or_default();
    let value = json!({
        "schema": "myrig.prepare/1",
        "workload": "tpcc",
        "database": database,
        "profile": args.profile.versioned(),
        "warehouses": args.warehouses,
        "seed": args.seed,
        "rows": summary.rows,
        "rows_s": summary.rows_time.as_secs_f64(),
        "finish_s": summary.finish_time.as_secs_f64(),
        "chunks_resumed": summary.chunks_resumed,
        "load_data": summary.load_data,
    });
    Ok(Prepared { value, text: words(args, &summary, database) + "\n" })
}

fn one(target: &Target, args: &LoadArgs, progress: &LoadProgress) -> Result<LoadSummary, Failure> {
    let options = LoadOptions {
        profile: args.profile,
        warehouses: args.warehouses,
        seed: args.seed,
        connections: args.connections,
        method: method(args.load_method),
    };
    load(target, &options, progress).map_err(|error| match error {
        Error::Database { .. } | Error::DiskFull { .. } if progress.has_begun() => goes_on(error),
        other => other.into(),
    })
}

/// How rows are sent.
pub(crate) fn method(typed: Method) -> LoadMethod {
    match typed {
        Method::Auto => LoadMethod::Auto,
        Method::LoadData => LoadMethod::LoadData,
        Method::Insert => LoadMethod::Insert,
    }
}

fn words(args: &LoadArgs, summary: &LoadSummary, database: &str) -> String {
    let resumed = resumed(summary.chunks_resumed);
    let LoadSummary { rows, rows_time, load_data, finish_time, .. } = *summary;
    let rows = rows_words(rows, rows_time, load_data, "indexes and statistics", finish_time);
    let warehouses = warehouses(args.warehouses);
    format!("TPC-C data ({}, {warehouses}) is in `{database}`{resumed}: {rows}", args.profile)
}
