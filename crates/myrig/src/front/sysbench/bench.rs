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
    run::{Bench, ServerCounts, Settings},
    runtime::block_on,
};
use engine::{Interval, PHASE_MAX, RETRIES_MAX};
use lab::{
    headline::{Per, committed_rate},
    record::{RunRecord, WorkloadFacts},
};
use std::sync::Arc;

/// The observed workload.
pub(super) struct SysbenchBench {
    pub(super) observed: Arc<Observed>,
}

impl Bench for SysbenchBench {
    type Workload = Observed;

    fn workload(&self) -> Arc<Observed> {
        Arc::clone(&self.observed)
    }

    fn facts(&self) -> WorkloadFacts {
        let options = self.observed.oltp().options();
        let deviations = options.deviations();
        let (tables, rows) = (options.tables, options.table_size);
        let many = if tables == 1 { "" } else { "s" };
        WorkloadFacts {
            name: "oltp".into(),
            profile: options.kind.script().into(),
            scale: format!("{tables} table{many} of {rows} rows"),
            deviations: deviations.into_iter().map(String::from).collect(),
        }
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
        record.headline.extend(committed_rate(record, "TPS", &[], Per::Second));
    }
}

/// The load in myrig's terms.
///
/// # Errors
/// None that a person can mend.
pub(super) fn pacing(load: &Load, seed: u64) -> Result<PacingArgs, Failure> {
    Ok(PacingArgs {
        connections: vec![load.threads],
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
