//! The load as `run` wants it, for a record beside those of `myrig tpcc run`.

use super::{
    super::load::usual_pacing,
    options::{Length, Run},
    properties::Properties,
    terminals::Terminals,
};
use crate::{
    args::PacingArgs,
    failure::Failure,
    run::{Bench, ServerCounts, Settings},
    runtime::block_on,
    tpcc::warehouses,
};
use client::Target;
use engine::{Interval, LoadError, LoadReport, PHASE_MAX, Workload};
use lab::{
    headline::{Per, committed_rate},
    record::{RunRecord, WorkloadFacts},
};
use std::{sync::Arc, time::Duration};
use workloads::{Drive, tpcc::DataSet};

/// TPC-C by terminals.
pub(super) struct TerminalsBench {
    pub(super) terminals: Arc<Terminals>,
    /// With the warehouses that are used.
    pub(super) data: DataSet,
}

impl Bench for TerminalsBench {
    fn transaction_types(&self) -> Vec<String> {
        self.terminals.transaction_types().iter().map(|kind| kind.name.clone()).collect()
    }

    fn load(&self, drive: Drive<'_>) -> Result<LoadReport, LoadError> {
        drive.of(&self.terminals)
    }

    fn facts(&self) -> WorkloadFacts {
        let profile = self.data.profile;
        WorkloadFacts {
            name: "tpcc".into(),
            profile: profile.versioned(),
            scale: warehouses(self.data.warehouses),
            deviations: profile.deviations().iter().map(|text| (*text).into()).collect(),
        }
    }

    fn settings(&self) -> Settings {
        let level = self.terminals.tpcc().isolation();
        level.map(|level| ("isolation".into(), level.to_string().into())).into_iter().collect()
    }

    fn usual_retries(&self) -> u32 {
        self.data.profile.default_retries()
    }

    fn preflight(&self, connections: u32) -> Result<(), Failure> {
        Ok(block_on(self.terminals.tpcc().preflight(connections))??)
    }

    fn live(&self, _interval: &Interval) -> String {
        // The front end shows intervals itself.
        String::new()
    }

    fn headline(&self, record: &mut RunRecord, _server: Option<&ServerCounts>) {
        record.headline.extend(committed_rate(record, "tpmC", &["New-Order"], Per::Minute));
        record.headline.extend(committed_rate(record, "TPS", &[], Per::Second));
    }
}

/// The load in myrig's terms.
///
/// # Errors
/// None that a person can mend.
pub(super) fn pacing(run: &Run, seed: u64) -> Result<PacingArgs, Failure> {
    let (duration, transactions) = match run.length {
        Length::Minutes(minutes) => (Duration::from_secs(u64::from(minutes) * 60), None),
        Length::Transactions(each) => (PHASE_MAX, Some(u64::from(each) * u64::from(run.terminals))),
    };
    Ok(PacingArgs {
        connections: vec![run.terminals],
        duration,
        ramp_up: Duration::ZERO,
        transactions,
        seed,
        ..usual_pacing()?
    })
}

/// What was said, as the record keeps it; a password is not among it.
pub(super) fn settings(properties: &Properties, target: &Target) -> Settings {
    let kept = properties.iter().filter(|pair| pair.key != "password" && pair.key != "conn");
    let mut settings: Settings =
        kept.map(|pair| (pair.key.clone(), pair.value.clone().into())).collect();
    settings.insert("database".into(), target.database.clone().into());
    settings.insert("user".into(), target.user.clone().into());
    settings
}
