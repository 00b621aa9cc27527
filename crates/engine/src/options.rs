//! What a load is asked to be, checked before anything is opened.

use std::time::Duration;

/// The most connections one client process opens, MySQL's own bound of `max_connections`.
pub const CONNECTIONS_MAX: u32 = 100_000;
/// The highest rate of an open loop, transactions a second.
pub const RATE_MAX_PER_S: f64 = 1e6;
/// The longest phase.
pub const PHASE_MAX: Duration = Duration::from_secs(30 * 24 * 3600);
/// The most attempts after the first.
pub const RETRIES_MAX: u32 = 1000;

/// Everything about a load but what is in its transactions.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadOptions {
    /// Connections, each with one worker (`--connections`).
    pub connections: u32,
    /// Operating system threads that the connections are spread over (`--threads`).
    pub threads: u32,
    /// What sets the start of a transaction.
    pub pacing: Pacing,
    /// How long each phase lasts.
    pub phases: Phases,
    /// Ends the measured phase once this many transactions were started in it (`--transactions`).
    /// Those are let finish and still belong to the measured phase; there is no ramp-down then.
    pub transactions_max: Option<u64>,
    /// How often a transaction is tried again after a retryable failure (`--retries`).
    pub retries_max: u32,
    /// How long transactions that are under way at the end may take to finish (`--grace`). What
    /// is still running then is abandoned and counted as failed and in doubt.
    pub grace: Duration,
    /// So many failed transactions in a row, on all connections together, end the load
    /// (`--failures-in-a-row`).
    pub failures_in_a_row_max: u32,
    /// What is done about lost connections.
    pub reconnect: Reconnect,
    /// Seeds arrivals and back-offs: the same seed, the same schedule (`--seed`).
    pub seed: u64,
    /// False to count transactions without their latencies, so that it can be measured what
    /// recording them costs (`--no-histograms`).
    pub histograms: bool,
}

/// What sets the start of a transaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pacing {
    /// A worker starts its next transaction after the last one ended, with the keying and think
    /// times that the workload draws.
    Closed,
    /// Transactions are due at times of their own, whether or not the server keeps up. Keying and
    /// think times are ignored.
    Open {
        /// Transactions a second over all connections (`--rate`).
        rate_per_s: f64,
        /// How the due times are spread.
        arrivals: Arrivals,
    },
}

/// How the due times of an open loop are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Exponential gaps: independent users.
    Poisson,
    /// Equal gaps, the first transaction due at once.
    Even,
}

/// How long each phase lasts. The whole load runs in all of them; they only say what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phases {
    /// Before the measurement, until caches are warm (`--ramp-up`).
    pub ramp_up: Duration,
    /// The measured phase (`--duration`).
    pub measure: Duration,
    /// After it, so that no measured transaction runs on an idling server (`--ramp-down`).
    pub ramp_down: Duration,
}

/// What is done about lost connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reconnect {
    /// About the first wait before reopening (`--reconnect-first`). It doubles with each try and
    /// is drawn between half of that and all of it.
    pub first: Duration,
    /// The longest such wait (`--reconnect-max`).
    pub max: Duration,
    /// The load ends when every connection has been down for so long (`--reconnect-give-up`).
    pub give_up: Duration,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            connections: 1,
            threads: 1,
            pacing: Pacing::Closed,
            phases: Phases {
                ramp_up: Duration::ZERO,
                measure: Duration::from_secs(60),
                ramp_down: Duration::ZERO,
            },
            transactions_max: None,
            retries_max: 10,
            grace: Duration::from_secs(10),
            failures_in_a_row_max: 1000,
            reconnect: Reconnect {
                first: Duration::from_millis(100),
                max: Duration::from_secs(5),
                give_up: Duration::from_secs(60),
            },
            seed: 1,
            histograms: true,
        }
    }
}

/// An option that cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{option} {value}: {reason}")]
pub struct OptionsError {
    /// The command line's name for it.
    pub option: &'static str,
    /// What was given.
    pub value: String,
    /// What is wrong, and what would be right.
    pub reason: String,
}

impl LoadOptions {
    /// Says whether the load can be carried out; the error names the option at fault.
    pub fn validate(&self) -> Result<(), OptionsError> {
        within("--connections", self.connections.into(), 1, CONNECTIONS_MAX.into())?;
        within("--threads", self.threads.into(), 1, self.connections.into()).map_err(|error| {
            OptionsError {
                reason: format!("{}: a thread needs a connection to carry", error.reason),
                ..error
            }
        })?;
        if let Pacing::Open { rate_per_s, .. } = self.pacing {
            check(
                rate_per_s > 0.0 && rate_per_s <= RATE_MAX_PER_S,
                "--rate",
                || rate_per_s.to_string(),
                || format!("give a rate over 0 and up to {RATE_MAX_PER_S} transactions a second"),
            )?;
        }
        if let Some(transactions) = self.transactions_max {
            within("--transactions", transactions, 1, u64::MAX)?;
        }
        within("--retries", self.retries_max.into(), 0, RETRIES_MAX.into())?;
        within("--failures-in-a-row", self.failures_in_a_row_max.into(), 1, u32::MAX.into())?;
        self.validate_times()
    }

    fn validate_times(&self) -> Result<(), OptionsError> {
        let instant = Duration::from_nanos(1);
        lasts("--ramp-up", self.phases.ramp_up, Duration::ZERO, PHASE_MAX)?;
        lasts("--duration", self.phases.measure, instant, PHASE_MAX)?;
        lasts("--ramp-down", self.phases.ramp_down, Duration::ZERO, PHASE_MAX)?;
        lasts("--grace", self.grace, Duration::ZERO, PHASE_MAX)?;
        let Reconnect { first, max, give_up } = self.reconnect;
        // Under a millisecond, hundreds of connections would drown a server that comes back.
        lasts("--reconnect-first", first, Duration::from_millis(1), PHASE_MAX)?;
        lasts("--reconnect-max", max, first, PHASE_MAX)?;
        lasts("--reconnect-give-up", give_up, instant, PHASE_MAX)
    }
}

fn check(
    good: bool,
    option: &'static str,
    value: impl FnOnce() -> String,
    reason: impl FnOnce() -> String,
) -> Result<(), OptionsError> {
    if good { Ok(()) } else { Err(OptionsError { option, value: value(), reason: reason() }) }
}

fn within(option: &'static str, value: u64, min: u64, max: u64) -> Result<(), OptionsError> {
    check(
        (min..=max).contains(&value),
        option,
        || value.to_string(),
        || format!("give a number from {min} to {max}"),
    )
}

fn lasts(
    option: &'static str,
    value: Duration,
    min: Duration,
    max: Duration,
) -> Result<(), OptionsError> {
    check(
        (min..=max).contains(&value),
        option,
        || format!("{value:?}"),
        || format!("give a time from {min:?} to {max:?}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut LoadOptions)) -> String {
        let mut options = LoadOptions::default();
        change(&mut options);
        options.validate().expect_err("this must be refused").to_string()
    }

    #[test]
    fn the_default_is_valid() {
        assert_eq!(LoadOptions::default().validate(), Ok(()));
    }

    #[test]
    fn errors_name_the_option_and_the_way_out() {
        assert_eq!(
            refused(|o| o.connections = 0),
            "--connections 0: give a number from 1 to 100000"
        );
        assert_eq!(
            refused(|o| (o.connections, o.threads) = (4, 8)),
            "--threads 8: give a number from 1 to 4: a thread needs a connection to carry"
        );
        assert_eq!(
            refused(|o| o.phases.measure = Duration::ZERO),
            "--duration 0ns: give a time from 1ns to 2592000s"
        );
        assert_eq!(
            refused(|o| o.reconnect.max = Duration::from_millis(5)),
            "--reconnect-max 5ms: give a time from 100ms to 2592000s"
        );
        assert!(refused(|o| o.transactions_max = Some(0)).starts_with("--transactions 0: "));
        assert!(refused(|o| o.phases.ramp_up = Duration::MAX).starts_with("--ramp-up "));
        assert!(refused(|o| o.phases.ramp_down = Duration::MAX).starts_with("--ramp-down "));
        assert!(refused(|o| o.grace = Duration::MAX).starts_with("--grace "));
        assert!(refused(|o| o.retries_max = 1001).starts_with("--retries 1001: "));
        assert!(refused(|o| o.failures_in_a_row_max = 0).starts_with("--failures-in-a-row 0: "));
    }

    #[test]
    fn a_rate_that_is_no_rate_is_refused() {
        for rate_per_s in [0.0, -1.0, f64::NAN, f64::INFINITY, 2e6] {
            let arrivals = Arrivals::Even;
            let error = refused(|o| o.pacing = Pacing::Open { rate_per_s, arrivals });
            assert!(error.starts_with("--rate "), "{error}");
        }
    }
}
