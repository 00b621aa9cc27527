//! A small experiment in which every field of the schema holds something, for tests.

use super::{
    spec::{Arm, Compare, Published, PublishedFigure, Repeat, ServerSpec, WorkloadSpec},
    *,
};
use crate::{
    comparison::{
        Better, COMPARISON_SCHEMA, Comparison, Design, Difference, Effect, Method, Metric, Outlier,
        Sample, Side, Verdict,
    },
    record::{Figure, RunRecord, RunStatus, example},
    sweep,
};
use std::collections::BTreeMap;

/// Ids of the runs of the trials, in order; the last trial is the example of a sweep.
pub(crate) const RUNS: [&str; 3] =
    ["20261122T100000-000001", "20261122T100100-000002", "20261122T100200-000003"];

/// The runs of the trials that are no sweeps.
pub(crate) fn runs() -> Vec<RunRecord> {
    let run = |(number, id): (usize, &str)| {
        let mut run = example::record();
        (run.id, run.status) = (id.to_owned(), RunStatus::Complete);
        run.started_at = format!("2026-11-22T10:0{number}:00Z");
        run
    };
    RUNS.into_iter().enumerate().map(run).collect()
}

/// Two variants, three runs and a sweep.
pub(crate) fn experiment() -> ExperimentRecord {
    let run = example::record();
    let variant = |name: &str, value: &str| VariantRecord {
        name: name.to_owned(),
        note: format!("Redo log flushed {value}."),
        differs: vec![(
            "server.settings.innodb-flush-log-at-trx-commit".to_owned(),
            value.to_owned(),
        )],
        server: Some(run.server.clone()),
        workload: Some(run.workload.clone()),
    };
    let best = sweep::example::sweep().steps[2].run.clone();
    let trials = [(RUNS[0], "durable"), (RUNS[1], "fast"), (RUNS[2], "fast"), (&best, "durable")];
    ExperimentRecord {
        schema: EXPERIMENT_SCHEMA.to_owned(),
        id: "experiment-20261122T100000-abcdef".to_owned(),
        started_at: "2026-11-22T10:00:00Z".to_owned(),
        status: RunStatus::Partial { reason: "interrupted".to_owned() },
        file: "name = \"flush\"\n".to_owned(),
        label: String::new(),
        origin: "flush.toml".to_owned(),
        overrides: vec!["workload.duration=30s".to_owned()],
        experiment: spec(),
        host: run.host.clone(),
        client_version: "0.1.0".to_owned(),
        variants: vec![variant("durable", "1"), variant("fast", "2")],
        trials: (1..).zip(trials).map(|(number, (run, name))| trial(number, run, name)).collect(),
        planned: 8,
        comparisons: vec![comparison()],
        verdict: "fast is faster by 12%.".to_owned(),
        caveats: vec!["Trial 3 harmed its data.".to_owned()],
        took_s: 312.5,
    }
}

fn spec() -> Experiment {
    let workload = WorkloadSpec {
        name: "tpcc".to_owned(),
        options: BTreeMap::from([("connections".to_owned(), 16.into())]),
    };
    let arm = |name: &str, value: i32| Arm {
        name: name.to_owned(),
        note: String::new(),
        server: ServerSpec {
            settings: BTreeMap::from([("innodb-flush-log-at-trx-commit".to_owned(), value.into())]),
            ..ServerSpec::default()
        },
        host: Some("mysql-oltp".to_owned()),
        data: workload.clone(),
        workload: workload.clone(),
        others: BTreeMap::new(),
    };
    Experiment {
        name: "flush".to_owned(),
        title: "What flushing costs".to_owned(),
        question: "What does it cost to flush at every commit?".to_owned(),
        scale: "laptop".to_owned(),
        published: Some(Published {
            source: "A white paper".to_owned(),
            differs: vec!["Theirs had two sockets.".to_owned()],
            figures: vec![PublishedFigure {
                variant: "fast".to_owned(),
                setup: "16-core, 64 GB".to_owned(),
                connections: Some(64),
                metric: "tpmC".to_owned(),
                value: 9000.0,
                unit: "1/min".to_owned(),
            }],
        }),
        variants: vec![arm("durable", 1), arm("fast", 2)],
        repeat: Repeat { runs: 4, ..Repeat::default() },
        measure: BTreeMap::from([("watch".to_owned(), true.into())]),
        compare: Some(Compare {
            baseline: Some("durable".to_owned()),
            pairs: Vec::new(),
            metrics: vec!["tpmC".to_owned()],
            threshold_percent: Some(3.0),
        }),
    }
}

fn trial(number: u32, run: &str, variant: &str) -> TrialRecord {
    let sweep = (number == 4).then(|| sweep::example::sweep().id);
    let figure = |name: &str, value: f64, unit: &str| Figure {
        name: name.to_owned(),
        value,
        unit: unit.to_owned(),
        ci95: Some((value * 0.99, value * 1.01)),
    };
    TrialRecord {
        number,
        variant: variant.to_owned(),
        round: number.div_ceil(2),
        pair: (number == 1).then_some(1),
        cpus: (number == 1).then(|| "0".to_owned()),
        exchanges: (number == 1).then_some(120),
        run: run.to_owned(),
        members: (number == 1).then(|| "20261122T100000-0000aa".to_owned()).into_iter().collect(),
        sweep,
        started_at: format!("2026-11-22T10:0{}:00Z", number - 1),
        status: RunStatus::Complete,
        check_good: Some(number != 3),
        figures: vec![figure("tpmC", 6060.0, "1/min"), figure("TPS", 225.0, "1/s")],
        steady_from_s: Some(2.0),
        remarks: vec!["Restored in 1.2 s.".to_owned()],
        took_s: 70.25,
    }
}

fn comparison() -> Comparison {
    let side = |mean: f64, run: &str| Side {
        n: 2,
        mean,
        ci95: Some((mean * 0.98, mean * 1.02)),
        samples: vec![Sample {
            run: run.to_owned(),
            value: mean,
            std_err: Some(0.01 * mean),
            block: Some(1),
            order: 0,
            effective_n: 30.0,
        }],
    };
    let effect = Effect {
        metric: Metric {
            name: "tpmC".to_owned(),
            unit: "1/min".to_owned(),
            better: Better::Higher,
            judged: true,
        },
        baseline: side(6060.0, RUNS[0]),
        variant: side(6787.0, RUNS[1]),
        difference_percent: 12.0,
        ci95_percent: Some((9.0, 15.0)),
        p_value: Some(0.001),
        p_adjusted: Some(0.002),
        method: Some(Method::Paired),
        bootstrap_ci95_percent: Some((9.5, 14.5)),
        agree: true,
        smallest_detectable_percent: Some(3.5),
        runs_to_decide: Some(2),
        outliers: vec![Outlier {
            run: RUNS[2].to_owned(),
            why: "5 deviations above the median".to_owned(),
        }],
        verdict: Verdict::Better,
        sentence: "tpmC is higher by 12%.".to_owned(),
    };
    Comparison {
        schema: COMPARISON_SCHEMA.to_owned(),
        baseline: "durable".to_owned(),
        variant: "fast".to_owned(),
        design: Design::Blocks,
        primary: "tpmC".to_owned(),
        effects: vec![effect],
        differences: vec![Difference {
            name: "innodb_flush_log_at_trx_commit".to_owned(),
            baseline: "1".to_owned(),
            variant: "2".to_owned(),
        }],
        threshold_percent: Some(3.0),
        regressions: vec!["p95".to_owned()],
        caveats: vec!["One side has an outlier.".to_owned()],
        sentence: "fast is faster by 12% (95% interval 9% to 15%).".to_owned(),
    }
}
