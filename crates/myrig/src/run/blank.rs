//! The record of a run that has not begun.

use super::{Run, Settings, bench::Bench, plan::Step};
use crate::{facts, failure::Failure, recording, runtime::block_on};
use anyhow::Context;
use engine::LoadOptions;
use lab::record::{ClientFacts, RUN_SCHEMA, RunRecord, RunStatus, ServerFacts};
use rand::Rng;
use std::{path::Path, time::SystemTime};

/// What is on record if this process does not live to see the end.
///
/// # Errors
/// The server does not say what it is.
pub(super) fn record(
    run: &Run<'_>,
    bench: &dyn Bench,
    step: Step,
    options: &LoadOptions,
) -> Result<RunRecord, Failure> {
    let start = SystemTime::now();
    let failed = || "asking the server what it is";
    Ok(RunRecord {
        schema: RUN_SCHEMA.into(),
        id: recording::run_id(start, rand::rng().next_u32()),
        label: run.pacing.label.clone(),
        started_at: recording::rfc3339(start),
        status: RunStatus::Partial { reason: "myrig did not live to see its end".into() },
        workload: bench.facts(),
        settings: settings(run, bench, step, options),
        server: ServerFacts {
            size: run.instance.map(|it| it.size().to_string()).unwrap_or_default(),
            place: run.instance.map(|it| it.placement().to_string()).unwrap_or_default(),
            ..block_on(facts::server(run.target))?.with_context(failed)?
        },
        host: facts::host(Path::new("/"), run.target),
        client: ClientFacts {
            version: env!("CARGO_PKG_VERSION").into(),
            threads: options.threads,
            connections: options.connections,
            cpu_s: 0.0,
            busiest_thread: 0.0,
        },
        phases: Vec::new(),
        headline: Vec::new(),
        transactions: Vec::new(),
        errors: Vec::new(),
        intervals: Vec::new(),
        outages: Vec::new(),
        arrivals: None,
        warnings: Vec::new(),
        check: None,
        server_cpus: None,
        watch: None,
        amplification: Vec::new(),
    })
}

/// What was typed, with this step in the place of the sweep's list and defaults spelled out.
fn settings(run: &Run<'_>, bench: &dyn Bench, step: Step, options: &LoadOptions) -> Settings {
    let mut settings = run.settings.clone();
    settings.insert("connections".into(), step.connections.into());
    if let Some(rate_per_s) = step.rate_per_s {
        settings.insert("rate".into(), rate_per_s.into());
    }
    settings.insert("threads".into(), options.threads.into());
    settings.insert("retries".into(), options.retries_max.into());
    settings.extend(bench.settings());
    settings
}
