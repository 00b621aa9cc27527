//! Kolmogorov–Smirnov: what is drawn against the distribution functions of the definitions.

use super::*;
use crate::tpcc::random::stream;
use proptest::prelude::*;

const DRAWS: u32 = 40_000;

/// The greatest distance between the distribution function of what was drawn over 1 to `count`
/// and `exact`, which gives the probability of a number up to its argument.
fn distance(options: &DistributionOptions, count: u32, exact: impl Fn(u32) -> f64) -> f64 {
    let distribution = Distribution::new(options, count).expect("good parameters");
    let mut rng = stream(23, &[u64::from(count)]);
    let mut seen = vec![0u32; count as usize + 1];
    for _ in 0..DRAWS {
        seen[distribution.draw(&mut rng) as usize] += 1;
    }
    let mut up_to = 0;
    let gap = |number: u32| {
        up_to += seen[number as usize];
        (f64::from(up_to) / f64::from(DRAWS) - exact(number)).abs()
    };
    (1..=count).map(gap).fold(0.0, f64::max)
}

/// Kolmogorov's bound that one sample in a thousand exceeds; over discrete numbers fewer do.
fn bound() -> f64 {
    1.95 / f64::from(DRAWS).sqrt()
}

fn assert_follows(options: &DistributionOptions, count: u32, exact: impl Fn(u32) -> f64) {
    let gap = distance(options, count, exact);
    assert!(gap < bound(), "{gap} over {count}: {options:?}");
}

fn of(shape: Shape) -> DistributionOptions {
    DistributionOptions { shape, ..DistributionOptions::default() }
}

/// The distribution function of a sum of `terms` uniform numbers (Irwin and Hall).
fn irwin_hall(terms: u32, x: f64) -> f64 {
    let n = f64::from(terms);
    if x <= 0.0 || x >= n {
        return f64::from(u8::from(x > 0.0));
    }
    // The sum's terms alternate and grow with x; by symmetry the lower half is enough.
    if x > n / 2.0 {
        return 1.0 - irwin_hall(terms, n - x);
    }
    let (mut sum, mut binomial) = (0.0, 1.0);
    for k in 0..=(x.floor() as u32) {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * binomial * (x - f64::from(k)).powi(terms as i32);
        binomial *= (n - f64::from(k)) / (f64::from(k) + 1.0);
    }
    sum / (1..=terms).map(f64::from).product::<f64>()
}

/// Special by its definition: the mixture of its two parts.
fn special(options: DistributionOptions, count: u32) -> impl Fn(u32) -> f64 {
    let last = f64::from(count - 1);
    let share = f64::from(options.special_share_percent) / 100.0;
    let percent = f64::from(options.special_percent) / 100.0;
    let terms = options.iterations;
    move |number| {
        let number = f64::from(number);
        let gaussian = irwin_hall(terms, f64::from(terms) * number / last);
        // The uniform number that placed the number is known to be beyond the Gaussian share.
        let placed = (number - (last / 2.0 - last * percent / 2.0)) / (last * percent + 1.0);
        let beyond = ((placed - (1.0 - share)) / share).clamp(0.0, 1.0);
        (1.0 - share) * gaussian + share * beyond
    }
}

#[test]
fn irwin_hall_is_right_where_it_can_be_said_by_hand() {
    assert!((irwin_hall(1, 0.3) - 0.3).abs() < 1e-12);
    assert!((irwin_hall(2, 1.5) - 0.875).abs() < 1e-12);
    assert!((irwin_hall(12, 6.0) - 0.5).abs() < 1e-9);
    assert_eq!((irwin_hall(3, -1.0), irwin_hall(3, 3.0)), (0.0, 1.0));
}

#[test]
fn uniform_numbers_are_all_alike() {
    for count in [1, 2, 100, 10_007] {
        assert_follows(&of(Shape::Uniform), count, |number| f64::from(number) / f64::from(count));
    }
}

#[test]
fn gaussian_numbers_are_means_of_uniform_ones() {
    for (iterations, count) in [(12, 10_000), (12, 3), (1, 50), (4, 999)] {
        let options = DistributionOptions { iterations, ..of(Shape::Gaussian) };
        let terms = f64::from(iterations);
        let sum = |number| terms * f64::from(number) / f64::from(count);
        assert_follows(&options, count, |number| irwin_hall(iterations, sum(number)));
    }
}

#[test]
fn special_numbers_are_the_mixture_that_sysbench_draws() {
    for (special_percent, special_share_percent, count) in
        [(1, 75, 10_000), (1, 75, 101), (10, 50, 5_000), (100, 100, 1_000), (5, 1, 2_000)]
    {
        let usual = of(Shape::Special);
        let options = DistributionOptions { special_percent, special_share_percent, ..usual };
        assert_follows(&options, count, special(options, count));
    }
}

#[test]
fn a_special_share_of_nothing_leaves_a_gaussian_without_the_last_number() {
    let options = DistributionOptions { special_share_percent: 0, ..of(Shape::Special) };
    assert_follows(&options, 1_001, |number| irwin_hall(12, 12.0 * f64::from(number) / 1_000.0));
}

#[test]
fn pareto_gives_the_share_h_of_the_numbers_the_rest_of_the_draws() {
    for (pareto_h, count) in [(0.2, 10_000), (0.5, 777), (0.9, 100), (0.05, 1_000)] {
        let options = DistributionOptions { pareto_h, ..of(Shape::Pareto) };
        let root = (1.0 - pareto_h).ln() / pareto_h.ln();
        let exact = |number| (f64::from(number) / f64::from(count)).powf(root);
        assert_follows(&options, count, exact);
        assert!((exact((f64::from(count) * pareto_h) as u32) - (1.0 - pareto_h)).abs() < 0.01);
    }
}

#[test]
fn zipfian_numbers_follow_the_law_for_every_exponent() {
    for (zipfian_exponent, count) in
        [(0.8, 10_000), (0.0, 500), (1.0, 1_000), (1.00000001, 50), (2.5, 100), (0.5, 1)]
    {
        let options = DistributionOptions { zipfian_exponent, ..of(Shape::Zipfian) };
        let mut sums = vec![0.0f64];
        for rank in 1..=count {
            sums.push(sums[rank as usize - 1] + f64::from(rank).powf(-zipfian_exponent));
        }
        assert_follows(&options, count, |number| sums[number as usize] / sums[count as usize]);
    }
}

#[test]
fn the_test_tells_distributions_apart() {
    let gaussian = |number| irwin_hall(12, 12.0 * f64::from(number) / 1_000.0);
    assert!(distance(&of(Shape::Special), 1_000, gaussian) > 5.0 * bound());
    let whole_hundredth = |options: DistributionOptions, count: u32| {
        let right = special(options, count);
        move |number: u32| right(number.min(count / 2))
    };
    let options = of(Shape::Special);
    assert!(distance(&options, 1_000, whole_hundredth(options, 1_000)) > bound());
    let near = DistributionOptions { zipfian_exponent: 0.85, ..of(Shape::Zipfian) };
    let sum = |up_to: u32| (1..=up_to).map(|rank| f64::from(rank).powf(-0.8)).sum::<f64>();
    let whole = sum(1_000);
    assert!(distance(&near, 1_000, |number| sum(number) / whole) > bound());
}

#[test]
fn errors_name_the_option() {
    let usual = DistributionOptions::default;
    for (options, option) in [
        (DistributionOptions { iterations: 0, ..usual() }, "--rand-spec-iter 0"),
        (DistributionOptions { special_percent: 101, ..usual() }, "--rand-spec-pct 101"),
        (DistributionOptions { special_share_percent: 101, ..usual() }, "--rand-spec-res 101"),
        (DistributionOptions { pareto_h: 0.0, ..usual() }, "--rand-pareto-h 0"),
        (DistributionOptions { pareto_h: 1.0, ..usual() }, "--rand-pareto-h 1"),
        (DistributionOptions { pareto_h: f64::NAN, ..usual() }, "--rand-pareto-h NaN"),
        (DistributionOptions { zipfian_exponent: -0.1, ..usual() }, "--rand-zipfian-exp -0.1"),
        (DistributionOptions { zipfian_exponent: f64::NAN, ..usual() }, "--rand-zipfian-exp NaN"),
    ] {
        let error = Distribution::new(&options, 10).expect_err("this must be refused");
        assert!(error.starts_with(option), "{error}");
    }
    assert!("normal".parse::<Shape>().expect_err("unknown").contains("gaussian, special"));
}

proptest! {
    #[test]
    fn a_number_is_from_1_to_n(
        seed: u64,
        count in 1u32..,
        shape in 0usize..5,
        percents in (0u32..=100, 0u32..=100),
        pareto_h in 0.001f64..0.999,
        zipfian_exponent in 0.0f64..10.0,
    ) {
        let options = DistributionOptions {
            special_percent: percents.0,
            special_share_percent: percents.1,
            pareto_h,
            zipfian_exponent,
            ..of(Shape::NAMES[shape].1)
        };
        let distribution = Distribution::new(&options, count).expect("good parameters");
        let mut rng = stream(seed, &[]);
        for _ in 0..20 {
            let number = distribution.draw(&mut rng);
            prop_assert!((1..=count).contains(&number), "{number}");
        }
    }
}
