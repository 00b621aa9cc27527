//! What a workload brings to its run.

use super::Settings;
use crate::{failure::Failure, output::Output};
use engine::{Interval, LoadError, LoadReport};
use lab::record::{RunRecord, WorkloadFacts};
use std::collections::BTreeMap;
use workloads::Drive;

/// A workload on its data, ready to be run.
pub(crate) trait Bench: Send {
    /// Names of the types of its transactions, in the engine's order.
    fn transaction_types(&self) -> Vec<String>;

    /// Puts a load on, of the engine's workload: the same for every step of a
    /// sweep.
    ///
    /// # Errors
    /// Why there is no report.
    fn load(&self, drive: Drive<'_>) -> Result<LoadReport, LoadError>;

    /// Name, profile, scale and deviations, for the record.
    fn facts(&self) -> WorkloadFacts;

    /// Settings that are known only now, such as the isolation level of a profile; they take the
    /// place of those that were typed.
    fn settings(&self) -> Settings {
        Settings::new()
    }

    /// How often a transaction is tried again where `--retries` does not say.
    fn usual_retries(&self) -> u32;

    /// Asks the server whether `connections` sessions have room, before any is opened.
    ///
    /// # Errors
    /// What is too small, and the setting that mends it.
    fn preflight(&self, connections: u32) -> Result<(), Failure>;

    /// Counters of the server to be asked at both ends of the measured phase.
    fn questions(&self) -> Vec<Question> {
        Vec::new()
    }

    /// Called before each load, when the server is at rest.
    ///
    /// # Errors
    /// Why the load cannot begin.
    fn begin(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// A few words on the second that is over, for the progress bar.
    fn live(&self, interval: &Interval) -> String;

    /// Adds the figures of merit to the record, the most important first. `server` is none where
    /// the measured phase was not gone into, or a question could not be asked.
    fn headline(&self, record: &mut RunRecord, server: Option<&ServerCounts>);

    /// Whether [`Self::judge`] will give a verdict: the run is not done without it.
    fn judges(&self) -> bool {
        false
    }

    /// Checks the data after the load and puts the verdict into the record; what keeps it from
    /// being checked becomes a warning, so that the run itself is not lost.
    fn judge(&mut self, record: &mut RunRecord, output: &Output) {
        let _nothing_to_judge = (record, output);
    }
}

/// A counter of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// What to call it in [`ServerCounts::differences`].
    pub(crate) name: &'static str,
    /// SQL whose answer is the number in the last column of the first row.
    pub(crate) sql: String,
}

/// What counters grew by in the measured phase.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ServerCounts {
    /// From the first answer to the second, seconds.
    pub(crate) length_s: f64,
    /// How late the first answer came, from the start of the measured phase, seconds.
    pub(crate) late_s: f64,
    /// By the question's name.
    pub(crate) differences: BTreeMap<&'static str, i64>,
    /// Processors that the server kept busy; none where that cannot be known.
    pub(crate) cpus: Option<f64>,
}
