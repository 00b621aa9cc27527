//! Waiting between steps until the server is where it was before the first.

use crate::{failure::Failure, run::Run, runtime::block_on};
use lab::sweep::Settling;
use server::settle::{Quantity, Rest, Sample};
use std::time::Duration;

/// How long a server is waited for unless `--settle-deadline` says.
const DEADLINE: Duration = Duration::from_secs(60);

/// What rest is for the server under load.
pub(super) struct Resting(Rest);

impl Resting {
    /// Takes the present state for rest.
    ///
    /// # Errors
    /// The server does not tell its state.
    pub(super) fn now(run: &Run<'_>) -> Result<Self, Failure> {
        Ok(Self(block_on(Rest::of(run.target))??))
    }

    /// Waits until the server is back, the deadline has passed, or somebody wants no more.
    ///
    /// # Errors
    /// The server went away.
    pub(super) fn wait(&self, run: &Run<'_>, step: &str) -> Result<Settling, Failure> {
        let deadline = run.pacing.settle_deadline.unwrap_or(DEADLINE);
        let spinner = run.output.spinner(&format!("before {step}: waiting for the server to rest"));
        let show = |sample: &Sample| {
            let told = Quantity::ALL.iter().zip(sample);
            let told: Vec<String> = told
                .filter_map(|(quantity, value)| Some(format!("{} {}", quantity.name(), (*value)?)))
                .collect();
            spinner.set_message(format!("before {step}: {}", told.join(", ")));
        };
        let waited = block_on(self.0.wait(deadline, || run.stops.stopped(), show));
        spinner.finish_and_clear();
        let waited = waited??;
        Ok(Settling {
            waited_s: waited.length.as_secs_f64(),
            settled: waited.at_rest(),
            words: waited.to_string(),
        })
    }
}
