//! When a run's throughput had become steady.

use super::Mean;
use crate::{headline::measured_phase, record::RunRecord};

/// Seconds a batch.
const BATCH: usize = 5;
/// Fewer seconds tell nothing of warm-up.
const SECONDS_MIN: usize = 20;
/// A beginning, or a half, is different when it is off by more standard errors than this. Where
/// the cut lies was chosen by looking, so that two would not do.
const ERRORS: f64 = 4.0;
/// And by more than this share of the mean: less would not move a result.
const SHARE: f64 = 0.02;

/// What a series of throughput looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steadiness {
    /// Steady from the entry of this index on.
    From(usize),
    /// Not steady in its second half either.
    Never,
    /// Too short to tell: fewer than 20 seconds.
    TooShort,
}

/// Finds where `series`, a value a second, becomes steady.
///
/// The candidate is that of MSER-5 (K. P. White, M. J. Cobb and S. C. Spratt, "A comparison of five
/// steady-state truncation heuristics for simulation", Winter Simulation Conference 2000): of all
/// cuts the one after which the mean of batches of five would be known best, or the earliest that
/// is nearly as good. MSER always likes to cut something, so a cut counts only where what it cuts
/// off really differs from the rest; a series that has to be cut in its second half, or whose rest
/// still rises or falls, was never steady.
pub fn steadiness(series: &[f64]) -> Steadiness {
    if series.len() < SECONDS_MIN || series.iter().any(|value| !value.is_finite()) {
        return Steadiness::TooShort;
    }
    // Towards its end a series is too short to be judged: three batches may be alike by chance.
    let anywhere = mser_cut(series, series.len() * 4 / 5);
    if anywhere > series.len() / 2 && differs(&series[..anywhere], &series[anywhere..], true) {
        return Steadiness::Never;
    }
    let cut = mser_cut(series, series.len() / 2);
    let cut = if differs(&series[..cut], &series[cut..], false) { cut } else { 0 };
    match leans(&series[cut..]) {
        true => Steadiness::Never,
        false => Steadiness::From(cut),
    }
}

/// The earliest cut up to `latest` whose score is nearly the best.
fn mser_cut(series: &[f64], latest: usize) -> usize {
    const NEARLY: f64 = 1.05;
    let batches: Vec<f64> =
        series.chunks_exact(BATCH).map(|batch| batch.iter().sum::<f64>() / BATCH as f64).collect();
    let score = |cut: usize| {
        let rest = &batches[cut..];
        let n = rest.len() as f64;
        let mean = rest.iter().sum::<f64>() / n;
        rest.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n * n)
    };
    let scores: Vec<f64> = (0..=latest / BATCH).map(score).collect();
    let best = scores.iter().copied().fold(f64::INFINITY, f64::min);
    scores.iter().position(|score| *score <= best * NEARLY).unwrap_or_default() * BATCH
}

/// Whether a beginning and the rest have different means, by the noise of the rest, which should
/// be steady; of a long beginning by the larger noise of the two.
fn differs(beginning: &[f64], rest: &[f64], long: bool) -> bool {
    let Some((one, other)) = Mean::of(beginning).zip(Mean::of(rest)) else { return false };
    let error = |mean: &Mean, n: usize| {
        let worth = (n as f64 * mean.effective_n / mean.n as f64).max(1.0);
        mean.std_err * mean.std_err * mean.effective_n / worth
    };
    let mut error_squared = error(&other, one.n) + error(&other, other.n);
    if long {
        error_squared = error_squared.max(error(&one, one.n) + error(&one, other.n));
    }
    let difference = (one.value - other.value).abs();
    difference > ERRORS * error_squared.sqrt() && difference > SHARE * other.value.abs()
}

/// Whether a straight line through the series is steeper than its noise explains.
fn leans(series: &[f64]) -> bool {
    let n = series.len() as f64;
    let middle = (n - 1.0) / 2.0;
    let mean = series.iter().sum::<f64>() / n;
    let places = || series.iter().enumerate().map(|(place, value)| (place as f64 - middle, value));
    let squares: f64 = places().map(|(x, _)| x * x).sum();
    let slope = places().map(|(x, value)| x * (value - mean)).sum::<f64>() / squares;
    let level: Vec<f64> = places().map(|(x, value)| value - slope * x).collect();
    let Some(noise) = Mean::of(&level) else { return false };
    // A line's rise over its whole length is known as well as the mean times the root of twelve.
    let rise = (slope * n).abs();
    rise > ERRORS * 12.0_f64.sqrt() * noise.std_err && rise > SHARE * mean.abs()
}

/// How the warm-up of a run went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmUp {
    /// When throughput had become steady, seconds from the start of the ramp-up; none where it
    /// never did.
    pub steady_from_s: Option<f64>,
    /// When the measured phase began.
    pub measured_from_s: f64,
}

impl WarmUp {
    /// What the committed transactions of all types, second for second in ramp-up and measured
    /// phase, say; none where there are too few seconds to tell.
    pub fn of(record: &RunRecord) -> Option<Self> {
        let phase = measured_phase(record)?;
        // Clocks tick late rather than early, by less than this.
        let slack_s = 0.05;
        let (starts, series): (Vec<f64>, Vec<f64>) = record
            .intervals
            .iter()
            .filter(|interval| interval.at_s <= phase.until_s + slack_s && interval.length_s > 0.5)
            .map(|interval| {
                let committed = interval.transactions.iter().map(|kind| kind.committed);
                let committed = committed.fold(0, u64::saturating_add);
                (interval.at_s - interval.length_s, committed as f64 / interval.length_s)
            })
            .unzip();
        let steady_from_s = match steadiness(&series) {
            Steadiness::From(index) => Some(starts.get(index)?.max(0.0)),
            Steadiness::Never => None,
            Steadiness::TooShort => return None,
        };
        Some(Self { steady_from_s, measured_from_s: phase.from_s })
    }

    /// Whether the measured phase is free of warm-up, but for a batch of five seconds.
    pub fn is_clean(&self) -> bool {
        let latest_s = self.measured_from_s + BATCH as f64;
        self.steady_from_s.is_some_and(|from_s| from_s <= latest_s)
    }

    /// A sentence on what is wrong with it, and how long the ramp-up should be; none where it is
    /// clean.
    pub fn warning(&self) -> Option<String> {
        match self.steady_from_s {
            None => Some(
                "Throughput was not steady in the measured phase either: a longer ramp-up and a \
                 longer run would tell where it settles."
                    .to_owned(),
            ),
            Some(from_s) if !self.is_clean() => Some(format!(
                "The measured phase holds warm-up: throughput was steady from {from_s:.0} s on, \
                 and measured from {:.0} s. A ramp-up of {} s would do.",
                self.measured_from_s,
                ramp_up_s(from_s)
            )),
            Some(_) => None,
        }
    }
}

/// A ramp-up with a quarter to spare, in whole five seconds.
fn ramp_up_s(steady_from_s: f64) -> u32 {
    // Bounded by the length of a run.
    (steady_from_s * 1.25 / 5.0).ceil() as u32 * 5
}

#[cfg(test)]
mod tests;
