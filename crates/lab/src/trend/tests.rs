use super::*;
use crate::noise::{heavy, normal, skewed};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::fmt::Write as _;

fn options() -> TrendOptions {
    TrendOptions { permutations: 199, ..TrendOptions::default() }
}

/// Throughput about these levels, each for so many runs, with 2% of noise.
fn levels(levels: &[(usize, f64)], random: &mut Pcg64) -> Vec<f64> {
    let noisy = |level: f64, random: &mut Pcg64| (level * (1.0 + 0.02 * normal(random))).ln();
    levels
        .iter()
        .flat_map(|&(runs, level)| (0..runs).map(|_| noisy(level, random)).collect::<Vec<_>>())
        .collect()
}

fn places(logs: &[f64]) -> Vec<usize> {
    changes(logs, &options()).iter().map(|change| change.index).collect()
}

#[test]
fn changes_are_found_at_the_run_that_brought_them() {
    let mut random = Pcg64::seed_from_u64(4);
    assert_eq!(places(&levels(&[(15, 100.0), (15, 80.0)], &mut random)), [15]);
    let series = levels(&[(20, 100.0), (20, 110.0), (20, 95.0)], &mut random);
    assert_eq!(places(&series), [20, 40]);
    let dip = levels(&[(60, 100.0), (12, 85.0), (60, 100.0)], &mut random);
    assert_eq!(places(&dip), [60, 72], "a dip is not lost in a long history");
}

#[test]
fn a_large_change_is_seen_after_three_runs() {
    let mut random = Pcg64::seed_from_u64(4);
    assert_eq!(places(&levels(&[(20, 100.0), (3, 80.0)], &mut random)), [20]);
}

#[test]
fn a_change_smaller_than_asked_for_is_passed_over() {
    let mut random = Pcg64::seed_from_u64(4);
    let series = levels(&[(20, 100.0), (20, 92.0), (20, 60.0)], &mut random);
    assert_eq!(places(&series), [20, 40]);
    let large = TrendOptions { change_min_percent: 20.0, ..options() };
    let found: Vec<usize> = changes(&series, &large).iter().map(|change| change.index).collect();
    assert_eq!(found, [40]);
}

#[test]
fn constant_and_short_histories_do_not_change() {
    assert!(places(&[4.6; 30]).is_empty());
    assert!(places(&[4.6, 4.6, 4.6, 4.0, 4.0]).is_empty());
    assert!(places(&[]).is_empty());
}

#[test]
fn noise_seldom_looks_like_a_change_and_a_change_seldom_like_noise() {
    type Draw = fn(&mut Pcg64) -> f64;
    let noises: [(&str, Draw); 3] = [("normal", normal), ("skewed", skewed), ("heavy", heavy)];
    let mut table = String::from("runs  noise   false alarms %  8% found %\n");
    for runs in [12, 30, 100] {
        for (name, draw) in noises {
            let mut random = Pcg64::seed_from_u64(20_261_122);
            let cases = 400;
            let (mut alarms, mut found) = (0, 0);
            for _ in 0..cases {
                let mut series: Vec<f64> =
                    (0..runs).map(|_| (0.02 * draw(&mut random)).max(-0.9).ln_1p()).collect();
                alarms += u32::from(!places(&series).is_empty());
                let half = runs / 2;
                series[half..].iter_mut().for_each(|log| *log -= 0.08);
                let near = |place: &usize| place.abs_diff(half) <= 1;
                found += u32::from(places(&series).iter().any(near));
            }
            let percent = |count: u32| 100.0 * f64::from(count) / f64::from(cases);
            let (alarms, found) = (percent(alarms), percent(found));
            assert!(alarms <= 5.0, "{runs} runs of {name} noise: {alarms}%");
            writeln!(table, "{runs:4}  {name:<6}  {alarms:14.1}  {found:10.1}").expect("a string");
        }
    }
    insta::assert_snapshot!(table);
}

fn points(values: &[f64]) -> Vec<Point> {
    let point = |(place, &value): (usize, &f64)| Point {
        run: format!("run{place}"),
        started_at: format!("2026-11-22T00:00:{place:02}Z"),
        value,
    };
    values.iter().enumerate().map(point).collect()
}

fn metric(better: Better) -> Metric {
    Metric { name: "tpmC".to_owned(), unit: "1/min".to_owned(), better, judged: true }
}

#[test]
fn the_first_run_after_a_change_is_named_and_a_recent_regression_told() {
    let mut random = Pcg64::seed_from_u64(4);
    let values: Vec<f64> =
        levels(&[(15, 100.0), (5, 80.0)], &mut random).iter().map(|log| log.exp()).collect();
    let of = |better| Trend::of(metric(better), "tpcc".into(), points(&values), &options());
    let trend = of(Better::Higher);
    assert_eq!(trend.changes.len(), 1);
    let change = &trend.changes[0];
    assert_eq!((change.run.as_str(), change.runs_before, change.runs_after), ("run15", 15, 5));
    assert!((change.change_percent + 20.0).abs() < 3.0, "{}", change.change_percent);
    assert_eq!(change.verdict, Verdict::Worse);
    assert!(trend.sentence.contains("came with run run15"), "{}", trend.sentence);
    assert!(trend.recent_regression(5).is_some() && trend.recent_regression(4).is_none());
    assert_eq!(of(Better::Lower).changes[0].verdict, Verdict::Better);
}

#[test]
fn runs_without_a_positive_value_are_left_out_and_few_said_to_be_few() {
    let trend = Trend::of(
        metric(Better::Higher),
        String::new(),
        points(&[1.0, 0.0, f64::NAN, 2.0]),
        &options(),
    );
    assert_eq!(trend.points.len(), 2);
    assert!(trend.sentence.contains("too few"), "{}", trend.sentence);
}
