//! Whole runs on virtual time.
#![allow(clippy::unwrap_used)]

mod closed_loop;
mod connections;
mod ending;
mod failures;
mod finished;
mod open_loop;
mod properties;
mod real_clock;
mod snapshot;

use crate::{Draw, LoadOptions, Pacing, Phases, options::Arrivals, simulation::ms};
use std::time::Duration;

/// A closed loop on one connection that is measured for `seconds` from the start.
fn closed(seconds: u64) -> LoadOptions {
    LoadOptions {
        phases: Phases {
            ramp_up: Duration::ZERO,
            measure: Duration::from_secs(seconds),
            ramp_down: Duration::ZERO,
        },
        ..LoadOptions::default()
    }
}

/// The same as an open loop.
fn open(seconds: u64, rate_per_s: f64, arrivals: Arrivals) -> LoadOptions {
    LoadOptions { pacing: Pacing::Open { rate_per_s, arrivals }, ..closed(seconds) }
}

fn pauses(keying_ms: u64, think_ms: u64) -> Draw {
    Draw { kind: 0, keying: ms(keying_ms), think: ms(think_ms) }
}

/// The values of a histogram with their counts, in microseconds.
fn values(histogram: &hdrhistogram::Histogram<u64>) -> Vec<(u64, u64)> {
    let recorded = histogram.iter_recorded();
    recorded.map(|value| (value.value_iterated_to(), value.count_at_value())).collect()
}

/// Whether a histogram has all its values, `count` of them, where `latency_us` is.
fn all_at(histogram: &hdrhistogram::Histogram<u64>, latency_us: u64, count: u64) -> bool {
    histogram.len() == count && histogram.count_at(latency_us) == count
}
