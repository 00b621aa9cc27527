//! `prepare` of any workload: load into one server or into several side by side, under one bar.

use crate::{
    connect::Server,
    failure::{Failure, Status},
    interrupt,
    output::Output,
};
use client::Target;
use indicatif::{HumanCount, ProgressBar};
use serde_json::{Value, json};
use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::Duration,
};
use workloads::tpcc::LoadProgress;

const BAR: &str = "{prefix:12} {bar:20} {percent:>3}%  {msg}";

/// What a load came to: for a program and for a person.
pub(crate) struct Prepared {
    /// The workload's own schema.
    pub(crate) value: Value,
    /// One line.
    pub(crate) text: String,
}

/// Loads into every server by `load`, on a thread each, and tells what came of it. Ctrl-C ends
/// all of them where they are.
///
/// # Errors
/// The first server's that could not be loaded; what the others have is kept.
pub(crate) fn carry_out(
    servers: &[Server],
    output: &Output,
    load: impl Fn(&Target, &LoadProgress) -> Result<Prepared, Failure> + Sync,
) -> Result<Status, Failure> {
    let all: Vec<Arc<LoadProgress>> = servers.iter().map(|_| Arc::default()).collect();
    let stopping = all.clone();
    interrupt::watch(move || {
        for progress in &stopping {
            progress.stop.store(true, Ordering::Relaxed);
        }
    })?;
    let of_all: Vec<&LoadProgress> = all.iter().map(AsRef::as_ref).collect();
    let prepared = under_bar(&of_all, output, || {
        thread::scope(|scope| {
            let load = &load;
            let of_each = servers.iter().zip(&of_all);
            let begun = of_each
                .map(|(server, progress)| scope.spawn(move || load(&server.target, progress)));
            let begun: Vec<_> = begun.collect();
            let ended = begun.into_iter().map(|thread| thread.join());
            ended.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        })
    })?;
    told(servers, prepared, output)
}

fn told(
    servers: &[Server],
    prepared: Vec<Result<Prepared, Failure>>,
    output: &Output,
) -> Result<Status, Failure> {
    let several = servers.len() > 1;
    let (mut members, mut text) = (Vec::new(), String::new());
    for (server, outcome) in servers.iter().zip(prepared) {
        let name = server.name().unwrap_or_default();
        let one = outcome.map_err(|failure| if several { failure.at(name) } else { failure })?;
        if !several {
            output.result(&one.value, &one.text)?;
            return Ok(Status::Good);
        }
        text.push_str(&format!("{name}: {}", one.text));
        let mut value = one.value;
        value["name"] = name.into();
        members.push(value);
    }
    output.result(&json!({ "schema": "myrig.group-prepare/1", "members": members }), &text)?;
    Ok(Status::Good)
}

/// Shows how far loads are, all together, while `work` carries them out.
///
/// # Errors
/// A panic of `work`.
pub(crate) fn under_bar<T: Send>(
    all: &[&LoadProgress],
    output: &Output,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let sum = |of: fn(&LoadProgress) -> u64| all.iter().map(|progress| of(progress)).sum();
    let bar = output.bar(0, BAR);
    let loaded = thread::scope(|scope| {
        let loading = scope.spawn(work);
        while !loading.is_finished() {
            bar.set_length(sum(|progress| progress.rows_expected.load(Ordering::Relaxed)));
            bar.set_position(sum(|progress| progress.rows.load(Ordering::Relaxed)));
            bar.set_prefix(all.first().map(|progress| progress.stage()).unwrap_or_default());
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

/// What is said of a load: rows and their rate, how they were sent, and what came after them
/// (`indexes and statistics`).
pub(crate) fn rows_words(
    rows: u64,
    rows_time: Duration,
    load_data: bool,
    after: &str,
    finish_time: Duration,
) -> String {
    let seconds = rows_time.as_secs_f64();
    let rate = HumanCount((rows as f64 / seconds.max(1e-9)) as u64);
    let method = if load_data { "LOAD DATA LOCAL" } else { "INSERT" };
    format!(
        "{} rows in {seconds:.1} s ({rate} rows/s by {method}), {after} in {:.1} s.",
        HumanCount(rows),
        finish_time.as_secs_f64()
    )
}

/// What went before a load that goes on where an earlier one was broken off.
pub(crate) fn resumed(chunks: usize) -> String {
    match chunks {
        0 => String::new(),
        chunks => format!(" after {chunks} parts of an earlier load"),
    }
}

/// A failure that the same command, given again, goes on after.
pub(crate) fn goes_on(error: impl std::fmt::Display) -> Failure {
    anyhow::anyhow!("{error}; once that is mended, the same command goes on where it was").into()
}
