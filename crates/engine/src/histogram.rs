//! Histograms of latencies: microseconds, three significant digits, 1 µs to 1 h.

use hdrhistogram::Histogram;

/// The largest latency that is told apart, microseconds. Longer ones are counted as this long.
pub const LATENCY_MAX_US: u64 = 3_600_000_000;

/// A histogram of the whole measured phase, with all its memory: recording never allocates.
pub(crate) fn latencies() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LATENCY_MAX_US, 3).expect("these bounds are legal")
}

/// The nearest whole microsecond.
pub(crate) fn micros(latency_ns: u64) -> u64 {
    latency_ns.saturating_add(500) / 1000
}

/// Milliseconds at `quantile` (0 to 1); 0 when empty.
pub(crate) fn quantile_ms(latencies: &Histogram<u64>, quantile: f64) -> f64 {
    // The highest value that cannot be told from the one at the quantile may pass the largest.
    let at_us = latencies.value_at_quantile(quantile).min(latencies.max());
    at_us as f64 / 1e3
}
