//! From the typed options to the built ones.

use crate::{
    args::{ArrivalsArg, DeliveryArg, HomeWarehouse, RunArgs},
    failure::Failure,
};
use engine::{Arrivals, LoadOptions, Pacing, Phases, Reconnect};
use std::thread::available_parallelism;
use workloads::tpcc::{DeliveryMode, RunOptions};

/// Refuses what could not be carried out on any data, before a server is asked anything.
pub(crate) fn validate(args: &RunArgs) -> Result<(), Failure> {
    run_options(args)?;
    load_options(args, 0)?.validate().map_err(Failure::usage)
}

/// How the engine is to drive the load; `usual_retries` where none were asked for.
pub(super) fn load_options(args: &RunArgs, usual_retries: u32) -> Result<LoadOptions, Failure> {
    let processors = available_parallelism()?.get() as u32;
    // The server usually shares the machine: half of it is enough for the client.
    let threads = args.threads.unwrap_or((processors / 2).clamp(1, 16).min(args.connections));
    let usual = LoadOptions::default();
    Ok(LoadOptions {
        connections: args.connections,
        threads,
        pacing: match args.rate {
            None => Pacing::Closed,
            Some(rate_per_s) => Pacing::Open {
                rate_per_s,
                arrivals: match args.arrivals {
                    ArrivalsArg::Poisson => Arrivals::Poisson,
                    ArrivalsArg::Even => Arrivals::Even,
                },
            },
        },
        phases: Phases { ramp_up: args.ramp_up, measure: args.duration, ramp_down: args.ramp_down },
        transactions_max: args.transactions,
        retries_max: args.retries.unwrap_or(usual_retries),
        grace: args.grace,
        failures_in_a_row_max: args.failures_in_a_row,
        reconnect: Reconnect { give_up: args.reconnect_give_up, ..usual.reconnect },
        seed: args.seed,
    })
}

/// How TPC-C is to be run.
pub(super) fn run_options(args: &RunArgs) -> Result<RunOptions, Failure> {
    let weights: [f64; 5] = args.weights.as_slice().try_into().map_err(|_| {
        Failure::usage(format!("--weights: five shares are needed, not {}", args.weights.len()))
    })?;
    let good = |share: &f64| share.is_finite() && *share >= 0.0;
    if !weights.iter().all(good) || weights.iter().all(|share| *share == 0.0) {
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
        home_warehouse_fixed: args.home_warehouse == HomeWarehouse::Fixed,
        keying_scale: args.keying_time,
        think_scale: args.think_time,
        delivery: match args.delivery {
            DeliveryArg::Inline => DeliveryMode::Inline,
            DeliveryArg::Deferred => DeliveryMode::Deferred,
        },
        isolation: args.isolation,
        seed: args.seed,
    })
}
