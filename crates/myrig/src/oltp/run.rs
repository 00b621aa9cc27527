//! `myrig oltp run`: OLTP as a bench of its own.

use super::{check, failure, plan, servers, tables};
use crate::{
    args::{OltpRunArgs, Preset},
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    run::{self, Bench, ServerCounts, Settings, Stops},
    runtime::block_on,
};
use client::Target;
use engine::{Interval, LoadError, LoadReport, Workload};
use indicatif::HumanCount;
use lab::{
    headline::{Per, committed_rate},
    record::{Figure, RunRecord, WorkloadFacts},
};
use rand::Rng;
use serde_json::Value;
use std::sync::{Arc, atomic::Ordering};
use workloads::{
    Drive,
    oltp::{CheckOptions, DataSet, Oltp, Options},
    tpcc::CheckProgress,
};

pub(super) fn run(args: &OltpRunArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let options = plan::run_options(args)?;
    let percentile = plan::percentile(args)?;
    run::validate(&args.pacing)?;
    let servers = servers(&args.connection, paths, output)?;
    let stops = Stops::default();
    let stopping = stops.clone();
    interrupt::watch(move || stopping.stop())?;
    let asked = run::Asked { args, pacing: &args.pacing, stops: &stops, paths, output };
    let bench = |target: &Target| on(args, options.clone(), percentile, target, &stops);
    asked.of(&servers, bench).map(|(status, _)| status)
}

/// Refuses what could not be carried out on any data, before a server is asked anything.
///
/// # Errors
/// The option at fault.
pub(crate) fn validate(args: &OltpRunArgs) -> Result<(), Failure> {
    plan::run_options(args).and_then(|_| plan::percentile(args)).map(drop)
}

/// The bench of a run on a target that is there.
///
/// # Errors
/// Options that cannot be.
pub(crate) fn bench(
    args: &OltpRunArgs,
    target: &Target,
    stops: &Stops,
) -> Result<OltpBench, Failure> {
    on(args, plan::run_options(args)?, plan::percentile(args)?, target, stops)
}

fn on(
    args: &OltpRunArgs,
    options: Options,
    percentile: f64,
    target: &Target,
    stops: &Stops,
) -> Result<OltpBench, Failure> {
    let options = on_what_is_there(args, target, options)?;
    Ok(OltpBench {
        oltp: Arc::new(Oltp::new(target.clone(), options).map_err(failure)?),
        target: target.clone(),
        preset: args.preset,
        percentile,
        checks: args.check,
        check: Arc::clone(&stops.check),
    })
}

/// Fills in the tables that are there for those that were not asked for by number and size.
fn on_what_is_there(
    args: &OltpRunArgs,
    target: &Target,
    options: Options,
) -> Result<Options, Failure> {
    // Two runs that gave the same keys to new rows would be in each other's way.
    let mut options = Options { unique_seed: rand::rng().next_u64(), ..options };
    if args.tables.is_none() || args.table_size.is_none() {
        let found = block_on(DataSet::find(target))?.map_err(failure)?.unwrap_or_default();
        options.tables = args.tables.unwrap_or(found.tables);
        // Inserts go into empty tables as well.
        options.table_size = args.table_size.unwrap_or(found.table_size.max(1));
    }
    Ok(options)
}

/// OLTP on its tables.
pub(crate) struct OltpBench {
    oltp: Arc<Oltp>,
    target: Target,
    preset: Preset,
    percentile: f64,
    checks: bool,
    check: Arc<CheckProgress>,
}

impl Bench for OltpBench {
    fn transaction_types(&self) -> Vec<String> {
        self.oltp.transaction_types().iter().map(|kind| kind.name.clone()).collect()
    }

    fn load(&self, drive: Drive<'_>) -> Result<LoadReport, LoadError> {
        drive.oltp(&self.oltp)
    }

    fn facts(&self) -> WorkloadFacts {
        let facts = facts(self.oltp.options());
        match self.preset {
            Preset::Sysbench => facts,
            Preset::WhitePaper => WorkloadFacts { profile: "white-paper/1".into(), ..facts },
        }
    }

    fn settings(&self) -> Settings {
        settings(self.oltp.options(), self.percentile)
    }

    fn usual_retries(&self) -> u32 {
        engine::LoadOptions::default().retries_max
    }

    fn preflight(&self, connections: u32) -> Result<(), Failure> {
        block_on(self.oltp.preflight(connections))?.map_err(failure)
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.check.done.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn live(&self, interval: &Interval) -> String {
        let kind = &interval.transactions[0];
        let tps = kind.committed as f64 / interval.length_s.max(1e-9);
        let qps = HumanCount((tps * self.oltp.options().statements_each() as f64) as u64);
        let tps = HumanCount(tps as u64);
        let failed = match kind.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        format!("{tps} TPS, {qps} QPS, p95 {:.1} ms{failed}", kind.p95_ms)
    }

    fn headline(&self, record: &mut RunRecord, _server: Option<&ServerCounts>) {
        headline(record, self.oltp.options(), self.percentile);
    }

    fn judges(&self) -> bool {
        self.checks
    }

    fn judge(&mut self, record: &mut RunRecord, output: &Output) {
        let options = self.oltp.options();
        // What an interrupted run left behind is as sound as what a whole one did. Of the rows
        // beyond those in use nothing is known.
        let rows_changed = !options.kind.keeps_row_count();
        let options = CheckOptions { table_size: None, rows_changed };
        match check::record(&self.target, options, &self.check, output) {
            Ok(check) => record.check = Some(check),
            Err(failure) => {
                let words = format!("The tables were not checked after the run: {failure}.");
                record.warnings.push(words);
            }
        }
    }
}

/// What a run is of, but for a preset.
pub(crate) fn facts(options: &Options) -> WorkloadFacts {
    let rows = HumanCount(options.table_size.into());
    WorkloadFacts {
        name: "oltp".into(),
        profile: format!("sysbench-{}/1", options.schema),
        scale: format!("{}, {} of {rows} rows", options.kind, tables(options.tables)),
        deviations: options.deviations().into_iter().map(Into::into).collect(),
    }
}

/// Adds TPS, QPS and a percentile of latencies to the record.
pub(crate) fn headline(record: &mut RunRecord, options: &Options, percentile: f64) {
    let each = options.statements_each() as f64;
    let Some(tps) = committed_rate(record, "TPS", &[], Per::Second) else { return };
    // Every transaction of a run has as many statements.
    let ci95 = tps.ci95.map(|(low, high)| (low * each, high * each));
    let qps = Figure { name: "QPS".into(), value: tps.value * each, ci95, ..tps.clone() };
    let latency = record.transactions.first().map(|kind| Figure {
        name: format!("p{percentile}"),
        value: kind.response.percentile_ms(percentile),
        unit: "ms".into(),
        ci95: None,
    });
    record.headline.extend([tps, qps].into_iter().chain(latency));
}

/// What a run was made of, by option name, defaults spelled out.
pub(crate) fn settings(options: &Options, percentile: f64) -> Settings {
    let mut settings = Settings::new();
    if let Ok(Value::Object(mix)) = serde_json::to_value(options.mix) {
        settings.extend(mix);
    }
    settings.extend([
        ("schema".into(), options.schema.to_string().into()),
        ("tables".into(), options.tables.into()),
        ("table-size".into(), options.table_size.into()),
        ("protocol".into(), serde_json::to_value(options.protocol).unwrap_or_default()),
        ("percentile".into(), percentile.into()),
    ]);
    settings
}
