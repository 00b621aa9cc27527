//! `myrig tprocc prepare`: tables, procedures, rows.

use crate::{
    args::TproccPrepareArgs,
    connect,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    runtime::block_on,
    tpcc::{
        load::{method, under_bar},
        warehouses,
    },
};
use client::Target;
use indicatif::HumanCount;
use serde_json::json;
use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use workloads::{
    tpcc::{self, LoadProgress, LoadSummary},
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
    let target = connect::target(&args.connection, paths, output)?;
    if args.procedures_only {
        return replace(&target, output);
    }
    let progress = Arc::new(LoadProgress::default());
    let stopping = Arc::clone(&progress);
    interrupt::watch(move || stopping.stop.store(true, Ordering::Relaxed))?;
    let loaded = under_bar(&progress, output, || load(&target, &options, &progress))?;
    let begun = progress.rows_expected.load(Ordering::Relaxed) > 0;
    let summary = loaded.map_err(|error| match error {
        Error::Common(tpcc::Error::Database { .. } | tpcc::Error::DiskFull { .. }) if begun => {
            anyhow::anyhow!("{error}; once that is mended, the same command goes on where it was")
        }
        other => other.into(),
    })?;
    let data = block_on(DataSet::expect(&target, None, None))??;
    let text = words(&data, &summary, database(&target));
    output.result(&value(&data, &summary, &target), &text)?;
    Ok(Status::Good)
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
    let seconds = summary.rows_time.as_secs_f64();
    let rate = summary.rows as f64 / seconds.max(1e-9);
    let resumed = match summary.chunks_resumed {
        0 => String::new(),
        chunks => format!(" after {chunks} parts of an earlier load"),
    };
    let method = if summary.load_data { "LOAD DATA LOCAL" } else { "INSERT" };
    let partitions = match data.tables.partitions {
        0 => String::new(),
        count => format!(", ORDER_LINE in {count} partitions"),
    };
    format!(
        "TPROC-C data and procedures ({}, {}{partitions}) are in `{database}`{resumed}: {} rows \
         in {seconds:.1} s ({} rows/s by {method}), statistics in {:.1} s.\n",
        data.profile.versioned(),
        warehouses(data.warehouses),
        HumanCount(summary.rows),
        HumanCount(rate as u64),
        summary.finish_time.as_secs_f64()
    )
}
