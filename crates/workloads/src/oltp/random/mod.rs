//! The random numbers of sysbench: five distributions over row numbers, by sysbench's own
//! definitions (`sb_rand.c` of 1.0.20; Zipf's as its later versions have it).

mod special;
mod unique;
mod zipfian;

#[cfg(test)]
mod kolmogorov;

use rand::{Rng, RngExt};
use serde::Serialize;
use special::Special;
use std::{fmt, str::FromStr};
pub use unique::Unique;
use zipfian::Zipfian;

/// The shape of a distribution over the numbers 1 to n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// All numbers alike.
    Uniform,
    /// The mean of some uniform numbers: a bell over the whole range.
    Gaussian,
    /// Mostly a few numbers in the middle, the rest Gaussian.
    Special,
    /// A power of a uniform number: small numbers are the frequent ones.
    Pareto,
    /// Zipf's law: number i has a frequency in proportion to i to a negative power.
    Zipfian,
}

impl Shape {
    /// Every shape with the name it has on a command line.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("uniform", Self::Uniform),
        ("gaussian", Self::Gaussian),
        ("special", Self::Special),
        ("pareto", Self::Pareto),
        ("zipfian", Self::Zipfian),
    ];
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, shape)| *shape).ok_or_else(|| {
            let names: Vec<_> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            format!("`{text}` is no distribution; there are {}", names.join(", "))
        })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // NAMES lists every variant; an empty name would show in the first test that prints one.
        f.write_str(
            Self::NAMES.iter().find(|(_, shape)| shape == self).map_or("", |(name, _)| name),
        )
    }
}

/// A shape and the parameters of all shapes; each looks at its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DistributionOptions {
    /// The shape (`--rand-type`).
    pub shape: Shape,
    /// Uniform numbers in one of a Gaussian, also in that of Special (`--rand-spec-iter`).
    pub iterations: u32,
    /// Special: percentage of the numbers that are the special ones (`--rand-spec-pct`).
    pub special_percent: u32,
    /// Special: percentage of draws that give a special number (`--rand-spec-res`).
    pub special_share_percent: u32,
    /// Pareto: the share h of the numbers gets the share 1 − h of the draws (`--rand-pareto-h`).
    pub pareto_h: f64,
    /// Zipfian: the exponent (`--rand-zipfian-exp`).
    pub zipfian_exponent: f64,
}

impl Default for DistributionOptions {
    /// What sysbench 1.0.20 does when it is told nothing.
    fn default() -> Self {
        Self {
            shape: Shape::Special,
            iterations: 12,
            special_percent: 1,
            special_share_percent: 75,
            pareto_h: 0.2,
            zipfian_exponent: 0.8,
        }
    }
}

impl DistributionOptions {
    /// Says whether the parameters make sense, all of them, whatever the shape.
    ///
    /// # Errors
    /// A sentence that begins with the option at fault.
    pub fn validate(&self) -> Result<(), String> {
        let Self { iterations, special_percent, special_share_percent, .. } = *self;
        if !(1..=1000).contains(&iterations) {
            return Err(format!("--rand-spec-iter {iterations}: give a number from 1 to 1000"));
        }
        for (option, percent) in
            [("--rand-spec-pct", special_percent), ("--rand-spec-res", special_share_percent)]
        {
            if percent > 100 {
                return Err(format!("{option} {percent}: give a percentage from 0 to 100"));
            }
        }
        if !(self.pareto_h > 0.0 && self.pareto_h < 1.0) {
            let h = self.pareto_h;
            return Err(format!("--rand-pareto-h {h}: give a number between 0 and 1"));
        }
        if !(self.zipfian_exponent >= 0.0 && self.zipfian_exponent <= 100.0) {
            let exponent = self.zipfian_exponent;
            return Err(format!("--rand-zipfian-exp {exponent}: give a number from 0 to 100"));
        }
        Ok(())
    }
}

/// A distribution over the numbers 1 to n, ready to draw from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distribution {
    count: u32,
    law: Law,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    Uniform,
    Gaussian { iterations: u32 },
    Special(Special),
    Pareto { power: f64 },
    Zipfian(Zipfian),
}

impl Distribution {
    /// The distribution over the numbers 1 to `count`; a count of 0 is taken for 1.
    ///
    /// # Errors
    /// A sentence that begins with the option at fault.
    pub fn new(options: &DistributionOptions, count: u32) -> Result<Self, String> {
        options.validate()?;
        let count = count.max(1);
        let law = match options.shape {
            Shape::Uniform => Law::Uniform,
            Shape::Gaussian => Law::Gaussian { iterations: options.iterations },
            Shape::Special => Law::Special(Special::new(options, count)),
            Shape::Pareto => {
                Law::Pareto { power: options.pareto_h.ln() / (1.0 - options.pareto_h).ln() }
            }
            Shape::Zipfian => Law::Zipfian(Zipfian::new(options.zipfian_exponent, count)),
        };
        Ok(Self { count, law })
    }

    /// A number from 1 to n.
    pub fn draw(&self, rng: &mut impl Rng) -> u32 {
        let count = f64::from(self.count);
        let offset = match &self.law {
            Law::Uniform => rng.random::<f64>() * count,
            Law::Gaussian { iterations } => mean_of_uniform(rng, *iterations) * count,
            Law::Special(special) => special.offset(rng),
            Law::Pareto { power } => rng.random::<f64>().powf(*power) * count,
            Law::Zipfian(zipfian) => f64::from(zipfian.rank(rng) - 1),
        };
        // Rounding may carry a product with a number just below 1 up to the count itself.
        1 + (offset as u32).min(self.count - 1)
    }
}

/// The mean of some uniform numbers from 0 to 1: the Bates distribution, near a normal one.
fn mean_of_uniform(rng: &mut impl Rng, iterations: u32) -> f64 {
    let sum: f64 = (0..iterations).map(|_| rng.random::<f64>()).sum();
    sum / f64::from(iterations)
}
