//! What the trials of an experiment say together: comparisons, caveats, the verdict.

use super::capability::streams;
use crate::failure::Failure;
use lab::{
    comparison::{
        self, Comparison, Difference, DuetRuns, Options, Place, PlacedRun, RunSet, compare_duet,
        compare_runs,
    },
    experiment::{
        ExperimentRecord, TrialRecord,
        spec::{Arm, Order},
    },
    record::{Figure, RunRecord},
    statistics::warmup::WarmUp,
    store::{Found, Store, StoreError},
};
use report::experiment::Trials;

/// Draws the conclusions anew from the trials that there are.
///
/// # Errors
/// The store cannot be read.
pub(super) fn draw(record: &mut ExperimentRecord, store: &Store) -> Result<(), Failure> {
    let runs: Result<Vec<RunRecord>, _> = record.runs().map(|run| store.load(run)).collect();
    conclude(record, &runs?);
    Ok(())
}

/// The runs and sweeps of an experiment in brief, for its report. One that was removed is missed
/// by the charts only.
///
/// # Errors
/// The store cannot be read.
pub(crate) fn trials(record: &ExperimentRecord, store: &Store) -> Result<Trials, StoreError> {
    let mut trials = Trials::default();
    for trial in &record.trials {
        let key = trial.sweep.as_ref().unwrap_or(&trial.run);
        match store.find(key) {
            Ok(Found::Run(run)) => trials.add_run(&run),
            Ok(Found::Sweep(sweep)) => trials.add_sweep(*sweep),
            Ok(_) | Err(StoreError::Unknown { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(trials)
}

/// [`draw`] with the trials' runs at hand, in the order of the trials.
fn conclude(record: &mut ExperimentRecord, runs: &[RunRecord]) {
    for (trial, run) in record.trials.iter_mut().zip(runs) {
        trial.steady_from_s = WarmUp::of(run).and_then(|warm_up| warm_up.steady_from_s);
    }
    let taken: Vec<(&TrialRecord, &RunRecord)> = record.trials.iter().zip(runs).collect();
    let comparisons = comparisons(record, &taken);
    let mut all: Vec<String> = match comparisons.is_empty() {
        true => comparison::caveats::of_runs(&runs.iter().collect::<Vec<_>>()),
        false => comparisons.iter().flat_map(|it| it.caveats.clone()).collect(),
    };
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|caveat| seen.insert(caveat.clone()));
    record.verdict = match comparisons.as_slice() {
        [] => table(record),
        [only] => only.sentence.clone(),
        several => several.iter().map(named).collect::<Vec<_>>().join(" "),
    };
    if let Some(hints) = hints(record, &taken) {
        record.verdict = match record.verdict.as_str() {
            "" => hints,
            verdict => format!("{hints} From run to run: {verdict}"),
        };
    }
    record.caveats = all;
    record.comparisons = comparisons;
}

/// What write hints are worth, of the variants that set any; the same writes with and without,
/// which no noise between runs touches, so that it comes before all that compares runs.
fn hints(record: &ExperimentRecord, taken: &[(&TrialRecord, &RunRecord)]) -> Option<String> {
    let arms = record.experiment.variants.iter().filter(|it| it.others.contains_key(streams::KEY));
    let told: Vec<String> = arms
        .filter_map(|arm| {
            let of_arm = taken.iter().filter(|(trial, _)| trial.variant == arm.name);
            let runs: Vec<&RunRecord> = of_arm.map(|(_, run)| *run).collect();
            Some(format!("{}: {}", arm.name, lab::hints::sentence(&lab::hints::effects(&runs))?))
        })
        .collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// A verdict among others: `b against a: tpmC: higher by 12% …`.
fn named(comparison: &Comparison) -> String {
    let Comparison { variant, baseline, sentence, .. } = comparison;
    format!("{variant} against {baseline}: {sentence}")
}

/// Every comparison that the file asks for, of variants that have been run.
fn comparisons(record: &ExperimentRecord, taken: &[(&TrialRecord, &RunRecord)]) -> Vec<Comparison> {
    let experiment = &record.experiment;
    let Some(compare) = &experiment.compare else { return Vec::new() };
    let options = Options {
        primary: compare.metrics.first().cloned(),
        judged: compare.metrics.clone(),
        threshold_percent: compare.threshold_percent,
        seed: experiment.repeat.seed,
        ..Options::default()
    };
    let compared = experiment.compared().into_iter().filter_map(|[baseline, arm]| {
        let runs = |arm: &Arm| taken.iter().filter(|(trial, _)| trial.variant == arm.name).count();
        if runs(baseline) == 0 || runs(arm) == 0 {
            return None;
        }
        let names = (baseline.name.as_str(), arm.name.as_str());
        let of = |name: &str| -> Vec<&RunRecord> {
            let of_arm = taken.iter().filter(|(trial, _)| trial.variant == name);
            of_arm.map(|(_, run)| *run).collect()
        };
        let mut named = meant(baseline, arm, &of(names.0), &of(names.1));
        Some(match experiment.repeat.order {
            Order::Duet => {
                // Each began on a half of its own.
                named.push("client-cpus".to_owned());
                compare_duet(names, &pairs(names, taken), &named, &options)
            }
            order => {
                let placed = |name| RunSet { name, runs: placed(name, order, taken) };
                compare_runs(&placed(names.0), &placed(names.1), &named, &options)
            }
        })
    });
    compared.collect()
}

/// The runs of a variant, in blocks where variants were interleaved.
fn placed<'a>(
    name: &str,
    order: Order,
    taken: &[(&TrialRecord, &'a RunRecord)],
) -> Vec<PlacedRun<'a>> {
    let of_arm = taken.iter().filter(|(trial, _)| trial.variant == name);
    let block = |trial: &TrialRecord| (order != Order::InOrder).then_some(trial.round);
    of_arm.map(|(trial, record)| PlacedRun { record, block: block(trial) }).collect()
}

/// The pairs of a duet of which both halves are there.
fn pairs<'a>(names: (&str, &str), taken: &[(&TrialRecord, &'a RunRecord)]) -> Vec<DuetRuns<'a>> {
    let find = |name: &str, pair: Option<u32>| {
        taken.iter().find(|(trial, _)| trial.variant == name && trial.pair == pair)
    };
    let of_baseline = taken.iter().filter(|(trial, _)| trial.variant == names.0);
    let first = of_baseline.clone().next().and_then(|(trial, _)| trial.cpus.clone());
    let pair = |(trial, run): &(&TrialRecord, &'a RunRecord)| {
        let (_, variant) = find(names.1, trial.pair)?;
        let place = match trial.exchanges {
            Some(1..) => Place::InTurn,
            _ if trial.cpus == first => Place::Straight,
            _ => Place::Swapped,
        };
        Some(DuetRuns { baseline: run, variant, place })
    };
    of_baseline.filter_map(pair).collect()
}

/// The settings that were meant to differ. A server of another size or version has many others
/// that follow from it.
fn meant(baseline: &Arm, arm: &Arm, from: &[&RunRecord], to: &[&RunRecord]) -> Vec<String> {
    let (a, b) = (&baseline.server, &arm.server);
    let program = |it: &lab::experiment::spec::ServerSpec| {
        (it.flavour.clone(), it.mysqld.clone(), it.basedir.clone(), it.build.clone())
    };
    let sized = |it: &lab::experiment::spec::ServerSpec| {
        (it.cores.map(f64::to_bits), it.memory.clone(), it.cpus.clone(), it.sized)
    };
    if program(a) != program(b) || sized(a) != sized(b) || baseline.data != arm.data {
        let all = comparison::caveats::differences(from, to);
        return all.into_iter().map(|Difference { name, .. }| name).collect();
    }
    let differs = lab::experiment::differs(&[baseline.clone(), arm.clone()]);
    let last = |(path, _): (String, String)| path.rsplit('.').next().unwrap_or_default().to_owned();
    differs.into_iter().flatten().map(last).collect()
}

/// The verdict where nothing is compared: each variant with the first two of its figures, the mean
/// of its runs.
fn table(record: &ExperimentRecord) -> String {
    let told = record.experiment.variants.iter().filter_map(|arm| {
        let figures: Vec<Figure> = record
            .trials_of(&arm.name)
            .next()?
            .figures
            .iter()
            .take(2)
            .map(|figure| mean(record, &arm.name, figure))
            .collect();
        Some(format!("{}: {}", arm.name, report::text::figures_of(&figures)))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { String::new() } else { format!("{}.", told.join("; ")) }
}

/// A figure over all runs of a variant.
fn mean(record: &ExperimentRecord, variant: &str, figure: &Figure) -> Figure {
    let of_runs = record.trials_of(variant).flat_map(|trial| &trial.figures);
    let values: Vec<f64> =
        of_runs.filter(|other| other.name == figure.name).map(|other| other.value).collect();
    let value = values.iter().sum::<f64>() / values.len().max(1) as f64;
    Figure { value, ..figure.clone() }
}
