#![allow(clippy::unwrap_used)]
use super::*;
use crate::{
    noise::{ar1, normal},
    record::example,
};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::fmt::Write as _;

/// Throughput that comes up to 1000 with this time constant, with noise.
fn rising(seconds: usize, constant_s: f64, random: &mut Pcg64) -> Vec<f64> {
    (0..seconds)
        .map(|second| {
            let missing =
                if constant_s > 0.0 { (-(second as f64) / constant_s).exp() } else { 0.0 };
            1000.0 * (1.0 - missing) * (1.0 + 0.03 * normal(random))
        })
        .collect()
}

#[test]
fn noise_alone_is_steady_from_the_start_in_95_of_100_series() {
    let mut table = String::from("    n   rho  from the start\n");
    for (seconds, rho) in [(60, 0.0), (60, 0.5), (120, 0.8), (300, 0.0), (300, 0.8), (900, 0.9)] {
        let mut random = Pcg64::seed_from_u64(7);
        let cases = 500;
        let at_once = (0..cases)
            .filter(|_| {
                let series: Vec<f64> = ar1(seconds, rho, &mut random)
                    .iter()
                    .map(|value| 1000.0 * (1.0 + 0.05 * value))
                    .collect();
                steadiness(&series) == Steadiness::From(0)
            })
            .count();
        let share = at_once as f64 / f64::from(cases);
        assert!(share >= 0.95, "n {seconds}, rho {rho}: {share}");
        writeln!(table, "{seconds:5}  {rho:4.1}  {share:14.3}").unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn the_end_of_a_warm_up_is_found_within_some_seconds() {
    let mut table = String::from("constant s  found from s (least, median, nine of ten)\n");
    for constant_s in [5.0, 10.0, 20.0] {
        let mut random = Pcg64::seed_from_u64(11);
        let mut found: Vec<usize> = (0..200)
            .filter_map(|_| match steadiness(&rising(300, constant_s, &mut random)) {
                Steadiness::From(index) => Some(index),
                Steadiness::Never => None,
                Steadiness::TooShort => panic!("five minutes are enough"),
            })
            .collect();
        found.sort_unstable();
        assert!(found.len() >= 196, "{constant_s}: found in {} of 200", found.len());
        // After two time constants an eighth is missing, after six a four-hundredth.
        let (soon, late) = (2.0 * constant_s, 6.0 * constant_s + 5.0);
        assert!(found[0] as f64 >= soon, "{constant_s}: {found:?}");
        assert!(found[180] as f64 <= late, "{constant_s}: {found:?}");
        writeln!(table, "{constant_s:10}  {} {} {}", found[0], found[100], found[180]).unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_constant_series_is_steady_from_the_start() {
    assert_eq!(steadiness(&[250.0; 60]), Steadiness::From(0));
    assert_eq!(steadiness(&[0.0; 60]), Steadiness::From(0));
}

#[test]
fn a_series_that_rises_to_its_end_is_never_steady() {
    let mut random = Pcg64::seed_from_u64(3);
    let trend: Vec<f64> = (0..120)
        .map(|second| 500.0 + 5.0 * f64::from(second) + 10.0 * normal(&mut random))
        .collect();
    assert_eq!(steadiness(&trend), Steadiness::Never);
    let plain: Vec<f64> = (0..60).map(f64::from).collect();
    assert_eq!(steadiness(&plain), Steadiness::Never);
}

#[test]
fn a_step_in_the_second_half_is_no_warm_up_but_not_steady_either() {
    let series: Vec<f64> = (0..100).map(|i| if i < 70 { 100.0 } else { 60.0 }).collect();
    assert_eq!(steadiness(&series), Steadiness::Never);
}

#[test]
fn a_minute_is_needed_to_tell_and_broken_values_tell_nothing() {
    assert_eq!(steadiness(&[1.0; 19]), Steadiness::TooShort);
    let mut broken = vec![1.0; 60];
    broken[30] = f64::NAN;
    assert_eq!(steadiness(&broken), Steadiness::TooShort);
}

#[test]
fn a_run_says_how_long_its_ramp_up_should_have_been() {
    let mut record = example::record();
    record.phases[0].until_s = 10.0;
    record.phases[1].from_s = 10.0;
    record.phases[1].until_s = 120.0;
    record.intervals = (0_u32..120)
        .map(|second| {
            let mut interval = record.intervals[0].clone();
            interval.at_s = f64::from(second + 1);
            interval.transactions[0].committed = if second < 40 { 500 } else { 1000 };
            interval
        })
        .collect();
    let warm_up = WarmUp::of(&record).unwrap();
    assert_eq!(warm_up, WarmUp { steady_from_s: Some(40.0), measured_from_s: 10.0 });
    assert!(!warm_up.is_clean());
    let warning = warm_up.warning().unwrap();
    assert!(warning.contains("steady from 40 s") && warning.contains("50 s"), "{warning}");
    record.phases[1].from_s = 40.0;
    assert_eq!(WarmUp::of(&record).unwrap().warning(), None);
    record.intervals.truncate(10);
    assert_eq!(WarmUp::of(&record), None);
}
