//! The load, and what is shown while it is on.

use crate::{failure::Failure, output::Output};
use engine::{Interval, LoadError, LoadOptions, LoadReport, Stop};
use indicatif::HumanCount;
use std::sync::Arc;
use workloads::tpcc::Tpcc;

const BAR: &str = "{prefix:9} {bar:20} {pos}/{len} s  {msg}";

/// Drives the load to its end.
pub(super) fn load(
    workload: &Arc<Tpcc>,
    options: &LoadOptions,
    stop: &Stop,
    output: &Output,
) -> Result<LoadReport, Failure> {
    let phases = options.phases;
    let (ramp_up_s, measured_s) = (phases.ramp_up.as_secs_f64(), phases.measure.as_secs_f64());
    let length_s = ramp_up_s + measured_s + phases.ramp_down.as_secs_f64();
    let bar = output.bar(length_s.ceil() as u64, BAR);
    bar.set_prefix("connect");
    let observe = |interval: &Interval| {
        bar.set_prefix(match interval.at_s {
            at_s if at_s <= ramp_up_s => "ramp-up",
            at_s if at_s <= ramp_up_s + measured_s => "measure",
            _ => "ramp-down",
        });
        bar.set_position(interval.at_s as u64);
        bar.set_message(words(interval));
    };
    let loaded = engine::run(Arc::clone(workload), options, stop, observe);
    bar.finish_and_clear();
    loaded.map_err(|error| match error {
        LoadError::Options(error) => Failure::usage(error),
        other => other.into(),
    })
}

fn words(interval: &Interval) -> String {
    let of_type = &interval.transactions[Tpcc::NEW_ORDER];
    let per_minute = of_type.committed as f64 / interval.length_s.max(1e-9) * 60.0;
    let failed: u64 = interval.transactions.iter().map(|kind| kind.failed).sum();
    let tpmc = HumanCount(per_minute as u64);
    let mut words = format!("{tpmc} tpmC, New-Order p95 {:.1} ms", of_type.p95_ms);
    if failed > 0 {
        words.push_str(&format!(", {failed} failed"));
    }
    words
}
