//! From the typed options of TPC-C to the built ones.

use crate::{
    args::{DeliveryArg, HomeWarehouse, RunArgs},
    failure::Failure,
    run,
};
use workloads::tpcc::{DeliveryMode, RunOptions};

/// Refuses what could not be carried out on any data, before a server is asked anything.
pub(crate) fn validate(args: &RunArgs) -> Result<(), Failure> {
    run_options(args)?;
    run::validate(&args.pacing)
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
        pipelined: args.pipeline,
        delivery: match args.delivery {
            DeliveryArg::Inline => DeliveryMode::Inline,
            DeliveryArg::Deferred => DeliveryMode::Deferred,
        },
        isolation: args.isolation,
        seed: args.pacing.seed,
    })
}
