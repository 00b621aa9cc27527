//! `myrig tpcc prepare`: load, with rows a second and time left.

use super::warehouses;
use crate::{
    args::{LoadArgs, Method},
    failure::{Failure, Status},
    interrupt,
    output::Output,
};
use client::Target;
use indicatif::{HumanCount, ProgressBar};
use serde_json::json;
use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::Duration,
};
use workloads::tpcc::{Error, LoadMethod, LoadOptions, LoadProgress, LoadSummary, load};

const BAR: &str = "{prefix:12} {bar:20} {percent:>3}%  {msg}";

/// Loads as asked for and says what was done.
pub(crate) fn run(target: &Target, args: &LoadArgs, output: &Output) -> Result<Status, Failure> {
    let progress = Arc::new(LoadProgress::default());
    let stopping = Arc::clone(&progress);
    interrupt::watch(move || stopping.stop.store(true, Ordering::Relaxed))?;
    let summary = load_with_bar(target, args, &progress, output)?;
    let database = target.database.as_deref().unwrap_or_default();
    let rows_s = summary.rows_time.as_secs_f64();
    let value = json!({
        "schema": "myrig.prepare/1",
        "workload": "tpcc",
        "database": database,
        "profile": args.profile.versioned(),
        "warehouses": args.warehouses,
        "seed": args.seed,
        "rows": summary.rows,
        "rows_s": rows_s,
        "finish_s": summary.finish_time.as_secs_f64(),
        "chunks_resumed": summary.chunks_resumed,
        "load_data": summary.load_data,
    });
    let text = format!("{}\n", words(args, &summary, database));
    output.result(&value, &text)?;
    Ok(Status::Good)
}

/// Loads under a progress bar; also the demonstration's way to its data.
pub(crate) fn load_with_bar(
    target: &Target,
    args: &LoadArgs,
    progress: &LoadProgress,
    output: &Output,
) -> Result<LoadSummary, Failure> {
    let options = LoadOptions {
        profile: args.profile,
        warehouses: args.warehouses,
        seed: args.seed,
        connections: args.connections,
        method: method(args.load_method),
    };
    let loaded = under_bar(progress, output, || load(target, &options, progress))?;
    let begun = progress.rows_expected.load(Ordering::Relaxed) > 0;
    Ok(loaded.map_err(|error| match error {
        Error::Database { .. } | Error::DiskFull { .. } if begun => {
            anyhow::anyhow!("{error}; once that is mended, the same command goes on where it was")
        }
        other => other.into(),
    })?)
}

/// How rows are sent.
pub(crate) fn method(typed: Method) -> LoadMethod {
    match typed {
        Method::Auto => LoadMethod::Auto,
        Method::LoadData => LoadMethod::LoadData,
        Method::Insert => LoadMethod::Insert,
    }
}

/// Shows how far a load is while `work` carries it out.
///
/// # Errors
/// A panic of `work`.
pub(crate) fn under_bar<T: Send>(
    progress: &LoadProgress,
    output: &Output,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let bar = output.bar(0, BAR);
    let loaded = thread::scope(|scope| {
        let loading = scope.spawn(work);
        while !loading.is_finished() {
            bar.set_length(progress.rows_expected.load(Ordering::Relaxed));
            bar.set_position(progress.rows.load(Ordering::Relaxed));
            bar.set_prefix(progress.stage());
            bar.set_message(state(&bar));
            thread::sleep(Duration::from_millis(100));
        }
        loading.join()
    });
    bar.finish_and_clear();
    Ok(loaded.map_err(|_panic| anyhow::anyhow!("a thread of the load panicked"))?)
}

/// Rows, their rate and the time that they still take. Of what comes after them nobody can say how
/// long it takes.
fn state(bar: &ProgressBar) -> String {
    let rows = HumanCount(bar.position());
    if bar.length().is_some_and(|length| bar.position() >= length) {
        return format!("{rows} rows");
    }
    let left = Duration::from_secs(bar.eta().as_secs());
    let rate = HumanCount(bar.per_sec() as u64);
    format!("{rows} rows, {rate}/s, {} left", humantime::format_duration(left))
}

fn words(args: &LoadArgs, summary: &LoadSummary, database: &str) -> String {
    let seconds = summary.rows_time.as_secs_f64();
    let rate = summary.rows as f64 / seconds.max(1e-9);
    let resumed = match summary.chunks_resumed {
        0 => String::new(),
        chunks => format!(" after {chunks} parts of an earlier load"),
    };
    let method = if summary.load_data { "LOAD DATA LOCAL" } else { "INSERT" };
    format!(
        "TPC-C data ({}, {}) is in `{database}`{resumed}: {} rows in {seconds:.1} s ({} rows/s by \
         {method}), indexes and statistics in {:.1} s.",
        args.profile,
        warehouses(args.warehouses),
        HumanCount(summary.rows),
        HumanCount(rate as u64),
        summary.finish_time.as_secs_f64()
    )
}
