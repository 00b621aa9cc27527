//! `myrig tprocc run`: TPROC-C as a bench of its own.

use super::{
    check::{Checked, check_with_bar},
    figures,
};
use crate::{
    args::{CallArg, TproccRunArgs},
    connect,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    run::{self, Bench, ServerCounts, Stops, bench::Question},
    runtime::block_on,
    tpcc::{
        run::verdict::{CONNECTIONS, agreement, orders},
        warehouses,
    },
};
use client::Target;
use engine::{Interval, LoadError, LoadReport, Workload};
use indicatif::HumanCount;
use lab::record::{RunRecord, WorkloadFacts};
use std::sync::{Arc, Mutex, PoisonError, atomic::Ordering};
use workloads::{
    ConditionResult, Drive,
    tpcc::CheckProgress,
    tprocc::{CallMode, DataSet, RunOptions, Tprocc},
};

pub(crate) fn run(args: &TproccRunArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let options = run_options(args)?;
    run::validate(&args.pacing)?;
    let servers = connect::servers(&args.connection, paths, output)?;
    let stops = Stops::default();
    let stopping = stops.clone();
    interrupt::watch(move || stopping.stop())?;
    let asked = run::Asked { args, pacing: &args.pacing, stops: &stops, paths, output };
    let (status, benches) =
        asked.of(&servers, |target| on(args, options.clone(), target, &stops))?;
    if !output.json() {
        for bench in benches {
            for line in bench.results.into_inner().unwrap_or_else(PoisonError::into_inner) {
                output.write(&format!("{line}\n"))?;
            }
        }
    }
    Ok(status)
}

/// The bench of a run on a target that is there.
///
/// # Errors
/// Options that cannot be, or data that is not theirs.
pub(crate) fn bench(
    args: &TproccRunArgs,
    target: &Target,
    stops: &Stops,
) -> Result<TproccBench, Failure> {
    on(args, run_options(args)?, target, stops)
}

fn on(
    args: &TproccRunArgs,
    options: RunOptions,
    target: &Target,
    stops: &Stops,
) -> Result<TproccBench, Failure> {
    let data = block_on(DataSet::expect(target, args.profile, args.warehouses))??;
    block_on(data.expect_procedures(target))??;
    let tprocc = Tprocc::new(target.clone(), data.clone(), options).map_err(Failure::usage)?;
    Ok(TproccBench {
        tprocc: Arc::new(tprocc),
        target: target.clone(),
        data,
        orders_before: 0,
        checks: !args.no_check,
        check: Arc::clone(&stops.check),
        results: Mutex::default(),
    })
}

/// Refuses what could not be carried out on any data, before a server is asked anything.
///
/// # Errors
/// The option at fault.
pub(crate) fn validate(args: &TproccRunArgs) -> Result<(), Failure> {
    run_options(args).map(drop)
}

/// How TPROC-C is to be run.
fn run_options(args: &TproccRunArgs) -> Result<RunOptions, Failure> {
    let weights = match args.weights.as_slice() {
        [] => None,
        given => Some(<[f64; 5]>::try_from(given).map_err(|_| {
            Failure::usage(format!("--weights: five shares are needed, not {}", given.len()))
        })?),
    };
    let good = |share: &f64| share.is_finite() && *share >= 0.0;
    if weights.is_some_and(|all| !all.iter().all(good) || all.iter().all(|share| *share == 0.0)) {
        return Err(Failure::usage("--weights: give shares of 0 and more, not all of them 0"));
    }
    for (option, share) in [("--keying-time", args.keying_time), ("--think-time", args.think_time)]
    {
        if !(0.0..=100.0).contains(&share) {
            return Err(Failure::usage(format!("{option} {share}: give a share from 0 to 100")));
        }
    }
    Ok(RunOptions {
        weights,
        call: match args.call {
            CallArg::Prepared => CallMode::Prepared,
            CallArg::Plain => CallMode::Plain,
        },
        all_warehouses: args.all_warehouses,
        keying_scale: args.keying_time,
        think_scale: args.think_time,
        isolation: args.isolation,
        seed: args.pacing.seed,
    })
}

/// TPROC-C on its data, with the check that follows a run.
pub(crate) struct TproccBench {
    tprocc: Arc<Tprocc>,
    target: Target,
    data: DataSet,
    /// Orders that the database had taken before the load.
    orders_before: i64,
    checks: bool,
    check: Arc<CheckProgress>,
    /// HammerDB's last line of each load.
    results: Mutex<Vec<String>>,
}

impl Bench for TproccBench {
    fn transaction_types(&self) -> Vec<String> {
        self.tprocc.transaction_types().iter().map(|kind| kind.name.clone()).collect()
    }

    fn load(&self, drive: Drive<'_>) -> Result<LoadReport, LoadError> {
        drive.tprocc(&self.tprocc)
    }

    fn facts(&self) -> WorkloadFacts {
        let profile = self.data.profile;
        WorkloadFacts {
            name: "tprocc".into(),
            profile: profile.versioned(),
            scale: warehouses(self.data.warehouses),
            deviations: profile.deviations().iter().map(|text| (*text).into()).collect(),
        }
    }

    fn settings(&self) -> run::Settings {
        let tables = &self.data.tables;
        let weights = self.tprocc.weights().to_vec();
        [
            ("weights", weights.into()),
            ("engine", tables.engine.clone().into()),
            ("partitions", tables.partitions.into()),
            ("history-key", tables.history_key.into()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }

    fn usual_retries(&self) -> u32 {
        self.data.profile.default_retries()
    }

    fn preflight(&self, connections: u32) -> Result<(), Failure> {
        Ok(block_on(self.tprocc.preflight(connections))??)
    }

    fn questions(&self) -> Vec<Question> {
        figures::questions()
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.check.done.store(0, Ordering::Relaxed);
        self.orders_before = block_on(orders(&self.target, &self.data.as_tpcc()))??;
        Ok(())
    }

    fn live(&self, interval: &Interval) -> String {
        let of_type = &interval.transactions[Tprocc::NEW_ORDER];
        let per_minute = of_type.committed as f64 / interval.length_s.max(1e-9) * 60.0;
        let failed: u64 = interval.transactions.iter().map(|kind| kind.failed).sum();
        let nopm = HumanCount(per_minute as u64);
        let mut words = format!("{nopm} NOPM, NEWORD p95 {:.1} ms", of_type.p95_ms);
        if failed > 0 {
            words.push_str(&format!(", {failed} failed"));
        }
        words
    }

    fn headline(&self, record: &mut RunRecord, server: Option<&ServerCounts>) {
        let line = figures::add(record, server);
        self.results.lock().unwrap_or_else(PoisonError::into_inner).extend(line);
    }

    fn judges(&self) -> bool {
        self.checks
    }

    fn judge(&mut self, record: &mut RunRecord, output: &Output) {
        let Self { target, data, check, .. } = self;
        let checked = check_with_bar(target, data, CONNECTIONS, check, output);
        let judged = checked.and_then(|checked| {
            let after = block_on(orders(target, &data.as_tpcc()))??;
            Ok((checked, after))
        });
        match judged {
            Ok((Checked { record: mut check, deviations }, orders_after)) => {
                let agreement = agreement(record, orders_after - self.orders_before);
                check.good &= agreement.violations == 0;
                check.conditions.push(agreement);
                record.check = Some(check);
                record.warnings.extend(told(&deviations));
            }
            Err(failure) => {
                record.warnings.push(format!("The data was not checked after the run: {failure}."));
            }
        }
    }
}

/// One sentence on all conditions that the profile breaks by design.
fn told(deviations: &[ConditionResult]) -> Option<String> {
    let each = |result: &ConditionResult| {
        format!("{} ({} of {})", result.name, result.violations, result.examined)
    };
    let all: Vec<_> = deviations.iter().map(each).collect();
    (!all.is_empty()).then(|| {
        format!(
            "By design of the profile these conditions of TPC-C are not kept: {}.",
            all.join(", ")
        )
    })
}
