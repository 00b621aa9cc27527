//! The logarithm of a ratio, how well it is known, and what follows from that.
//!
//! Everything is computed on logarithms: noise of machines multiplies, a ratio of geometric means
//! has a symmetric interval there, and `exp` of that interval is one in percent.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The least standard deviation between runs that is believed, as a share of the value. Latencies
/// are stored with three significant digits; a thousandth's rounding alone varies by so much, and
/// two runs that happen to be rounded to one value are no proof of perfect repeatability.
const LEAST_DEVIATION: f64 = 1e-3 * 0.288_675_134_594_812_9;
/// A difference is shown where chance would bring one as large in fewer cases than this.
pub const ALPHA: f64 = 0.05;
/// The share of cases in which a difference should be found where there is one.
pub const POWER: f64 = 0.8;

/// An estimate of the logarithm of variant over baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Natural logarithm of the ratio.
    pub log_ratio: f64,
    /// Its standard error.
    pub std_err: f64,
    /// Degrees of freedom of Student's t.
    pub freedom: f64,
}

impl Estimate {
    /// The sum of independent errors, `(squared standard error, degrees of freedom)` each.
    pub fn of_errors(log_ratio: f64, errors: &[(f64, f64)]) -> Self {
        let std_err = errors.iter().map(|(squared, _)| squared).sum::<f64>().sqrt();
        Self { log_ratio, std_err, freedom: freedom(errors) }
    }

    /// One run beside several of the other side, whose spread stands for both; none with fewer than
    /// two of them.
    pub fn one_against(one: f64, others: &[f64]) -> Option<Self> {
        let moments = Moments::of(others)?;
        let std_err = (moments.variance * (1.0 + 1.0 / moments.n)).sqrt();
        Some(Self { log_ratio: one - moments.mean, std_err, freedom: moments.n - 1.0 })
    }

    /// The mean of one log ratio and of several that are off by as much in the opposite direction,
    /// whose spread stands for both; none with fewer than two of them.
    pub fn lopsided(one: f64, others: &[f64]) -> Option<Self> {
        let moments = Moments::of(others)?;
        let std_err = (moments.variance * (1.0 + 1.0 / moments.n)).sqrt() / 2.0;
        Some(Self { log_ratio: (one + moments.mean) / 2.0, std_err, freedom: moments.n - 1.0 })
    }

    /// Student's test with one variance for both sides; none with fewer than three values in all.
    pub fn pooled(before: &[f64], after: &[f64]) -> Option<Self> {
        if before.is_empty() || after.is_empty() || before.len() + after.len() < 3 {
            return None;
        }
        let sums = |values: &[f64]| {
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            (n, mean, values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>())
        };
        let ((n, mean, squares), (m, other_mean, other_squares)) = (sums(before), sums(after));
        let freedom = n + m - 2.0;
        let variance = ((squares + other_squares) / freedom).max(LEAST_DEVIATION * LEAST_DEVIATION);
        let std_err = (variance * (1.0 / n + 1.0 / m)).sqrt();
        Some(Self { log_ratio: other_mean - mean, std_err, freedom })
    }

    /// How likely a ratio as far from one is where there is no difference, two-sided.
    pub fn p_value(&self) -> f64 {
        if self.std_err == 0.0 {
            return if self.log_ratio == 0.0 { 1.0 } else { 0.0 };
        }
        let t = (self.log_ratio / self.std_err).abs();
        student(self.freedom).map_or(1.0, |student| 2.0 * student.sf(t))
    }

    /// The 95% confidence interval of the ratio less one, percent.
    pub fn ci95_percent(&self) -> (f64, f64) {
        let half_width = quantile(1.0 - ALPHA / 2.0, self.freedom) * self.std_err;
        (percent(self.log_ratio - half_width), percent(self.log_ratio + half_width))
    }

    /// The smallest difference that a test with this error would find in four cases of five,
    /// percent.
    pub fn smallest_detectable_percent(&self) -> f64 {
        percent(self.std_err * sensitivity(self.freedom))
    }
}

/// How many standard errors a difference must be worth to be found with the power wanted.
pub(super) fn sensitivity(freedom: f64) -> f64 {
    quantile(1.0 - ALPHA / 2.0, freedom) + quantile(POWER, freedom)
}

/// A logarithm of a ratio as a difference in percent.
pub fn percent(log_ratio: f64) -> f64 {
    log_ratio.exp_m1() * 100.0
}

/// Quantile of Student's t.
pub(super) fn quantile(probability: f64, freedom: f64) -> f64 {
    student(freedom).map_or(f64::INFINITY, |student| student.inverse_cdf(probability))
}

fn student(freedom: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom).ok()
}

/// Welch and Satterthwaite's degrees of freedom of a sum of errors.
pub(super) fn freedom(errors: &[(f64, f64)]) -> f64 {
    let sum: f64 = errors.iter().map(|(squared, _)| squared).sum();
    let parts: f64 = errors.iter().map(|(squared, freedom)| squared * squared / freedom).sum();
    if parts > 0.0 { sum * sum / parts } else { errors.iter().map(|(_, freedom)| freedom).sum() }
}

/// Number, mean and variance of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moments {
    pub(super) n: f64,
    pub(super) mean: f64,
    pub(super) variance: f64,
}

impl Moments {
    /// None with fewer than two values.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        let (n, mean, variance) = plain(values);
        Some(Self { n, mean, variance: variance.max(LEAST_DEVIATION * LEAST_DEVIATION) })
    }
}

/// Number, mean and sample variance as they are.
pub(super) fn plain(values: &[f64]) -> (f64, f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (n, mean, squares / (n - 1.0))
}
