//! From the typed options of a load to the engine's.

use crate::{
    args::{ArrivalsArg, PacingArgs},
    failure::Failure,
};
use engine::{Arrivals, LoadOptions, Pacing, Phases, Reconnect};
use host::{Placement, Root, Topology};
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
    let steps = steps(pacing)?;
    place(pacing)
        .check(&Topology::of(&Root::real()))
        .map_err(|error| Failure::usage(format!("--client-cpus: {error}")))?;
    let of_sweeps = [
        ("--settle-deadline", pacing.settle_deadline.is_some()),
        ("--stop-after-peak", pacing.stop_after_peak.is_some()),
    ];
    if let Some((option, _)) = of_sweeps.iter().find(|(_, given)| *given && steps.len() == 1) {
        return Err(Failure::usage(format!(
            "{option} is about the steps of a sweep: give --connections or --rate a list, such as \
             --connections 1,2,4,8"
        )));
    }
    for step in steps {
        load_options(pacing, step, 0)?.validate().map_err(Failure::usage)?;
    }
    // One that is in use is told now, and not when the data is there.
    if let Some(metrics) = &pacing.metrics_addr {
        metrics.take()?;
    }
    Ok(())
}

/// Where the threads of the load run.
pub(crate) fn place(pacing: &PacingArgs) -> Placement {
    Placement { cpus: pacing.client_cpus.clone(), memory: None }
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
    let usual_threads = match &pacing.client_cpus {
        Some(cpus) => (cpus.len() as u32).clamp(1, 16),
        None => (processors / 2).clamp(1, 16),
    };
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
        histograms: !pacing.no_histograms,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::args::{Cli, Command, TpccVerb};
    use clap::Parser;

    fn pacing(typed: &[&str]) -> PacingArgs {
        let words = ["myrig", "tpcc", "run"].iter().chain(typed);
        let Command::Tpcc { verb: TpccVerb::Run(args) } =
            Cli::try_parse_from(words).unwrap().command
        else {
            panic!("`tpcc run` is no run");
        };
        args.pacing
    }

    fn refused(typed: &[&str]) -> String {
        validate(&pacing(typed)).unwrap_err().to_string()
    }

    #[test]
    fn a_list_makes_a_step_of_each_value() {
        let planned = |typed: &[&str]| {
            let steps = steps(&pacing(typed)).unwrap();
            steps.iter().map(|step| (step.connections, step.rate_per_s)).collect::<Vec<_>>()
        };
        assert_eq!(planned(&[]), [(16, None)]);
        assert_eq!(planned(&["--connections", "1,2,4"]), [(1, None), (2, None), (4, None)]);
        let rates = planned(&["-c", "8", "--rate", "100,200.5"]);
        assert_eq!(rates, [(8, Some(100.0)), (8, Some(200.5))]);
        let connections = planned(&["-c", "8,16", "--rate", "100"]);
        assert_eq!(connections, [(8, Some(100.0)), (16, Some(100.0))]);
    }

    #[test]
    fn lists_that_make_no_sweep_are_refused_by_name() {
        let both = refused(&["-c", "1,2", "--rate", "100,200"]);
        assert!(both.starts_with("--connections and --rate: only one"), "{both}");
        for (list, words) in [("4,2", "2 after 4"), ("2,2", "2 after 2")] {
            let error = refused(&["-c", list]);
            assert!(error.starts_with(&format!("--connections: {words}")), "{error}");
        }
        let unsorted = refused(&["--rate", "9,1.5"]);
        assert!(unsorted.starts_with("--rate: 1.5 after 9"), "{unsorted}");
        assert!(refused(&["-c", "0,1"]).starts_with("--connections 0"));
    }

    #[test]
    fn options_of_a_sweep_are_refused_without_one() {
        for option in [["--settle-deadline", "1s"], ["--stop-after-peak", "1"]] {
            let error = refused(&option);
            assert!(error.starts_with(option[0]) && error.contains("a list"), "{error}");
            validate(&pacing(&[option[0], option[1], "-c", "1,2"])).unwrap();
        }
    }

    #[test]
    fn the_small_steps_of_a_sweep_make_do_with_fewer_threads() {
        let threads = |typed: &[&str], connections| {
            let step = Step { connections, rate_per_s: None };
            load_options(&pacing(typed), step, 0).unwrap().threads
        };
        assert_eq!(threads(&["-c", "1,8", "--threads", "4"], 1), 1);
        assert_eq!(threads(&["-c", "1,8", "--threads", "4"], 8), 4);
        // A single run is refused instead: one may have meant something else.
        assert!(refused(&["-c", "1", "--threads", "4"]).starts_with("--threads 4"));
    }
}
