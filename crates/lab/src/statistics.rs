//! What a series says about its mean, and from when on ([`warmup`]).

pub mod warmup;

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The mean of a stationary series and how well it is known.
///
/// The seconds of a run are not independent: a checkpoint or a full buffer pool is felt for many
/// of them, so dividing by the square root of their number would promise too much. The standard
/// error is therefore corrected by the autocorrelation time τ of the series, found with Geyer's
/// initial monotone positive sequence (C. J. Geyer, "Practical Markov Chain Monte Carlo",
/// Statistical Science 7, 1992, section 3.3): sums of neighbouring autocovariances are added up
/// while they are positive, none counted larger than the one before.
///
/// In seeded AR(1) series the 95% interval holds the true mean in 95 of 100 cases once the series
/// is worth about a hundred independent values, and in 90 of 100 for a minute of seconds whose
/// neighbours correlate by 0.8 (the table in this module's test): measure longer rather than trust
/// a short one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// Number of values.
    pub n: usize,
    /// Arithmetic mean, in the unit of the values.
    pub value: f64,
    /// Standard error of the mean, corrected for autocorrelation, in the unit of the values.
    pub std_err: f64,
    /// The number of independent values that would say as much: n / τ, never more than `n`.
    pub effective_n: f64,
}

impl Mean {
    /// The mean of `series`, in the order in which it was measured; none when it is empty or holds
    /// a value that is not finite.
    pub fn of(series: &[f64]) -> Option<Self> {
        let n = series.len();
        if n == 0 || series.iter().any(|value| !value.is_finite()) {
            return None;
        }
        if series.iter().all(|value| *value == series[0]) {
            return Some(Self { n, value: series[0], std_err: 0.0, effective_n: n as f64 });
        }
        let value = series.iter().sum::<f64>() / n as f64;
        let deviations: Vec<f64> = series.iter().map(|x| x - value).collect();
        let variance = autocovariance(&deviations, 0);
        let pairs = initial_sequence(&deviations);
        // Taken about the series' own mean, every autocovariance is short by that mean's variance.
        // A first τ says by how much, a second one is made with it added.
        let first = autocorrelation_time(&pairs, variance, 0.0);
        let share = (first / n as f64).min(0.5);
        let missing = variance * share / (1.0 - share);
        let tau = match first > 1.0 {
            true => autocorrelation_time(&pairs, variance, missing),
            false => first,
        };
        let effective_n = n as f64 / tau;
        let std_err = ((variance + missing) / effective_n).sqrt();
        Some(Self { n, value, std_err, effective_n })
    }

    /// The mean of values that have nothing to do with each other, as those of separate runs; none
    /// when there is none or one that is not finite.
    pub fn of_independent(values: &[f64]) -> Option<Self> {
        let n = values.len();
        if n == 0 || !values.iter().all(|value| value.is_finite()) {
            return None;
        }
        let value = values.iter().sum::<f64>() / n as f64;
        let squares = values.iter().map(|other| (other - value).powi(2)).sum::<f64>();
        let variance = if n > 1 { squares / (n - 1) as f64 } else { 0.0 };
        let std_err = (variance / n as f64).sqrt();
        Some(Self { n, value, std_err, effective_n: n as f64 })
    }

    /// The 95% confidence interval by Student's t with `effective_n - 1` degrees of freedom; none
    /// when the series is worth fewer than two independent values.
    pub fn ci95(&self) -> Option<(f64, f64)> {
        if self.n < 2 || self.effective_n < 2.0 {
            return None;
        }
        let student = StudentsT::new(0.0, 1.0, self.effective_n - 1.0).ok()?;
        let half_width = student.inverse_cdf(0.975) * self.std_err;
        Some((self.value - half_width, self.value + half_width))
    }
}

/// Autocovariance at `lag`, the biased estimate (divided by n), which keeps the sum positive.
fn autocovariance(deviations: &[f64], lag: usize) -> f64 {
    let products = deviations.iter().zip(&deviations[lag..]).map(|(a, b)| a * b);
    products.sum::<f64>() / deviations.len() as f64
}

/// The sums of autocovariances at lags 0 and 1, 2 and 3, and so on, up to the last positive one.
fn initial_sequence(deviations: &[f64]) -> Vec<f64> {
    (0..deviations.len() / 2)
        .map(|pair| autocovariance(deviations, 2 * pair) + autocovariance(deviations, 2 * pair + 1))
        .take_while(|sum| *sum > 0.0)
        .collect()
}

/// τ = 1 + 2 Σ ρ(lag), in values; at least 1. `missing` is added to every autocovariance.
fn autocorrelation_time(pairs: &[f64], variance: f64, missing: f64) -> f64 {
    let mut least = f64::INFINITY;
    let mut sum = 0.0;
    for pair in pairs {
        least = least.min(pair + 2.0 * missing);
        sum += least;
    }
    // The pairs count lag 0 once; τ counts every lag twice but lag 0.
    (2.0 * sum / (variance + missing) - 1.0).max(1.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::noise::ar1;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;
    use std::fmt::Write as _;

    /// A stationary AR(1) series of mean 10.
    fn about_ten(n: usize, rho: f64, random: &mut Pcg64) -> Vec<f64> {
        ar1(n, rho, random).iter().map(|value| 10.0 + value).collect()
    }

    /// The share of `series` seeded series whose interval holds the true mean, and the mean of
    /// their effective sizes.
    fn coverage(n: usize, rho: f64, series: u32) -> (f64, f64) {
        let mut random = Pcg64::seed_from_u64(n as u64);
        let (mut covered, mut effective) = (0, 0.0);
        for _ in 0..series {
            let mean = Mean::of(&about_ten(n, rho, &mut random)).unwrap();
            effective += mean.effective_n / f64::from(series);
            let inside = mean.ci95().is_some_and(|(low, high)| low <= 10.0 && 10.0 <= high);
            covered += u32::from(inside);
        }
        (f64::from(covered) / f64::from(series), effective)
    }

    #[test]
    fn separate_runs_have_the_textbook_interval() {
        let mean = Mean::of_independent(&[9.0, 10.0, 11.0]).unwrap();
        assert_eq!((mean.n, mean.value, mean.effective_n), (3, 10.0, 3.0));
        // t(0.975, 2) = 4.3027, standard error 1/√3.
        let (low, high) = mean.ci95().unwrap();
        assert!((low - 7.5159).abs() < 1e-4 && (high - 12.4841).abs() < 1e-4, "{low} {high}");
        assert_eq!(Mean::of_independent(&[7.0]).unwrap().ci95(), None);
        assert_eq!(Mean::of_independent(&[1.0, f64::NAN]), None);
        assert_eq!(Mean::of_independent(&[]), None);
    }

    #[test]
    fn the_interval_covers_the_true_mean_in_about_95_of_100_series() {
        let mut table = String::from("    n   rho  covered  effective n (true)\n");
        let cases = [
            (60, 0.0, 2000),
            (60, 0.5, 2000),
            (60, 0.8, 2000),
            (300, 0.0, 2000),
            (300, 0.5, 2000),
            (300, 0.9, 1000),
            (1800, 0.9, 200),
        ];
        for (n, rho, series) in cases {
            let (covered, effective) = coverage(n, rho, series);
            let truth = n as f64 * (1.0 - rho) / (1.0 + rho);
            let floor = if truth < 20.0 { 0.88 } else { 0.92 };
            assert!((floor..0.98).contains(&covered), "n {n}, rho {rho}: covered {covered}");
            writeln!(table, "{n:5}  {rho:4.1}  {covered:7.3}  {effective:8.1} ({truth:.1})")
                .unwrap();
        }
        insta::assert_snapshot!(table);
    }

    #[test]
    fn a_constant_series_is_known_exactly() {
        let mean = Mean::of(&[0.1; 60]).unwrap();
        assert_eq!((mean.std_err, mean.effective_n), (0.0, 60.0));
        let (low, high) = mean.ci95().unwrap();
        assert!((low - 0.1).abs() < 1e-12 && (high - 0.1).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_said_of_an_empty_or_broken_series() {
        assert_eq!(Mean::of(&[]), None);
        assert_eq!(Mean::of(&[1.0, f64::NAN]), None);
        assert_eq!(Mean::of(&[7.0]).unwrap().ci95(), None);
    }

    #[test]
    fn a_plain_trend_has_no_interval() {
        let trend: Vec<f64> = (0..60).map(f64::from).collect();
        let mean = Mean::of(&trend).unwrap();
        assert!(mean.effective_n < 4.0, "effective n {}", mean.effective_n);
    }

    #[test]
    fn an_alternating_series_is_worth_no_more_than_its_length() {
        let series: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert_eq!(Mean::of(&series).unwrap().effective_n, 100.0);
    }

    #[test]
    fn four_known_values_have_the_textbook_interval() {
        // Mean 2.5, sample deviation 1.290994; neighbours are anticorrelated, so τ is 1.
        let mean = Mean::of(&[1.0, 3.0, 2.0, 4.0]).unwrap();
        assert_eq!(mean.effective_n, 4.0);
        assert!((mean.std_err - 1.290_994_448 / 2.0).abs() < 1e-8);
        let (low, high) = mean.ci95().unwrap();
        // Student's t, 3 degrees of freedom: 3.182446.
        assert!((high - low - 2.0 * 3.182_446_305 * mean.std_err).abs() < 1e-6);
    }
}
