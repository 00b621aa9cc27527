//! Noise with known properties, for simulations in tests.

use rand::RngExt;
use rand_pcg::Pcg64;

/// A standard normal value (Box and Muller).
pub(crate) fn normal(random: &mut Pcg64) -> f64 {
    let (u, v): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Student's t with three degrees of freedom, scaled to unit variance: heavy tails.
pub(crate) fn heavy(random: &mut Pcg64) -> f64 {
    let z = normal(random);
    let squares: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
    z / squares.sqrt()
}

/// A lognormal value less its mean, scaled to unit variance: skewed.
pub(crate) fn skewed(random: &mut Pcg64) -> f64 {
    (normal(random).exp() - 1.648_721) / 2.161_197
}

/// A stationary AR(1) series of mean 0 and unit variance.
pub(crate) fn ar1(n: usize, rho: f64, random: &mut Pcg64) -> Vec<f64> {
    let innovation = (1.0 - rho * rho).sqrt();
    let mut x = normal(random);
    let mut series = Vec::with_capacity(n);
    for _ in 0..n {
        series.push(x);
        x = rho * x + innovation * normal(random);
    }
    series
}
