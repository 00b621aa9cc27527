//! `myrig tpcc run`: TPC-C as a bench of its own.

pub(crate) mod plan;
pub(crate) mod verdict;

use super::warehouses;
use crate::{
    args::RunArgs,
    connect,
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
    record::{RunRecord, WorkloadFacts},
};
use std::sync::{Arc, atomic::Ordering};
use workloads::{
    Drive,
    tpcc::{CheckProgress, DataSet, Tpcc},
};

pub(crate) fn run(args: &RunArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    plan::validate(args)?;
    let servers = connect::servers(&args.connection, paths, output)?;
    let stops = Stops::default();
    let stopping = stops.clone();
    interrupt::watch(move || stopping.stop())?;
    let asked = run::Asked { args, pacing: &args.pacing, stops: &stops, paths, output };
    asked.of(&servers, |target| bench(args, target, &stops)).map(|(status, _)| status)
}

/// The bench of a run on a target that is there.
///
/// # Errors
/// Options that cannot be, or data that is not there.
pub(crate) fn bench(args: &RunArgs, target: &Target, stops: &Stops) -> Result<TpccBench, Failure> {
    let data = block_on(DataSet::expect(target, args.profile))??;
    let tpcc = Tpcc::new(target.clone(), data, plan::run_options(args)?).map_err(Failure::usage)?;
    Ok(TpccBench {
        tpcc: Arc::new(tpcc),
        target: target.clone(),
        data,
        orders_before: 0,
        checks: !args.no_check,
        check: Arc::clone(&stops.check),
    })
}

/// TPC-C on its data, with the check that follows a run.
pub(crate) struct TpccBench {
    tpcc: Arc<Tpcc>,
    target: Target,
    data: DataSet,
    /// Orders that the database had taken before the load.
    orders_before: i64,
    checks: bool,
    check: Arc<CheckProgress>,
}

impl Bench for TpccBench {
    fn transaction_types(&self) -> Vec<String> {
        self.tpcc.transaction_types().iter().map(|kind| kind.name.clone()).collect()
    }

    fn load(&self, drive: Drive<'_>) -> Result<LoadReport, LoadError> {
        drive.tpcc(&self.tpcc)
    }

    fn facts(&self) -> WorkloadFacts {
        let profile = self.data.profile;
        WorkloadFacts {
            name: "tpcc".into(),
            profile: profile.versioned(),
            scale: warehouses(self.data.warehouses),
            deviations: self.tpcc.deviations(),
        }
    }

    fn settings(&self) -> Settings {
        let level = self.tpcc.isolation();
        level.map(|level| ("isolation".into(), level.to_string().into())).into_iter().collect()
    }

    fn usual_retries(&self) -> u32 {
        self.data.profile.default_retries()
    }

    fn preflight(&self, connections: u32) -> Result<(), Failure> {
        Ok(block_on(self.tpcc.preflight(connections))??)
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.check.done.store(0, Ordering::Relaxed);
        self.orders_before = block_on(verdict::orders(&self.target, &self.data))??;
        Ok(())
    }

    fn live(&self, interval: &Interval) -> String {
        let of_type = &interval.transactions[Tpcc::NEW_ORDER];
        let per_minute = of_type.committed as f64 / interval.length_s.max(1e-9) * 60.0;
        let failed: u64 = interval.transactions.iter().map(|kind| kind.failed).sum();
        let tpmc = HumanCount(per_minute as u64);
        let mut words = format!("{tpmc} tpmC, New-Order p95 {:.1} ms", of_type.p95_ms);
        if failed > 0 {
            words.push_str(&format!(", {failed} failed"));
        }
        words
    }

    fn headline(&self, record: &mut RunRecord, _server: Option<&ServerCounts>) {
        record.headline.extend(committed_rate(record, "tpmC", &["New-Order"], Per::Minute));
        record.headline.extend(committed_rate(record, "TPS", &[], Per::Second));
    }

    fn judges(&self) -> bool {
        self.checks
    }

    fn judge(&mut self, record: &mut RunRecord, output: &Output) {
        let before = self.orders_before;
        verdict::add(record, &self.target, &self.data, before, &self.check, output);
    }
}
