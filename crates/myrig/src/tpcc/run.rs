//! `myrig tpcc run`: measure, check, record, report.

mod live;
pub(crate) mod plan;
mod saving;
mod verdict;

use super::{block_on, warehouses};
use crate::{
    args::RunArgs,
    connect, facts,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    recording,
};
use anyhow::Context;
use client::Target;
use engine::{LoadOptions, Stop};
use lab::{
    headline::{Per, committed_rate},
    record::{ClientFacts, RUN_SCHEMA, RunRecord, RunStatus, WorkloadFacts},
};
use rand::Rng;
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::SystemTime,
};
use workloads::tpcc::{CheckProgress, DataSet, Tpcc};

/// What can be stopped from outside, by Ctrl-C.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stops {
    load: Stop,
    check: Arc<CheckProgress>,
}

impl Stops {
    /// Ends what is going on, cleanly.
    pub(crate) fn stop(&self) {
        self.load.stop();
        self.check.stop.store(true, Ordering::Relaxed);
    }
}

pub(crate) fn run(args: &RunArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    plan::validate(args)?;
    let target = connect::target(&args.connection, paths, output)?;
    let stops = Stops::default();
    let stopping = stops.clone();
    interrupt::watch(move || stopping.stop())?;
    measure(args, &target, &stops, paths, output)
}

/// The whole of a run against a target; also the demonstration's.
pub(crate) fn measure(
    args: &RunArgs,
    target: &Target,
    stops: &Stops,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let data = block_on(DataSet::expect(target, args.profile))??;
    let options = plan::load_options(args, data.profile.default_retries())?;
    let workload = Tpcc::new(target.clone(), data, plan::run_options(args)?);
    let workload = Arc::new(workload.map_err(Failure::usage)?);
    block_on(workload.preflight(args.connections))??;
    let mut store = paths.store()?;
    let mut record = blank(args, target, &data, &workload, &options)?;
    // What is on record if this process does not live to see the end.
    store.save(&record)?;

    let before = block_on(verdict::orders(target, &data))??;
    let outcome = live::load(&workload, &options, &stops.load, output);
    let load = outcome.inspect_err(|_| drop(store.remove(&record.id)))?;
    recording::fill(&mut record, &load);
    record.headline.extend(committed_rate(&record, "tpmC", &["New-Order"], Per::Minute));
    record.headline.extend(committed_rate(&record, "TPS", &[], Per::Second));
    // What was measured is safe before the check, which may take its time, is begun. A store that
    // cannot take it now is asked again after the check.
    let _asked_again = store.save(&record);
    if !args.no_check {
        verdict::add(&mut record, target, &data, before, &stops.check, output);
    }
    let kept = saving::keep(&mut store, &record);
    let reported = saving::report(args.report.as_deref(), &record, paths);
    if output.json() {
        output.write(&lab::export::json(&record)?)?;
    } else {
        output.write(&report::text::render(&record, output.style()))?;
    }
    match &reported {
        Ok(path) => output.note(&format!("report: {}", path.display())),
        Err(failure) => output.note(&format!("myrig: {failure}")),
    }
    if let Err(words) = &kept {
        output.note(&format!("myrig: {words}"));
    }
    let all_done = kept.is_ok() && reported.is_ok() && (args.no_check || record.check.is_some());
    Ok(status(&record, all_done))
}

/// A bad answer is the worst that can be said; less than all of it is no good answer.
fn status(record: &RunRecord, all_done: bool) -> Status {
    match &record.status {
        _ if record.check.as_ref().is_some_and(|check| !check.good) => Status::Bad,
        RunStatus::Complete if all_done => Status::Good,
        RunStatus::Complete | RunStatus::Partial { .. } => Status::NotDone,
    }
}

/// The record of a run that has not begun.
fn blank(
    args: &RunArgs,
    target: &Target,
    data: &DataSet,
    workload: &Tpcc,
    options: &LoadOptions,
) -> Result<RunRecord, Failure> {
    let start = SystemTime::now();
    let serde_json::Value::Object(settings) = serde_json::to_value(args)? else {
        return Err(anyhow::anyhow!("the settings are no object").into());
    };
    let mut settings: BTreeMap<_, _> =
        settings.into_iter().filter(|(_, value)| !is_unset(value)).collect();
    settings.insert("threads".into(), options.threads.into());
    settings.insert("retries".into(), options.retries_max.into());
    // What option files may have said is part of the exact settings as well.
    settings.insert("database".into(), target.database.clone().into());
    if args.connection.instance.is_none() {
        settings.insert("user".into(), target.user.clone().into());
    }
    if let Some(level) = workload.isolation() {
        settings.insert("isolation".into(), level.to_string().into());
    }
    let failed = || "asking the server what it is";
    Ok(RunRecord {
        schema: RUN_SCHEMA.into(),
        id: recording::run_id(start, rand::rng().next_u32()),
        label: args.label.clone(),
        started_at: recording::rfc3339(start),
        status: RunStatus::Partial { reason: "myrig did not live to see its end".into() },
        workload: WorkloadFacts {
            name: "tpcc".into(),
            profile: data.profile.versioned(),
            scale: warehouses(data.warehouses),
            deviations: data.profile.deviations().iter().map(|text| (*text).into()).collect(),
        },
        settings,
        server: block_on(facts::server(target))?.with_context(failed)?,
        host: facts::host(Path::new("/"), target),
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
    })
}

fn is_unset(value: &serde_json::Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}
