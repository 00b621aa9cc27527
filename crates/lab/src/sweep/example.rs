//! Small sweeps for tests.

use super::*;
use crate::record::{Figure, example};

/// A step of a closed loop without pauses, whose interval is one percent to either side.
pub(crate) fn step(connections: u32, per_s: f64) -> SweepStep {
    let mut record = example::record();
    record.client.connections = connections;
    record.status = RunStatus::Complete;
    record.id = format!("20261121T204500-{connections:06}");
    let mut step = SweepStep::of(&record, None, None);
    step.headline = vec![Figure {
        name: "TPS".to_owned(),
        value: per_s,
        unit: "1/s".to_owned(),
        ci95: Some((per_s * 0.99, per_s * 1.01)),
    }];
    step.finished_per_s = per_s;
    // Little's law.
    step.response.mean_ms = if per_s > 0.0 { f64::from(connections) / per_s * 1e3 } else { 0.0 };
    step
}

/// A sweep in which every field of the schema holds something.
pub(crate) fn sweep() -> SweepRecord {
    let run = example::record();
    let mut sweep = SweepRecord {
        schema: SWEEP_SCHEMA.to_owned(),
        id: "sweep-20261121T204500-abcdef".to_owned(),
        label: "redo log".to_owned(),
        started_at: run.started_at.clone(),
        status: RunStatus::Partial { reason: "interrupted".to_owned() },
        ended: "It was interrupted.".to_owned(),
        workload: run.workload.clone(),
        settings: BTreeMap::from([("connections".to_owned(), vec![1, 2, 4, 8].into())]),
        server: run.server.clone(),
        host: run.host.clone(),
        client_version: "0.1.0".to_owned(),
        varied: Varied::Connections,
        planned: vec![1.0, 2.0, 4.0, 8.0],
        steps: [(1, 500.0), (2, 990.0), (4, 1000.0)].map(|(n, rate)| step(n, rate)).into(),
        peak: None,
        knee: None,
        warnings: vec!["The server had not settled before 4 connections.".to_owned()],
    };
    sweep.steps[1].settling = Some(Settling {
        waited_s: 3.5,
        settled: true,
        words: "Waited for dirty pages.".to_owned(),
    });
    sweep.steps[2].status = RunStatus::Partial { reason: "interrupted".to_owned() };
    sweep.steps[2].rate_per_s = Some(2000.0);
    for step in &mut sweep.steps {
        step.server_cpus = Some(1.25);
    }
    sweep.analyse();
    sweep
}

/// The runs that [`sweep`] has as its steps.
pub(crate) fn runs() -> Vec<crate::record::RunRecord> {
    let run =
        |step: &SweepStep| crate::record::RunRecord { id: step.run.clone(), ..example::record() };
    sweep().steps.iter().map(run).collect()
}
