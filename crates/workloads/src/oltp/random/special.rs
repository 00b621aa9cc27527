//! The distribution that sysbench calls special, its default up to 1.0.20.

use super::{DistributionOptions, mean_of_uniform};
use rand::{Rng, RngExt};

/// With the usual parameters three draws of four fall on the 1% of the numbers in the middle, the
/// rest is Gaussian over all of them.
///
/// sysbench decides and places a special number with one and the same uniform number, so that of
/// the special numbers only the upper part (the upper three quarters with the usual parameters)
/// is ever drawn. It is kept: it decides how many rows are hot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Special {
    /// The greatest offset, n − 1.
    last: f64,
    iterations: u32,
    /// Share of draws that are Gaussian.
    gaussian_share: f64,
    /// Special numbers.
    width: f64,
    /// Offset of the first of them.
    from: f64,
}

impl Special {
    pub(super) fn new(options: &DistributionOptions, count: u32) -> Self {
        let last = f64::from(count - 1);
        let percent = f64::from(options.special_percent);
        Self {
            last,
            iterations: options.iterations,
            gaussian_share: 1.0 - f64::from(options.special_share_percent) / 100.0,
            width: last * percent / 100.0 + 1.0,
            from: last / 2.0 - last * percent / 200.0,
        }
    }

    /// A number from 0 to n, to be rounded down.
    pub(super) fn offset(&self, rng: &mut impl Rng) -> f64 {
        let uniform: f64 = rng.random();
        // A single number has no range for a Gaussian.
        if uniform < self.gaussian_share && self.last > 0.0 {
            mean_of_uniform(rng, self.iterations) * self.last
        } else {
            self.from + uniform * self.width
        }
    }
}
