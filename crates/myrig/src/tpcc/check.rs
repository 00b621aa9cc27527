//! `myrig tpcc check`: the twelve conditions, and what they say about the data.

use super::block_on;
use crate::{
    args::CheckArgs,
    connect,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
};
use client::Target;
use lab::record::{CheckRecord, Condition};
use serde_json::json;
use std::{
    fmt::Write,
    sync::{Arc, atomic::Ordering},
    thread,
    time::Duration,
};
use workloads::{
    ConditionResult,
    tpcc::{CheckProgress, DataSet, Error, check},
};

const BAR: &str = "checking {bar:20} {pos}/{len} steps";

pub(crate) fn run(args: &CheckArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let target = connect::target(&args.connection, paths, output)?;
    let data = block_on(DataSet::expect(&target, None))??;
    let progress = Arc::new(CheckProgress::default());
    let stopping = Arc::clone(&progress);
    interrupt::watch(move || stopping.stop.store(true, Ordering::Relaxed))?;
    let record = check_with_bar(&target, &data, args.connections, &progress, output)?;
    let value = json!({
        "schema": "myrig.check/1",
        "workload": "tpcc",
        "profile": data.profile.versioned(),
        "warehouses": data.warehouses,
        "good": record.good,
        "conditions": record.conditions,
    });
    output.result(&value, &table(&record))?;
    Ok(if record.good { Status::Good } else { Status::Bad })
}

/// Checks under a progress bar.
pub(crate) fn check_with_bar(
    target: &Target,
    data: &DataSet,
    connections: u32,
    progress: &CheckProgress,
    output: &Output,
) -> Result<CheckRecord, Failure> {
    let checked = under_bar(progress, output, || check(target, data, connections, progress))?;
    let checked = checked.map_err(|error| match error {
        Error::Stopped => anyhow::anyhow!("interrupted; `myrig tpcc check` does it"),
        other => other.into(),
    })?;
    Ok(recorded(checked))
}

/// Shows how far a check is while `work` carries it out.
///
/// # Errors
/// A panic of `work`.
pub(crate) fn under_bar<T: Send>(
    progress: &CheckProgress,
    output: &Output,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let bar = output.bar(0, BAR);
    let checked = thread::scope(|scope| {
        let checking = scope.spawn(work);
        while !checking.is_finished() {
            bar.set_length(progress.steps.load(Ordering::Relaxed).into());
            bar.set_position(progress.done.load(Ordering::Relaxed).into());
            thread::sleep(Duration::from_millis(50));
        }
        checking.join()
    });
    bar.finish_and_clear();
    Ok(checked.map_err(|_panic| anyhow::anyhow!("a thread of the check panicked"))?)
}

/// Findings as the record has them: good where no condition is violated.
pub(crate) fn recorded(results: Vec<ConditionResult>) -> CheckRecord {
    let condition = |result: ConditionResult| Condition {
        id: result.name.to_owned(),
        text: result.text.to_owned(),
        examined: result.examined,
        violations: result.violations,
        examples: result.examples,
    };
    let conditions: Vec<Condition> = results.into_iter().map(condition).collect();
    CheckRecord { good: conditions.iter().all(|it| it.violations == 0), conditions }
}

/// The conditions and their verdicts for a person.
pub(crate) fn table(record: &CheckRecord) -> String {
    let mut text = String::new();
    for condition in &record.conditions {
        let verdict = if condition.violations == 0 { "holds" } else { "FAILS" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:>8}  {verdict}  {} ({} examined, {} violated)",
            condition.id, condition.text, condition.examined, condition.violations
        );
        for example in &condition.examples {
            let _ = writeln!(text, "                 {example}");
        }
    }
    let good = record.conditions.iter().filter(|condition| condition.violations == 0).count();
    let _ = writeln!(text, "{good} of {} consistency conditions hold.", record.conditions.len());
    text
}
