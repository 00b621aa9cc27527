//! Made-up runs.

use crate::{
    comparison::{Better, Measured, Metric, PairRatio, Place, Sample},
    noise::{ar1, heavy, normal, skewed},
};
use rand::RngExt;
use rand_pcg::Pcg64;

/// How the means of runs vary, each with a standard deviation of 2% between runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Noise {
    Normal,
    /// Skewed to the slow side of latency, or the fast side of throughput.
    Lognormal,
    /// Student's t with three degrees of freedom.
    Heavy,
    /// Means of 20 seconds whose neighbours correlate by 0.9.
    Seconds,
}

pub(super) const NOISES: [Noise; 4] =
    [Noise::Normal, Noise::Lognormal, Noise::Heavy, Noise::Seconds];

const DEVIATION: f64 = 0.02;

impl Noise {
    /// The relative deviation of one run.
    pub(super) fn draw(self, random: &mut Pcg64) -> f64 {
        let unit = match self {
            Self::Normal => normal(random),
            Self::Lognormal => skewed(random),
            Self::Heavy => heavy(random),
            Self::Seconds => ar1(20, 0.9, random).iter().sum::<f64>() / 20.0,
        };
        // Nothing is slower than a server that stands still.
        (DEVIATION * unit).max(-0.9)
    }
}

pub(super) fn metric(name: &str) -> Metric {
    let unit = "1/s".to_owned();
    Metric { name: name.to_owned(), unit, better: Better::Higher, judged: true }
}

fn sample(value: f64, block: Option<u32>, order: u32) -> Sample {
    Sample { value, block, order, ..Sample::default() }
}

fn made(baseline: Vec<Sample>, variant: Vec<Sample>) -> Measured {
    Measured { metric: metric("TPS"), baseline, variant, pairs: Vec::new() }
}

/// `from` runs against `to`, the variant faster by the factor `ratio`.
pub(super) fn independent(
    (from, to): (u32, u32),
    ratio: f64,
    noise: Noise,
    random: &mut Pcg64,
) -> Measured {
    let mut runs = |n: u32, mean: f64| -> Vec<Sample> {
        (0..n).map(|order| sample(mean * (1.0 + noise.draw(random)), None, order)).collect()
    };
    let baseline = runs(from, 1000.0);
    made(baseline, runs(to, 1000.0 * ratio))
}

/// Blocks ABBA and BAAB in turn, while the machine becomes slower by a tenth, more and more slowly,
/// and swings by 1% from some moment.
pub(super) fn blocks(blocks: u32, ratio: f64, noise: Noise, random: &mut Pcg64) -> Measured {
    let (mut baseline, mut variant) = (Vec::new(), Vec::new());
    let length = f64::from(4 * blocks);
    let phase: f64 = random.random();
    for order in 0..4 * blocks {
        let (block, place) = (order / 4, order % 4);
        let inside = place == 1 || place == 2;
        let at = f64::from(order) / length;
        let swing = 0.01 * (std::f64::consts::TAU * (at + phase)).sin();
        let drift = 1.0 - 0.1 * (2.0 * at - at * at) + swing;
        let value = 1000.0 * drift * (1.0 + noise.draw(random));
        match inside == (block % 2 == 0) {
            true => variant.push(sample(value * ratio, Some(block), order)),
            false => baseline.push(sample(value, Some(block), order)),
        }
    }
    made(baseline, variant)
}

/// Pairs of half a minute, changing places from pair to pair or within each: what both feel swings
/// by a tenth and more, one place is better by 8%, and each has 2% of its own between runs and 3%
/// between seconds.
pub(super) fn duet(
    pairs: u32,
    in_turn: bool,
    ratio: f64,
    noise: Noise,
    random: &mut Pcg64,
) -> Measured {
    const SECONDS: usize = 30;
    let mut ratios = Vec::new();
    for pair in 0..pairs {
        let (place, (of_from, of_to)) = match pair % 2 {
            _ if in_turn => (Place::InTurn, (1.04, 1.04)),
            0 => (Place::Straight, (1.08, 1.0)),
            _ => (Place::Swapped, (1.0, 1.08)),
        };
        let shared = ar1(SECONDS, 0.8, random);
        let mut side = |mean: f64| -> Vec<f64> {
            let of_run = 1.0 + noise.draw(random);
            let own = ar1(SECONDS, 0.3, random);
            let felt = shared.iter().zip(&own);
            felt.map(|(both, own)| mean * of_run * (0.1 * both + 0.03 * own).exp()).collect()
        };
        let baseline = side(1000.0 * of_from);
        let variant = side(1000.0 * ratio * of_to);
        ratios.extend(PairRatio::of_series(&baseline, &variant, place));
    }
    let runs = || (0..pairs).map(|order| sample(1000.0, Some(order), order)).collect();
    Measured { pairs: ratios, ..made(runs(), runs()) }
}
