//! From the typed options to the built ones.

use crate::{
    args::{ArrivalsArg, DeliveryArg, HomeWarehouse, RunArgs},
    failure::Failure,
};
use engine::{Arrivals, LoadOptions, Pacing, Phases, Reconnect};
use std::thread::available_parallelism;
use workloads::tpcc::{DataSet, DeliveryMode, RunOptions};

/// How the engine is to drive the load.
pub(super) fn load_options(args: &RunArgs, data: &DataSet) -> Result<LoadOptions, Failure> {
    let processors = available_parallelism()?.get() as u32;
    // The server usually shares the machine: half of it is enough for the client.
    let threads = args.threads.unwrap_or((processors / 2).clamp(1, 16).min(args.connections));
    let usual = LoadOptions::default();
    Ok(LoadOptions {
        connections: args.connections,
        threads: threads.max(1),
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
        retries_max: args.retries.unwrap_or_else(|| data.profile.default_retries()),
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
