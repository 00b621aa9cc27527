//! Zipf's law over a bounded range by rejection-inversion.
//!
//! W. Hörmann, G. Derflinger: Rejection-inversion to generate variates from monotone discrete
//! distributions. ACM Transactions on Modeling and Computer Simulation 6.3 (1996), 169-184. The
//! hat's integral is taken as (x^(1 − q) − 1) / (1 − q), which has the limit ln x at q = 1, so
//! that every exponent from 0 works.

use rand::{Rng, RngExt};

/// The law over the ranks 1 to n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Zipfian {
    exponent: f64,
    count: u32,
    /// The hat's integral at the left end: where rank 1 gets exactly its share.
    left: f64,
    /// The hat's integral at the right end, n + 1/2.
    right: f64,
    /// Ranks that lie at most this far right of the point drawn are accepted without a look at
    /// the law itself.
    squeeze: f64,
}

impl Zipfian {
    pub(super) fn new(exponent: f64, count: u32) -> Self {
        let inverse = integral_inverse(integral(2.5, exponent) - weight(2.0, exponent), exponent);
        Self {
            exponent,
            count,
            left: integral(1.5, exponent) - 1.0,
            right: integral(f64::from(count) + 0.5, exponent),
            squeeze: 2.0 - inverse,
        }
    }

    /// A rank from 1 to n.
    pub(super) fn rank(&self, rng: &mut impl Rng) -> u32 {
        loop {
            let area = self.right + rng.random::<f64>() * (self.left - self.right);
            let point = integral_inverse(area, self.exponent);
            // Rounding of the integrals may lead just outside.
            let rank = ((point + 0.5) as u32).clamp(1, self.count);
            let place = f64::from(rank);
            if place - point <= self.squeeze
                || area >= integral(place + 0.5, self.exponent) - weight(place, self.exponent)
            {
                return rank;
            }
        }
    }
}

/// The law without its norm: x to the negative power.
fn weight(x: f64, exponent: f64) -> f64 {
    (-exponent * x.ln()).exp()
}

/// The integral of [`weight`], 0 at x = 1.
fn integral(x: f64, exponent: f64) -> f64 {
    let log = x.ln();
    exp_minus_1_over((1.0 - exponent) * log) * log
}

/// The x at which [`integral`] is `area`.
fn integral_inverse(area: f64, exponent: f64) -> f64 {
    // Below −1 there is no logarithm; rounding may lead there.
    let t = (area * (1.0 - exponent)).max(-1.0);
    (log_1_plus_over(t) * area).exp()
}

/// Below this the series are exact to the last digit, where the quotients are not.
const SMALL: f64 = 1e-8;

/// (e^x − 1) / x, 1 at x = 0.
fn exp_minus_1_over(x: f64) -> f64 {
    if x.abs() > SMALL { x.exp_m1() / x } else { 1.0 + x / 2.0 }
}

/// ln(1 + x) / x, 1 at x = 0.
fn log_1_plus_over(x: f64) -> f64 {
    if x.abs() > SMALL { x.ln_1p() / x } else { 1.0 - x / 2.0 }
}
