//! What a sweep's steps say together: its peak, its knee, and when to stop looking.

use super::{Knee, KneePlace, Peak, SweepStep};
use crate::record::Figure;

/// Fewest steps that can have a knee between them.
const KNEE_STEPS_MIN: usize = 3;

/// Whether the first figures of two steps differ by more than their confidence intervals explain:
/// their distance is over the root of the sum of the squared half-widths, as in a test of two means
/// at 5%. None where one has no interval. Noise between runs, which no single run can see, is not
/// in it.
pub fn differ(a: &SweepStep, b: &SweepStep) -> Option<bool> {
    let half = |step: &SweepStep| step.interval().map(|(low, high)| (high - low) / 2.0);
    Some((a.figure()?.value - b.figure()?.value).abs() > half(a)?.hypot(half(b)?))
}

/// The step with the highest first figure; of equal ones the first.
pub fn peak(steps: &[SweepStep]) -> Option<Peak> {
    let figures = || steps.iter().enumerate().filter_map(|(i, step)| Some((i, step.figure()?)));
    let (at, highest) = figures().reduce(|a, b| if b.1.value > a.1.value { b } else { a })?;
    let alike = |(i, _): (usize, &Figure)| {
        (i != at && differ(&steps[at], &steps[i]) == Some(false)).then_some(i)
    };
    Some(Peak {
        step: at,
        figure: highest.name.clone(),
        value: highest.value,
        not_different: figures().filter_map(alike).collect(),
    })
}

/// Finished transactions a second over the mean response time in seconds, 1/s²; none where nothing
/// ended. In a closed loop without pauses that is throughput squared over connections (Little).
pub fn power(step: &SweepStep) -> Option<f64> {
    let mean_s = step.response.mean_ms / 1e3;
    (mean_s > 0.0).then(|| step.finished_per_s / mean_s)
}

/// The step with the greatest power: up to it more load buys more throughput than it costs in
/// latency, from it on the other way round. None with fewer than three steps that measured
/// anything.
pub fn knee(steps: &[SweepStep]) -> Option<Knee> {
    let powers: Vec<(usize, f64)> =
        steps.iter().enumerate().filter_map(|(i, step)| Some((i, power(step)?))).collect();
    if powers.len() < KNEE_STEPS_MIN {
        return None;
    }
    let (step, power) = powers.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let place = match step {
        step if Some(step) == powers.first().map(|(i, _)| *i) => KneePlace::First,
        step if Some(step) == powers.last().map(|(i, _)| *i) => KneePlace::Last,
        _ => KneePlace::Inside,
    };
    Some(Knee { step, power, place })
}

/// The number of steps at the end that brought no gain. A step gains when its first figure is
/// higher than that of the last step that gained, by more than both intervals explain where they
/// are known; so many small gains add up to one.
pub fn steps_without_gain(steps: &[SweepStep]) -> usize {
    let mut best: Option<&SweepStep> = None;
    let mut without = 0;
    for step in steps {
        let value = |step: &SweepStep| step.figure().map(|figure| figure.value);
        let gained = match best {
            None => step.figure().is_some(),
            Some(best) => value(step) > value(best) && differ(best, step) != Some(false),
        };
        if gained {
            (best, without) = (Some(step), 0);
        } else {
            without += 1;
        }
    }
    without
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sweep::example;
    use proptest::prelude::*;

    /// Steps of a closed loop with these connections and throughputs, 2% wide intervals.
    fn curve(points: &[(u32, f64)]) -> Vec<SweepStep> {
        points.iter().map(|(connections, rate)| example::step(*connections, *rate)).collect()
    }

    /// Throughput of `cpus` processors that a transaction needs one of for a millisecond, and a
    /// wait of `think` milliseconds elsewhere: the asymptotic bounds of operational analysis.
    fn bounded(connections: u32, cpus: f64, wait_ms: f64) -> f64 {
        let free = f64::from(connections) / (1.0 + wait_ms) * 1e3;
        free.min(cpus * 1e3)
    }

    #[test]
    fn the_knee_of_a_saturating_curve_is_where_its_bounds_cross() {
        for (cpus, wait_ms) in [(2.0, 0.0), (4.0, 1.0), (2.0, 7.0), (8.0, 3.0)] {
            let points: Vec<(u32, f64)> = (0..8)
                .map(|power| 1 << power)
                .map(|connections| (connections, bounded(connections, cpus, wait_ms)))
                .collect();
            let steps = curve(&points);
            let knee = knee(&steps).unwrap();
            let saturated_at = cpus * (1.0 + wait_ms);
            assert_eq!(f64::from(steps[knee.step].connections), saturated_at);
            assert_eq!(knee.place, KneePlace::Inside);
        }
    }

    #[test]
    fn a_knee_at_an_end_is_said_to_be_there() {
        let flat = curve(&[(8, 1000.0), (16, 1000.0), (32, 990.0)]);
        assert_eq!(knee(&flat).unwrap().place, KneePlace::First);
        let growing = curve(&[(1, 100.0), (2, 200.0), (4, 400.0)]);
        assert_eq!(knee(&growing).unwrap().place, KneePlace::Last);
        assert_eq!(knee(&growing[..2]), None);
    }

    #[test]
    fn the_peak_names_the_steps_that_cannot_be_told_from_it() {
        let steps = curve(&[(1, 500.0), (2, 990.0), (4, 1000.0), (8, 950.0)]);
        let peak = peak(&steps).unwrap();
        assert_eq!((peak.step, peak.not_different), (2, vec![1]));
        assert_eq!(super::peak(&[]), None);
    }

    #[test]
    fn figures_without_an_interval_are_not_judged() {
        let mut steps = curve(&[(1, 500.0), (2, 501.0)]);
        steps[1].headline[0].ci95 = None;
        assert_eq!(differ(&steps[0], &steps[1]), None);
        assert_eq!(peak(&steps).unwrap().not_different, [] as [usize; 0]);
    }

    #[test]
    fn steps_without_gain_are_counted_from_the_last_gain() {
        let without = |points: &[(u32, f64)]| steps_without_gain(&curve(points));
        assert_eq!(without(&[(1, 500.0), (2, 900.0)]), 0);
        assert_eq!(without(&[(1, 500.0), (2, 900.0), (4, 905.0), (8, 880.0)]), 2);
        // Gains that are small each, and one together.
        assert_eq!(without(&[(1, 900.0), (2, 907.0), (4, 914.0)]), 0);
        assert_eq!(without(&[]), 0);
    }

    proptest! {
        #[test]
        fn peak_and_knee_are_steps_and_nothing_is_above_them(
            rates in prop::collection::vec(0.0..1e6_f64, 0..12),
        ) {
            let points: Vec<(u32, f64)> = (1..).zip(rates.iter().copied()).collect();
            let steps = curve(&points);
            if let Some(peak) = peak(&steps) {
                prop_assert!(rates.iter().all(|rate| *rate <= rates[peak.step]));
                prop_assert!(!peak.not_different.contains(&peak.step));
            }
            if let Some(knee) = knee(&steps) {
                prop_assert!(steps.iter().filter_map(power).all(|power| power <= knee.power));
            }
            prop_assert!(steps_without_gain(&steps) <= steps.len());
        }
    }
}
