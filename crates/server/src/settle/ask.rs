//! Asking a server until it has come to rest.

use super::{Limits, Quantity, Sample, State, is_at_rest, judge};
use client::{Connection, Error, Target};
use std::time::{Duration, Instant};

/// Between two questions: short against a step of a benchmark, long against the questions.
const POLL: Duration = Duration::from_millis(500);
const STATUS: &str = "SHOW GLOBAL STATUS WHERE Variable_name IN \
    ('Innodb_buffer_pool_pages_dirty','Innodb_buffer_pool_pages_total',\
     'Innodb_history_list_length','Threads_running')";
/// MySQL keeps the length among its metrics, which want the PROCESS privilege.
const HISTORY: &str =
    "SELECT `COUNT` FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'";

/// What rest is for a server: where it was before the load.
#[derive(Clone, Debug)]
pub struct Rest {
    target: Target,
    limits: Limits,
}

/// What came of waiting.
#[derive(Clone, Debug, PartialEq)]
pub struct Waited {
    /// How long it took.
    pub length: Duration,
    /// At the beginning.
    pub first: Sample,
    /// At the end.
    pub last: Sample,
    /// Where each quantity was at the end.
    pub states: [State; Quantity::ALL.len()],
    /// Up to where each counts as back.
    pub limits: Limits,
}

impl Waited {
    /// Whether there was nothing left to wait for.
    pub fn at_rest(&self) -> bool {
        is_at_rest(&self.states)
    }
}

impl Rest {
    /// Takes the server's present state for rest. Of a cluster its first member is asked.
    ///
    /// # Errors
    /// The server cannot be reached or refuses to tell its status.
    pub async fn of(target: &Target) -> Result<Self, Error> {
        let mut connection = Connection::connect(target).await?;
        let (before, pool_pages) = sample(&mut connection).await?;
        connection.close().await;
        Ok(Self { target: target.clone(), limits: Limits::above(&before, pool_pages) })
    }

    /// Asks twice a second until the server is back at rest, `deadline` has passed or `stopped`
    /// says so; `observe` is shown each answer.
    ///
    /// # Errors
    /// The server went away.
    pub async fn wait(
        &self,
        deadline: Duration,
        stopped: impl Fn() -> bool,
        mut observe: impl FnMut(&Sample),
    ) -> Result<Waited, Error> {
        let begun = Instant::now();
        let mut connection = Connection::connect(&self.target).await?;
        let mut samples: Vec<Sample> = Vec::new();
        let states = loop {
            let (now, _) = sample(&mut connection).await?;
            observe(&now);
            samples.push(now);
            let states = judge(&samples, &self.limits);
            let left = deadline.saturating_sub(begun.elapsed());
            if is_at_rest(&states) || left.is_zero() || stopped() {
                break states;
            }
            tokio::time::sleep(POLL.min(left)).await;
        };
        connection.close().await;
        let last = samples.last().copied().unwrap_or_default();
        let first = samples.first().copied().unwrap_or_default();
        Ok(Waited { length: begun.elapsed(), first, last, states, limits: self.limits })
    }
}

/// What the server says now, and the pages of its buffer pool.
async fn sample(connection: &mut Connection) -> Result<(Sample, u64), Error> {
    let rows = connection.query(STATUS).await?;
    let told: Vec<(String, u64)> =
        rows.iter().filter_map(|row| Some((row.text(0)?, row.text(1)?.parse().ok()?))).collect();
    let of = |name: &str| told.iter().find(|(told, _)| told == name).map(|(_, value)| *value);
    let (dirty, running) = (of("Innodb_buffer_pool_pages_dirty"), of("Threads_running"));
    let pool_pages = of("Innodb_buffer_pool_pages_total").unwrap_or(0);
    let history = match of("Innodb_history_list_length") {
        Some(length) => Some(length),
        None => match connection.query_one(HISTORY).await {
            Ok(row) => row.and_then(|row| row.text(0)?.parse().ok()),
            Err(error) if error.class() == client::ErrorClass::ConnectionLost => return Err(error),
            Err(_not_for_us) => None,
        },
    };
    Ok(([dirty, history, running], pool_pages))
}
