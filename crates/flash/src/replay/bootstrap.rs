//! How sure a paired effect is: the moving-block bootstrap over intervals of a trace.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Fewer intervals say nothing of how an effect varies.
const INTERVALS_MIN: usize = 20;

/// Resamples drawn.
const RESAMPLES: usize = 2_000;

/// 95% interval of the relative change from `before` to `after`, each a sum over the intervals of
/// one trace, -0.1 being 10% less.
///
/// Intervals are drawn in pairs and in blocks of neighbours (H. R. Künsch, "The jackknife and the
/// bootstrap for general stationary observations", Annals of Statistics 17, 1989), since neighbours
/// share what the drive holds; a block is a tenth of the trace. The trace is taken as a circle, so
/// that its ends are drawn as often as its middle. The interval says how much the effect hangs on
/// which part of this trace is looked at. Of another run, another load or another file system it
/// says nothing.
///
/// None with fewer than 20 intervals, or if nothing was written in some resample.
#[must_use]
pub fn change_interval(before: &[f64], after: &[f64], seed: u64) -> Option<(f64, f64)> {
    let count = before.len().min(after.len());
    if count < INTERVALS_MIN {
        return None;
    }
    let length = count.div_ceil(10);
    let mut random = Pcg64::seed_from_u64(seed);
    let mut changes = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let (mut sum_before, mut sum_after) = (0.0, 0.0);
        let mut drawn = 0;
        while drawn < count {
            let start = random.random_range(0..count);
            let taken = length.min(count - drawn);
            for at in (start..start + taken).map(|at| at % count) {
                sum_before += before[at];
                sum_after += after[at];
            }
            drawn += taken;
        }
        changes.push(sum_after / sum_before - 1.0);
    }
    if changes.iter().any(|change| !change.is_finite()) {
        return None;
    }
    changes.sort_by(f64::total_cmp);
    let at = |share: f64| changes[((RESAMPLES - 1) as f64 * share).round() as usize];
    Some((at(0.025), at(0.975)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn noise(count: usize, seed: u64) -> Vec<f64> {
        let mut random = Pcg64::seed_from_u64(seed);
        (0..count).map(|_| random.random_range(-1.0..1.0)).collect()
    }

    #[test]
    fn an_effect_that_is_the_same_everywhere_is_certain() {
        let before: Vec<f64> = noise(100, 1).iter().map(|noise| 10.0 + noise).collect();
        let after: Vec<f64> = before.iter().map(|before| before * 0.9).collect();
        let (low, high) = change_interval(&before, &after, 1).unwrap();
        assert!((low + 0.1).abs() < 1e-9 && (high + 0.1).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn the_interval_holds_the_effect_about_as_often_as_it_says() {
        let trials = 200;
        let held = (0..trials).filter(|&trial| {
            let shared = noise(100, 2 * trial);
            let before: Vec<f64> = shared.iter().map(|noise| 10.0 + noise).collect();
            let own = noise(100, 2 * trial + 1);
            let after: Vec<f64> =
                shared.iter().zip(&own).map(|(shared, own)| 9.0 + shared + own).collect();
            let (low, high) = change_interval(&before, &after, trial).unwrap();
            low <= -0.1 && -0.1 <= high
        });
        // Ten blocks a resample make percentile intervals somewhat short; 95% is what is aimed at.
        let held = held.count();
        assert!((170..=198).contains(&held), "{held} of {trials}");
    }

    #[test]
    fn neighbours_that_are_alike_make_the_interval_wider() {
        let slow: Vec<f64> = (0..100).map(|at| 10.0 + f64::from(at / 25 % 2)).collect();
        let fast: Vec<f64> = (0..100).map(|at| 10.0 + f64::from(at % 2)).collect();
        let width = |after: &[f64]| {
            let (low, high) = change_interval(&[10.0; 100], after, 1).unwrap();
            high - low
        };
        assert!(width(&slow) > 3.0 * width(&fast), "{} {}", width(&slow), width(&fast));
    }

    #[test]
    fn too_little_says_nothing() {
        assert_eq!(change_interval(&[1.0; 19], &[1.0; 19], 1), None);
        assert_eq!(change_interval(&[0.0; 30], &[1.0; 30], 1), None);
        assert_eq!(change_interval(&[], &[], 1), None);
    }
}
