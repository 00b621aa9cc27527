//! `myrig runs trend`: where the history of comparable runs changed.

use crate::{
    args::TrendArgs,
    failure::{Failure, Status},
    output::Output,
};
use anyhow::anyhow;
use lab::{
    comparison::Metric,
    store::{RunFilter, RunSummary, Store},
    trend::{Point, Trend, TrendOptions, comparable, history},
};

pub(super) fn run(args: &TrendArgs, store: &Store, output: &Output) -> Result<Status, Failure> {
    if !(args.max_p > 0.0 && args.max_p < 1.0) {
        return Err(Failure::usage(format!(
            "--max-p {}: give more than 0 and less than 1",
            args.max_p
        )));
    }
    let filter = RunFilter {
        workload: args.workload.clone(),
        profile: args.profile.clone(),
        label: args.label.clone(),
        server: args.server.clone(),
        // A run that was broken off says little of the server.
        status: Some("complete".to_owned()),
        since: args.since.clone(),
        limit: Some(args.limit),
    };
    let runs = store.list(&filter)?;
    let past = past(&runs, args.metric.as_deref(), store, output)?;
    let options = TrendOptions {
        p_value_max: args.max_p,
        change_min_percent: args.min_change,
        ..TrendOptions::default()
    };
    let others = match past.others {
        0 => String::new(),
        others => format!("; {others} of other workloads, sizes, connections or machines left out"),
    };
    let runs_of = format!("Runs of {}{others}", past.runs_of);
    let trend = Trend::of(past.metric, runs_of, past.points, &options);
    match args.markdown && !output.json() {
        true => output.write(&report::trend::markdown(&trend))?,
        false => output.result(&trend, &report::trend::text(&trend, output.style()))?,
    }
    let failed = args.fail_on_regression.is_some_and(|runs| {
        trend.recent_regression(usize::try_from(runs).unwrap_or(usize::MAX)).is_some()
    });
    Ok(if failed { Status::Bad } else { Status::Good })
}

/// The runs that can be compared with the latest.
struct Past {
    metric: Metric,
    runs_of: String,
    /// The earliest first.
    points: Vec<Point>,
    /// How many runs cannot be compared with it.
    others: usize,
}

/// `runs` are the latest first.
fn past(
    runs: &[RunSummary],
    metric: Option<&str>,
    store: &Store,
    output: &Output,
) -> Result<Past, Failure> {
    let bar = output.bar(runs.len() as u64, "reading runs {bar:30} {pos}/{len} {eta}");
    let mut past: Option<Past> = None;
    for summary in runs {
        let record = store.load(&summary.id)?;
        bar.inc(1);
        let runs_of = comparable(&record);
        let known = past.as_ref().map(|past| past.metric.name.clone());
        let Some((found, point)) = history(&record, known.as_deref().or(metric)) else { continue };
        match &mut past {
            None => {
                let points = vec![point];
                past = Some(Past { metric: found, runs_of, points, others: 0 });
            }
            Some(past) if past.runs_of == runs_of => past.points.push(point),
            Some(_) => {}
        }
    }
    bar.finish_and_clear();
    let none = || match (metric, runs.is_empty()) {
        (Some(metric), false) => anyhow!("none of {} runs has the metric {metric}", runs.len()),
        _ => anyhow!("no complete run fits: `myrig runs list` shows what there is"),
    };
    let mut past = past.ok_or_else(none)?;
    past.points.reverse();
    past.others = runs.len() - past.points.len();
    Ok(past)
}
