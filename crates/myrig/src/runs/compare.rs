//! `myrig runs compare`: two sets of stored runs, a verdict, and 1 for a regression.

use super::select::{Selection, select};
use crate::{
    args::CompareArgs,
    failure::{Failure, Status},
    output::Output,
};
use lab::{
    comparison::{Comparison, Options, PlacedRun, RunSet, compare_runs, metrics_of},
    store::Store,
};
use std::collections::BTreeSet;

pub(super) fn run(args: &CompareArgs, store: &Store, output: &Output) -> Result<Status, Failure> {
    let spinner = output.spinner("reading the runs");
    let read = || -> Result<_, Failure> {
        Ok((select(&args.baseline, store)?, select(&args.variant, store)?))
    };
    let sides = read();
    spinner.finish_and_clear();
    let (baseline, variant) = sides?;
    disjoint(&baseline, &variant)?;
    let judged = known(&args.metrics, &[&baseline, &variant])?;
    let options = Options {
        primary: judged.first().cloned(),
        judged,
        threshold_percent: args.threshold,
        seed: args.seed,
        ..Options::default()
    };
    let comparison = compared(args, &baseline, &variant, &options);
    match args.markdown && !output.json() {
        true => output.write(&report::comparison::markdown(&comparison))?,
        false => {
            let text = report::comparison::text(&comparison, args.all, output.style());
            output.result(&comparison, &text)?;
        }
    }
    Ok(if comparison.regressions.is_empty() { Status::Good } else { Status::Bad })
}

fn compared(
    args: &CompareArgs,
    baseline: &Selection,
    variant: &Selection,
    options: &Options,
) -> Comparison {
    // Blocks are those of one plan; two sets that only happen to have as many are none.
    let blocks = baseline.plan.is_some() && baseline.plan == variant.plan;
    let set = |name, selection| set(name, selection, blocks);
    let (from, to) = (set(&args.baseline, baseline), set(&args.variant, variant));
    compare_runs(&from, &to, &args.changed, options)
}

fn set<'a>(name: &'a str, selection: &'a Selection, blocks: bool) -> RunSet<'a> {
    let runs = selection
        .runs
        .iter()
        .map(|(record, block)| PlacedRun { record, block: block.filter(|_| blocks) });
    RunSet { name, runs: runs.collect() }
}

/// Refuses a run that is on both sides: it differs from itself in nothing.
fn disjoint(baseline: &Selection, variant: &Selection) -> Result<(), Failure> {
    let ids: BTreeSet<&str> = baseline.runs.iter().map(|(run, _)| run.id.as_str()).collect();
    match variant.runs.iter().find(|(run, _)| ids.contains(run.id.as_str())) {
        Some((run, _)) => Err(Failure::usage(format!(
            "run {} is on both sides: name two sets that have no run in common",
            run.id
        ))),
        None => Ok(()),
    }
}

/// The metrics that were asked for, as the runs spell them.
fn known(asked: &[String], sides: &[&Selection]) -> Result<Vec<String>, Failure> {
    let runs = sides.iter().flat_map(|side| &side.runs);
    let mut names: Vec<String> = Vec::new();
    for (metric, _) in runs.flat_map(|(run, _)| metrics_of(run)) {
        if !names.contains(&metric.name) {
            names.push(metric.name);
        }
    }
    asked
        .iter()
        .map(|name| {
            let found = names.iter().find(|known| known.eq_ignore_ascii_case(name));
            found.cloned().ok_or_else(|| {
                Failure::usage(format!("--metric {name}: these runs have {}", names.join(", ")))
            })
        })
        .collect()
}
