//! Why a verdict is not clean.

use super::{Difference, Sample, estimate};
use crate::{
    headline::measured_phase,
    record::{RunRecord, RunStatus},
    statistics::warmup::WarmUp,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Share of one core above which a client thread is taken for the bottleneck, as in the engine.
const SATURATED: f64 = 0.9;
/// Share of the machine's processors that another guest may take, 0 to 1.
const STOLEN: f64 = 0.01;
/// Share of transactions that may fail, 0 to 1.
const FAILED: f64 = 0.01;
/// Settings in which runs of one kind differ anyway.
const INCIDENTAL: [&str; 9] =
    ["label", "seed", "socket", "port", "instance", "host", "report", "database", "program"];

/// Why a comparison of these runs is not clean, a sentence each; empty where nothing is known
/// against it. `named` are the settings that were meant to differ: when there are any, another
/// one that differs is a caveat.
pub fn caveats(baseline: &[&RunRecord], variant: &[&RunRecord], named: &[String]) -> Vec<String> {
    let runs: Vec<&RunRecord> = baseline.iter().chain(variant).copied().collect();
    let mut caveats = of_runs(&runs);
    caveats.extend(unlike(baseline, variant));
    if !named.is_empty() {
        let besides: Vec<String> = differences(baseline, variant)
            .into_iter()
            .filter(|difference| !is_named(&difference.name, named))
            .map(|difference| difference.name)
            .collect();
        if !besides.is_empty() {
            caveats.push(format!("Settings differ that were not meant to: {}.", list(&besides)));
        }
    }
    caveats
}

/// The part of [`caveats`] that each run has for itself, compared or not.
pub fn of_runs(runs: &[&RunRecord]) -> Vec<String> {
    let mut caveats = Vec::new();
    let mut tell = |what: &str, is_so: &dyn Fn(&RunRecord) -> bool| {
        caveats.extend(told(runs, what, is_so));
    };
    tell("failed the consistency check", &|run| run.check.as_ref().is_some_and(|c| !c.good));
    tell("did not go to the end", &|run| run.status != RunStatus::Complete);
    tell("had a client thread as the bottleneck", &|run| run.client.busiest_thread > SATURATED);
    tell("had more than 1% of the processors stolen by other guests", &stolen);
    tell("was throttled", &throttled);
    tell("lost connections", &|run| !run.outages.is_empty());
    tell("had more than 1% of the transactions fail", &|run| failed_share(run) > FAILED);
    tell("holds warm-up in the measured phase", &|run| {
        WarmUp::of(run).is_some_and(|warm_up| !warm_up.is_clean())
    });
    caveats
}

/// `2 of 8 runs failed the consistency check: a, b.`
fn told(runs: &[&RunRecord], what: &str, is_so: &dyn Fn(&RunRecord) -> bool) -> Option<String> {
    let mut ids: Vec<String> =
        runs.iter().filter(|run| is_so(run)).map(|run| run.id.clone()).collect();
    ids.sort_unstable();
    (!ids.is_empty())
        .then(|| format!("{} of {} runs: {what}: {}.", ids.len(), runs.len(), list(&ids)))
}

/// The first few, and how many more.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 4;
    match names.len() {
        n if n > SHOWN => format!("{} and {} more", names[..SHOWN].join(", "), n - SHOWN),
        _ => names.join(", "),
    }
}

/// The mean of a series in the measured phase; none where it was not watched.
fn mean_watched(run: &RunRecord, name: &str) -> Option<f64> {
    let (watch, phase) = (run.watch.as_ref()?, measured_phase(run)?);
    let series = watch.named(name)?;
    let values: Vec<f64> = watch
        .at_s
        .iter()
        .zip(&series.values)
        .filter(|(at_s, _)| phase.from_s < **at_s && **at_s <= phase.until_s)
        .filter_map(|(_, value)| *value)
        .collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// What the machine kept from one run, a sentence each; empty where nothing is known of it.
pub fn of_machine(run: &RunRecord) -> Vec<&'static str> {
    let mut caveats = Vec::new();
    if stolen(run) {
        caveats.push("Other guests of the host took more than 1% of the processors' time.");
    }
    if throttled(run) {
        caveats.push("Processors were throttled during the run.");
    }
    caveats
}

/// Whether other guests of the host took more of the processors than may be.
fn stolen(run: &RunRecord) -> bool {
    mean_watched(run, "cpu.steal")
        .is_some_and(|processors| processors > STOLEN * f64::from(run.host.cpus.max(1)))
}

/// Whether a series that counts throttling, of a control group or of the frequency, has moved.
fn throttled(run: &RunRecord) -> bool {
    let series = run.watch.iter().flat_map(|watch| &watch.series);
    let mut throttling = series.filter(|series| series.name.contains("throttle"));
    throttling.any(|series| mean_watched(run, &series.name).is_some_and(|mean| mean > 0.0))
}

fn failed_share(run: &RunRecord) -> f64 {
    let sum = |of: &dyn Fn(&crate::record::Outcomes) -> u64| -> f64 {
        run.transactions.iter().map(|kind| of(&kind.measured) as f64).sum()
    };
    let failed = sum(&|outcomes| outcomes.failed);
    let all = failed + sum(&|outcomes| outcomes.committed) + sum(&|outcomes| outcomes.rolled_back);
    if all > 0.0 { failed / all } else { 0.0 }
}

/// In what the runs are not of one kind.
fn unlike(baseline: &[&RunRecord], variant: &[&RunRecord]) -> Vec<String> {
    type Fact = (&'static str, fn(&RunRecord) -> String);
    const FACTS: [Fact; 6] = [
        ("workload", |run| run.workload.name.clone()),
        ("profile", |run| run.workload.profile.clone()),
        ("size of the data set", |run| run.workload.scale.clone()),
        ("version of myrig", |run| run.client.version.clone()),
        ("machine", |run| format!("{} × {}", run.host.cpus, run.host.cpu_model)),
        ("kernel", |run| run.host.kernel.clone()),
    ];
    FACTS
        .iter()
        .filter_map(|(name, fact)| {
            let values = |side: &[&RunRecord]| -> BTreeSet<String> {
                side.iter().map(|run| fact(run)).collect()
            };
            let (from, to) = (values(baseline), values(variant));
            (from.len() > 1 || to.len() > 1 || from != to).then(|| {
                let words = |values: &BTreeSet<String>| {
                    values.iter().cloned().collect::<Vec<_>>().join(" and ")
                };
                format!("The {name} is not the same: {} against {}.", words(&from), words(&to))
            })
        })
        .collect()
}

/// The settings, and the server's version and variables, that are not the same in all runs.
pub fn differences(baseline: &[&RunRecord], variant: &[&RunRecord]) -> Vec<Difference> {
    let facts = |side: &[&RunRecord]| -> Vec<BTreeMap<String, String>> {
        side.iter().map(|run| facts(run)).collect()
    };
    let (from, to) = (facts(baseline), facts(variant));
    let names: BTreeSet<&String> = from.iter().chain(&to).flat_map(BTreeMap::keys).collect();
    names
        .into_iter()
        .filter_map(|name| {
            let values = |side: &[BTreeMap<String, String>]| -> BTreeSet<String> {
                let value = |facts: &BTreeMap<_, _>| facts.get(name).cloned().unwrap_or_default();
                side.iter().map(value).collect()
            };
            let (from, to) = (values(&from), values(&to));
            (from.len() > 1 || to.len() > 1 || from != to).then(|| {
                let words = |values: BTreeSet<String>| {
                    let or_none = |v: String| if v.is_empty() { "not set".to_owned() } else { v };
                    values.into_iter().map(or_none).collect::<Vec<_>>().join(", ")
                };
                Difference { name: name.clone(), baseline: words(from), variant: words(to) }
            })
        })
        .collect()
}

fn facts(run: &RunRecord) -> BTreeMap<String, String> {
    let words = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let settings = run.settings.iter().map(|(name, value)| (name.clone(), words(value)));
    let mut facts: BTreeMap<String, String> =
        settings.filter(|(name, _)| !INCIDENTAL.contains(&name.as_str())).collect();
    facts.extend(run.server.variables.clone());
    let server = &run.server;
    facts.insert("server".to_owned(), format!("{} {}", server.flavour, server.version));
    facts.insert("server size".to_owned(), server.size.clone());
    facts.insert("TLS".to_owned(), server.tls.clone());
    facts
}

/// Whether `name` is one of those, spelt with dashes or underscores, or the end of a path to it.
fn is_named(name: &str, named: &[String]) -> bool {
    let plain = |text: &str| text.replace('-', "_").to_lowercase();
    let name = plain(name);
    named
        .iter()
        .map(|path| plain(path))
        .any(|path| path == name || path.ends_with(&format!(".{name}")))
}

/// How the baseline drifted over the order of the runs, where it did: the slope of a straight line
/// through its logarithms, by Student's t, at one case of a hundred.
pub(super) fn drift(baseline: &[Sample]) -> Option<String> {
    const RUNS_MIN: usize = 4;
    if baseline.len() < RUNS_MIN {
        return None;
    }
    let points: Vec<(f64, f64)> =
        baseline.iter().map(|sample| (f64::from(sample.order), sample.value.ln())).collect();
    let n = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / n;
    let xx: f64 = points.iter().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum();
    let xy: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    if xx == 0.0 {
        return None;
    }
    let slope = xy / xx;
    let rest = |(x, y): &(f64, f64)| (y - mean_y - slope * (x - mean_x)).powi(2);
    let squares: f64 = points.iter().map(rest).sum();
    let estimate = estimate::Estimate {
        log_ratio: slope,
        std_err: (squares / (n - 2.0) / xx).sqrt(),
        freedom: n - 2.0,
    };
    let span = points.iter().map(|(x, _)| *x).fold(f64::NEG_INFINITY, f64::max)
        - points.iter().map(|(x, _)| *x).fold(f64::INFINITY, f64::min);
    let change = estimate::percent(slope * span);
    (estimate.p_value() < 0.01 && change.abs() >= 1.0).then(|| {
        format!(
            "The baseline drifted by {change:+.1}% from its first run to its last (p = {:.4}).",
            estimate.p_value()
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::record::example;

    fn run(id: &str) -> RunRecord {
        let mut run = example::record();
        run.id = id.to_owned();
        run.status = RunStatus::Complete;
        run.check.as_mut().unwrap().good = true;
        run.outages.clear();
        for kind in &mut run.transactions {
            kind.measured.failed = 0;
        }
        run
    }

    fn with(change: impl Fn(&mut RunRecord)) -> Vec<String> {
        let (clean, mut changed) = (run("a"), run("b"));
        change(&mut changed);
        caveats(&[&clean], &[&changed], &[])
    }

    #[test]
    fn clean_runs_of_one_kind_have_no_caveats() {
        assert_eq!(with(|_| {}), Vec::<String>::new());
    }

    #[test]
    fn each_thing_that_spoils_a_run_is_told_with_its_id() {
        type Change = fn(&mut RunRecord);
        let cases: [(&str, Change); 9] = [
            ("failed the consistency check: b.", |run| run.check.as_mut().unwrap().good = false),
            ("did not go to the end: b.", |run| {
                run.status = RunStatus::Partial { reason: "interrupted".into() };
            }),
            ("client thread as the bottleneck: b.", |run| run.client.busiest_thread = 0.97),
            ("stolen by other guests: b.", |run| watched(run, "cpu.steal", 0.03)),
            ("was throttled: b.", |run| watched(run, "server.throttled", 0.1)),
            ("lost connections: b.", |run| run.outages = example::record().outages),
            ("of the transactions fail: b.", |run| run.transactions[0].measured.failed = 30),
            ("size of the data set is not the same: 10 warehouses against 20", |run| {
                run.workload.scale = "20 warehouses".into();
            }),
            ("kernel is not the same", |run| run.host.kernel = "7.0".into()),
        ];
        for (words, change) in cases {
            let told = with(change);
            assert_eq!(told.len(), 1, "{words}: {told:?}");
            assert!(told[0].contains(words), "{words}: {told:?}");
        }
    }

    fn watched(run: &mut RunRecord, name: &str, value: f64) {
        let watch = run.watch.as_mut().unwrap();
        watch.series[0].name = name.to_owned();
        watch.series[0].values = vec![None, Some(value), Some(value)];
    }

    #[test]
    fn what_the_machine_kept_from_a_run_is_told_of_it_alone() {
        let mut run = example::record();
        assert_eq!(of_machine(&run), Vec::<&str>::new());
        watched(&mut run, "server.throttled", 0.1);
        assert_eq!(of_machine(&run), ["Processors were throttled during the run."]);
    }

    #[test]
    fn a_little_steal_is_no_caveat() {
        // One of a hundred of two processors.
        assert_eq!(with(|run| watched(run, "cpu.steal", 0.02)), Vec::<String>::new());
    }

    #[test]
    fn what_differs_besides_what_was_meant_to_is_a_caveat() {
        let (from, mut to) = (run("a"), run("b"));
        to.settings.insert("connections".into(), 32.into());
        to.server.variables.insert("sync_binlog".into(), "0".into());
        let differs = |named: &[String]| caveats(&[&from], &[&to], named);
        assert_eq!(differs(&[]), Vec::<String>::new(), "nothing was said to be meant");
        let told = differs(&["server.settings.sync-binlog".into()]);
        assert_eq!(told, ["Settings differ that were not meant to: connections."]);
        let both = ["sync_binlog".to_owned(), "workload.connections".to_owned()];
        assert_eq!(differs(&both), Vec::<String>::new());
        let found = differences(&[&from], &[&to]);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].baseline.as_str(), found[0].variant.as_str()), ("16", "32"));
    }

    #[test]
    fn a_baseline_that_drifts_is_told_and_noise_is_not() {
        let samples = |values: &[f64]| -> Vec<Sample> {
            let sample = |(order, &value)| Sample { order, value, ..Sample::default() };
            (0_u32..).zip(values).map(sample).collect()
        };
        let told = drift(&samples(&[100.0, 98.1, 95.9, 94.0, 92.1, 90.0])).unwrap();
        assert!(told.contains("drifted by -10.0%"), "{told}");
        assert_eq!(drift(&samples(&[100.0, 97.0, 101.0, 99.0, 98.0, 102.0])), None);
        assert_eq!(drift(&samples(&[100.0, 90.0, 80.0])), None, "too few to tell");
        assert_eq!(drift(&samples(&[5.0; 6])), None);
    }
}
