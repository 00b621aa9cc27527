//! From the typed options of a load to the engine's.

use crate::{
    args::{ArrivalsArg, PacingArgs},
    failure::Failure,
};
use engine::{Arrivals, LoadOptions, Pacing, Phases, Reconnect};
use std::thread::available_parallelism;

/// What is set for one run of a sweep; a run alone is a sweep of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// Connections.
    pub(crate) connections: u32,
    /// Transactions a second that are due; none in a closed loop.
    pub(crate) rate_per_s: Option<f64>,
}

/// Refuses what could not be carried out on any data, before a server is asked anything.
///
/// # Errors
/// The option at fault, and the way out.
pub(crate) fn validate(pacing: &PacingArgs) -> Result<(), Failure> {
    for step in steps(pacing)? {
        load_options(pacing, step, 0)?.validate().map_err(Failure::usage)?;
    }
    Ok(())
}

/// The runs that are asked for, in their order; at least one.
///
/// # Errors
/// Names the lists where both make a sweep, and the one that does not grow.
pub(crate) fn steps(pacing: &PacingArgs) -> Result<Vec<Step>, Failure> {
    let (connections, rates) = (&pacing.connections, &pacing.rate);
    if connections.len() > 1 && rates.len() > 1 {
        return Err(Failure::usage(
            "--connections and --rate: only one of them can be a list, as a sweep changes one \
             thing; give the other a single value",
        ));
    }
    growing("--connections", connections)?;
    growing("--rate", rates)?;
    let connections = connections.iter().copied();
    if rates.is_empty() {
        return Ok(connections.map(|connections| Step { connections, rate_per_s: None }).collect());
    }
    let pairs = connections.flat_map(|connections| {
        rates.iter().map(move |rate| Step { connections, rate_per_s: Some(*rate) })
    });
    Ok(pairs.collect())
}

fn growing<T: PartialOrd + std::fmt::Display>(option: &str, values: &[T]) -> Result<(), Failure> {
    match values.windows(2).find(|pair| pair[0] >= pair[1]) {
        None => Ok(()),
        Some(pair) => Err(Failure::usage(format!(
            "{option}: {} after {}: the steps of a sweep grow; sort them and give each once",
            pair[1], pair[0]
        ))),
    }
}

/// How the engine is to drive the load; `usual_retries` where none were asked for.
///
/// # Errors
/// The system does not tell its number of processors.
pub(crate) fn load_options(
    pacing: &PacingArgs,
    step: Step,
    usual_retries: u32,
) -> Result<LoadOptions, Failure> {
    let processors = available_parallelism()?.get() as u32;
    // The server usually shares the machine: half of it is enough for the client.
    let usual_threads = (processors / 2).clamp(1, 16);
    // In a sweep the smallest steps have fewer connections than the threads that were asked for.
    let at_most = match pacing.connections.len() {
        0 | 1 => u32::MAX,
        _ => step.connections,
    };
    let threads = match pacing.threads {
        Some(threads) => threads.min(at_most),
        None => usual_threads.min(step.connections),
    };
    let arrivals = match pacing.arrivals {
        ArrivalsArg::Poisson => Arrivals::Poisson,
        ArrivalsArg::Even => Arrivals::Even,
    };
    let usual = LoadOptions::default();
    Ok(LoadOptions {
        connections: step.connections,
        threads,
        pacing: step
            .rate_per_s
            .map_or(Pacing::Closed, |rate_per_s| Pacing::Open { rate_per_s, arrivals }),
        phases: Phases {
            ramp_up: pacing.ramp_up,
            measure: pacing.duration,
            ramp_down: pacing.ramp_down,
        },
        transactions_max: pacing.transactions,
        retries_max: pacing.retries.unwrap_or(usual_retries),
        grace: pacing.grace,
        failures_in_a_row_max: pacing.failures_in_a_row,
        reconnect: Reconnect { give_up: pacing.reconnect_give_up, ..usual.reconnect },
        seed: pacing.seed,
    })
}
