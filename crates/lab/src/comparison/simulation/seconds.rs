//! One run a side, or one pair: what the seconds promise.

use super::noises::{Noise, duet, metric};
use crate::{
    comparison::{
        Design, Measured, Method, Options, Sample, Verdict, compare, seconds::relative_error,
    },
    noise::ar1,
};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::fmt::Write as _;

const CASES: u32 = 4_000;

/// A run of so many seconds that vary by 5% and whose neighbours correlate by `rho`.
fn run(seconds: usize, rho: f64, random: &mut Pcg64) -> Sample {
    let series: Vec<f64> =
        ar1(seconds, rho, random).iter().map(|noise| 1000.0 * (1.0 + 0.05 * noise)).collect();
    let value = series.iter().sum::<f64>() / seconds as f64;
    let error = relative_error(&series);
    Sample {
        value,
        std_err: error.map(|(squared, _)| squared.sqrt() * value),
        effective_n: error.map_or(0.0, |(_, freedom)| freedom + 1.0),
        ..Sample::default()
    }
}

/// Percent of false alarms, and of cases in which the runs were too short to say anything.
fn rates(seconds: usize, rho: f64) -> (f64, f64) {
    let mut random = Pcg64::seed_from_u64(20_261_122);
    let (mut alarms, mut silent) = (0, 0);
    for _ in 0..CASES {
        let measured = Measured {
            metric: metric("TPS"),
            baseline: vec![run(seconds, rho, &mut random)],
            variant: vec![run(seconds, rho, &mut random)],
            pairs: Vec::new(),
        };
        let comparison = compare(("A", "A"), &[measured], Design::Independent, &Options::default());
        match comparison.effects[0].verdict {
            Verdict::NoDifferenceShown => {}
            Verdict::TooFew => silent += 1,
            _ => alarms += 1,
        }
    }
    let percent = |count: u32| 100.0 * f64::from(count) / f64::from(CASES);
    (percent(alarms), percent(silent))
}

#[test]
fn two_runs_of_one_steady_thing_seldom_seem_to_differ() {
    let mut table = String::from("seconds   rho  false alarms %  too short %\n");
    for seconds in [60, 120, 300] {
        for rho in [0.0, 0.5, 0.8, 0.9] {
            let (alarms, silent) = rates(seconds, rho);
            assert!(alarms <= 5.0, "{seconds} s, rho {rho}: {alarms}%");
            writeln!(table, "{seconds:7}  {rho:4.1}  {alarms:14.1}  {silent:11.1}").unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn one_pair_in_both_places_is_judged_by_its_seconds_and_told_to_be() {
    let mut random = Pcg64::seed_from_u64(5);
    let measured = duet(2, false, 1.5, Noise::Normal, &mut random);
    let comparison = compare(("A", "B"), &[measured], Design::Duet, &Options::default());
    let effect = &comparison.effects[0];
    assert_eq!((effect.method, effect.verdict), (Some(Method::Seconds), Verdict::Better));
    assert!((44.0..56.0).contains(&effect.difference_percent), "{}", effect.sentence);
    assert!(comparison.caveats[0].contains("Too few pairs"), "{:?}", comparison.caveats);
}
