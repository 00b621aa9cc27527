//! Zipf's distribution without a table, by rejection-inversion (Hörmann and Derflinger, ACM TOMACS
//! 6, 1996).

use rand::{Rng, RngExt};

/// Ranks from 1 to a last one, rank k in proportion to k to the power of minus the exponent.
#[derive(Clone, Debug)]
pub(super) struct Zipf {
    exponent: f64,
    ranks: f64,
    /// Integral of the density up to half a rank beyond the last.
    end: f64,
    /// The same up to one and a half, less the whole of rank 1.
    start: f64,
    /// How far below a rank the inverse may fall and be accepted without a look at the density.
    squeeze: f64,
}

impl Zipf {
    pub(super) fn new(ranks: u32, exponent: f64) -> Self {
        let ranks = f64::from(ranks);
        Self {
            exponent,
            ranks,
            end: integral(ranks + 0.5, exponent),
            start: integral(1.5, exponent) - 1.0,
            squeeze: 2.0 - inverse(integral(2.5, exponent) - 2f64.powf(-exponent), exponent),
        }
    }

    pub(super) fn draw(&self, random: &mut impl Rng) -> u32 {
        loop {
            let area = self.end + random.random::<f64>() * (self.start - self.end);
            let exact = inverse(area, self.exponent);
            let rank = exact.round().clamp(1.0, self.ranks);
            if rank - exact <= self.squeeze
                || area >= integral(rank + 0.5, self.exponent) - rank.powf(-self.exponent)
            {
                return rank as u32;
            }
        }
    }
}

/// Integral of x^-exponent from 1 to x. `exp_m1` keeps it exact around an exponent of 1.
fn integral(x: f64, exponent: f64) -> f64 {
    let log = x.ln();
    let power = (1.0 - exponent) * log;
    if power.abs() < 1e-12 { log } else { power.exp_m1() / (1.0 - exponent) }
}

/// Where the integral has this value.
fn inverse(area: f64, exponent: f64) -> f64 {
    let power = ((1.0 - exponent) * area).max(-1.0);
    if power.abs() < 1e-12 { area.exp() } else { (power.ln_1p() / (1.0 - exponent)).exp() }
}
