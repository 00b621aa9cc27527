//! The load as `run` wants it: what makes a record of it that stands beside those of myrig's own
//! commands.

use super::{
    super::load::usual_pacing,
    observed::Observed,
    options::{Load, Options},
};
use crate::{
    args::{ArrivalsArg, PacingArgs},
    failure::Failure,
    oltp,
    run::{Bench, ServerCounts, Settings},
    runtime::block_on,
};
use engine::{Interval, LoadError, LoadReport, PHASE_MAX, RETRIES_MAX, Workload};
use lab::record::{RunRecord, WorkloadFacts};
use std::{sync::Arc, thread::available_parallelism};
use workloads::Drive;

/// The observed workload.
pub(super) struct SysbenchBench {
    pub(super) observed: Arc<Observed>,
    /// None where percentiles are disabled.
    pub(super) percentile: Option<u32>,
}

/// What sysbench reports unless told otherwise.
const PERCENTILE: u32 = 95;

impl SysbenchBench {
    fn percentile(&self) -> f64 {
        self.percentile.unwrap_or(PERCENTILE).into()
    }
}

impl Bench for SysbenchBench {
    fn transaction_types(&self) -> Vec<String> {
        self.observed.transaction_types().iter().map(|kind| kind.name.clone()).collect()
    }

    fn load(&self, drive: Drive<'_>) -> Result<LoadReport, LoadError> {
        drive.of(&self.observed)
    }

    fn facts(&self) -> WorkloadFacts {
        oltp::run::facts(self.observed.oltp().options())
    }

    fn settings(&self) -> Settings {
        oltp::run::settings(self.observed.oltp().options(), self.percentile())
    }

    fn usual_retries(&self) -> u32 {
        RETRIES_MAX
    }

    fn preflight(&self, connections: u32) -> Result<(), Failure> {
        Ok(block_on(self.observed.oltp().preflight(connections))??)
    }

    fn live(&self, _interval: &Interval) -> String {
        // The front end shows intervals itself.
        String::new()
    }

    fn headline(&self, record: &mut RunRecord, _server: Option<&ServerCounts>) {
        oltp::run::headline(record, self.observed.oltp().options(), self.percentile());
    }
}

/// The load in myrig's terms.
///
/// # Errors
/// None that a person can mend.
pub(super) fn pacing(load: &Load, seed: u64) -> Result<PacingArgs, Failure> {
    Ok(PacingArgs {
        connections: vec![load.threads],
        // sysbench's threads use all processors; fewer would be starved by a server of many.
        threads: Some((available_parallelism()?.get() as u32).min(load.threads)),
        duration: load.time.unwrap_or(PHASE_MAX),
        ramp_up: load.warmup,
        transactions: load.events,
        rate: load.rate.map(f64::from).into_iter().collect(),
        arrivals: ArrivalsArg::Poisson,
        grace: load.forced_shutdown.unwrap_or(PHASE_MAX),
        // The first error that is not ignored ends the run without the engine's help.
        failures_in_a_row: u32::MAX,
        seed,
        ..usual_pacing()?
    })
}

/// What was typed, as the record keeps it; a password is not among it.
pub(super) fn settings(given: &[super::command_line::Given], options: &Options) -> Settings {
    let kept = given.iter().filter(|given| !given.name.contains("password"));
    let mut settings: Settings = kept
        .map(|given| {
            let value = given.value.clone().unwrap_or_else(|| "on".into());
            (given.name.replace('_', "-"), value.into())
        })
        .collect();
    settings.insert("script".into(), options.script.name.clone().into());
    settings.insert("database".into(), options.target.database.clone().into());
    settings.insert("user".into(), options.target.user.clone().into());
    settings
}
