//! sysbench's latency histogram: 1024 steps of equal ratio from 1 µs to 100 s. A percentile is the
//! middle of its step, so that both tools print the same figures for the same latencies.

use std::fmt::Write;

/// Number of steps.
pub(super) const STEPS: usize = 1024;

const LEAST_MS: f64 = 1e-3;
const MOST_MS: f64 = 1e5;

/// Width of the longest bar.
const BAR: usize = 40;

fn steps_a_fold() -> f64 {
    (STEPS - 1) as f64 / (MOST_MS.ln() - LEAST_MS.ln())
}

/// The step of a latency.
pub(super) fn step(latency_ns: u64) -> usize {
    let ms = latency_ns as f64 / 1e6;
    let step = ((ms.ln() - LEAST_MS.ln()) * steps_a_fold() + 0.5).floor();
    // A latency of zero has a logarithm below all numbers, and is cut to step 0 like it.
    (step.max(0.0) as usize).min(STEPS - 1)
}

/// The latency that a step stands for, milliseconds.
pub(super) fn value_ms(step: usize) -> f64 {
    (step as f64 / steps_a_fold() + LEAST_MS.ln()).exp()
}

/// The latency at `percent`, milliseconds.
pub(super) fn percentile_ms(counts: &[u64], percent: u32) -> f64 {
    let events: u64 = counts.iter().sum();
    let wanted = (events as f64 * f64::from(percent) / 100.0 + 0.5).floor() as u64;
    let mut seen = 0;
    let reached = counts.iter().position(|count| {
        seen += count;
        seen >= wanted
    });
    value_ms(reached.unwrap_or(counts.len()))
}

/// The histogram as sysbench draws it; nothing where it is empty.
pub(super) fn draw(counts: &[u64]) -> String {
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut text = String::new();
    if most == 0 {
        return text;
    }
    text.push_str("       value  ------------- distribution ------------- count\n");
    for (step, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let width = (*count as f64 * BAR as f64 / most as f64 + 0.5).floor() as usize;
        let bar = "*".repeat(width);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:12.3} |{bar:<BAR$} {count}", value_ms(step));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(latencies_us: &[u64]) -> Vec<u64> {
        let mut counts = vec![0; STEPS];
        for us in latencies_us {
            counts[step(us * 1000)] += 1;
        }
        counts
    }

    /// Values that sysbench 1.0.20 has printed.
    #[test]
    fn the_steps_are_those_of_sysbench() {
        for printed in ["0.690", "0.728", "1.025", "1.044", "2.861", "6.790"] {
            let ms: f64 = printed.parse().expect("a number");
            assert_eq!(format!("{:.3}", value_ms(step((ms * 1e6) as u64))), printed);
        }
    }

    #[test]
    fn percentiles_are_found_and_an_empty_histogram_has_none() {
        let counts = counts(&[1000; 95].into_iter().chain([9000; 5]).collect::<Vec<_>>());
        assert_eq!(percentile_ms(&counts, 95), value_ms(step(1_000_000)));
        assert_eq!(percentile_ms(&counts, 96), value_ms(step(9_000_000)));
        assert_eq!(format!("{:.2}", percentile_ms(&[0; STEPS], 95)), "0.00");
    }

    #[test]
    fn bars_are_drawn_in_proportion() {
        let drawn = draw(&counts(&[1000, 1000, 2000]));
        let expected = "       value  ------------- distribution ------------- count\n       \
                        1.007 |**************************************** 2\n       \
                        1.996 |********************                     1\n";
        assert_eq!(drawn, expected);
        assert_eq!(draw(&[0; STEPS]), "");
    }

    proptest! {
        #[test]
        fn a_latency_is_within_a_percent_of_its_step(us in 2_u64..100_000_000) {
            let ms = us as f64 / 1e3;
            let stands_for = value_ms(step(us * 1000));
            prop_assert!((stands_for / ms - 1.0).abs() < 0.0092, "{ms} {stands_for}");
        }

        #[test]
        fn every_latency_has_a_step(ns: u64) {
            prop_assert!(step(ns) < STEPS);
        }
    }
}
