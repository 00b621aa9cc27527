#![allow(clippy::unwrap_used)]
use super::{contrast::Contrast, estimate::Estimate, *};
use proptest::prelude::*;

fn metric(name: &str, better: Better) -> Metric {
    let unit = if better == Better::Higher { "1/s" } else { "ms" };
    Metric { name: name.to_owned(), unit: unit.to_owned(), better, judged: true }
}

fn samples(values: &[f64], blocks: bool) -> Vec<Sample> {
    let sample = |(order, &value): (u32, &f64)| Sample {
        run: format!("run{order}"),
        value,
        order,
        block: blocks.then_some(order),
        ..Sample::default()
    };
    (0_u32..).zip(values).map(sample).collect()
}

fn measured(name: &str, from: &[f64], to: &[f64]) -> Measured {
    let better = if name.starts_with('p') { Better::Lower } else { Better::Higher };
    Measured {
        metric: metric(name, better),
        baseline: samples(from, true),
        variant: samples(to, true),
        pairs: Vec::new(),
    }
}

fn compared(measured: &[Measured], design: Design) -> Comparison {
    compare(("A", "B"), measured, design, &Options::default())
}

const STEADY: [f64; 5] = [1000.0, 1004.0, 996.0, 1002.0, 998.0];
const NOISY: [f64; 5] = [1000.0, 1100.0, 900.0, 1050.0, 960.0];

#[test]
fn welch_has_the_textbook_error_and_degrees_of_freedom() {
    let contrast = Contrast::welch(vec![0.0, 1.0, 2.0], vec![2.0, 3.0, 4.0, 5.0]);
    let estimate = contrast.estimate().unwrap();
    assert!((estimate.log_ratio - 2.5).abs() < 1e-12);
    assert!((estimate.std_err - 0.75_f64.sqrt()).abs() < 1e-12);
    assert!((estimate.freedom - 4.959_184).abs() < 1e-6, "{}", estimate.freedom);
}

#[test]
fn blocks_have_the_textbook_test() {
    // Mean 2, deviation 1 over 3 values: t = 2 √3, two degrees of freedom.
    let estimate = Contrast::paired(vec![1.0, 2.0, 3.0]).estimate().unwrap();
    let expected = Estimate { log_ratio: 2.0, std_err: (1.0_f64 / 3.0).sqrt(), freedom: 2.0 };
    assert!((estimate.std_err - expected.std_err).abs() < 1e-12);
    assert!((estimate.p_value() - 0.074_180).abs() < 1e-6, "{}", estimate.p_value());
}

#[test]
fn verdicts_are_told_in_words() {
    let slower: Vec<f64> = STEADY.iter().map(|value| value * 0.9).collect();
    let near: Vec<f64> = NOISY.iter().map(|value| value * 0.98).collect();
    let words = |from: &[f64], to: &[f64], name: &str, design, threshold_percent| {
        let options = Options { threshold_percent, ..Options::default() };
        compare(("A", "B"), &[measured(name, from, to)], design, &options).sentence
    };
    let free = Design::Independent;
    let told = [
        words(&STEADY, &slower, "TPS", free, None),
        words(&slower, &STEADY, "TPS", free, None),
        words(&STEADY, &slower, "TPS", free, Some(20.0)),
        words(&STEADY, &slower, "p95", free, None),
        words(&STEADY, &slower, "TPS", Design::Blocks, None),
        words(&NOISY, &near, "TPS", free, None),
        words(&NOISY, &near, "TPS", free, Some(3.0)),
        words(&STEADY, &STEADY, "TPS", free, Some(3.0)),
        words(&STEADY[..2], &slower[..2], "TPS", free, None),
        words(&STEADY[..1], &slower[..1], "TPS", free, None),
        words(&STEADY, &slower[..1], "TPS", free, None),
        words(&[], &[], "TPS", free, None),
    ];
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn equal_runs_show_no_difference_and_no_perfect_repeatability() {
    let comparison = compared(&[measured("p50", &[1.501; 3], &[1.502; 3])], Design::Independent);
    let effect = &comparison.effects[0];
    assert_eq!(effect.verdict, Verdict::NoDifferenceShown, "{}", effect.sentence);
    let (low, high) = effect.ci95_percent.unwrap();
    assert!(high - low > 0.05, "a rounded digit is no proof: {low} to {high}");
}

#[test]
fn an_outlier_is_named_and_counts() {
    let mut values = STEADY.to_vec();
    values[4] = 600.0;
    let comparison = compared(&[measured("TPS", &STEADY, &values)], Design::Independent);
    let effect = &comparison.effects[0];
    assert_eq!(effect.outliers.len(), 1);
    assert_eq!((effect.outliers[0].run.as_str(), effect.variant.n), ("run4", 5));
    assert!(effect.difference_percent < -5.0, "{}", effect.difference_percent);
}

#[test]
fn the_metric_that_decides_comes_first_and_only_judged_ones_are_corrected() {
    let slower: Vec<f64> = STEADY.iter().map(|value| value * 0.9).collect();
    let mut information = measured("server CPUs", &STEADY, &slower);
    information.metric.judged = false;
    let all = [information, measured("TPS", &STEADY, &STEADY), measured("p95", &STEADY, &slower)];
    let comparison = compared(&all, Design::Independent);
    assert_eq!(comparison.primary, "TPS");
    let verdicts: Vec<Verdict> = comparison.effects.iter().map(|effect| effect.verdict).collect();
    assert_eq!(verdicts, [Verdict::NoDifferenceShown, Verdict::NotJudged, Verdict::Better]);
    assert_eq!(comparison.effects[1].p_adjusted, None);

    let judged = vec!["p95".to_owned(), "server CPUs".to_owned()];
    let options = Options { judged, ..Options::default() };
    let comparison = compare(("A", "B"), &all, Design::Independent, &options);
    assert_eq!(comparison.primary, "p95");
    assert_eq!(comparison.effects[2].verdict, Verdict::NotJudged, "TPS was not asked about");
}

#[test]
fn what_a_place_is_worth_cancels_in_a_duet() {
    let series = |mean: f64| -> Vec<f64> {
        (0..40).map(|second| mean * (1.0 + 0.01 * f64::from(second % 3))).collect()
    };
    let pair = |place: Place| {
        let (of_from, of_to) = if place == Place::Swapped { (1.0, 1.2) } else { (1.2, 1.0) };
        PairRatio::of_series(&series(100.0 * of_from), &series(105.0 * of_to), place).unwrap()
    };
    let (straight, swapped) = (Place::Straight, Place::Swapped);
    let ratios: Vec<PairRatio> = [straight, swapped, swapped, straight].map(pair).into();
    let estimate = evidence::Evidence::of(
        &Measured { pairs: ratios, ..measured("TPS", &[], &[]) },
        Design::Duet,
    )
    .estimate
    .unwrap();
    assert!((estimate.log_ratio - 1.05_f64.ln()).abs() < 1e-9, "{}", estimate.log_ratio);
}

#[test]
fn a_second_in_which_nothing_ended_is_taken_together_with_the_next() {
    let (one, other) = ([10.0, 0.0, 10.0, 10.0], [10.0, 10.0, 0.0, 10.0]);
    let pair = PairRatio::of_series(&one, &other, Place::InTurn);
    assert!(pair.unwrap().log_ratio.abs() < 1e-12);
    assert_eq!(PairRatio::of_series(&[0.0; 9], &[1.0; 9], Place::InTurn), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_was_measured_there_is_an_answer_that_can_be_written_down(
        from in prop::collection::vec(1e-3..1e9_f64, 0..7),
        to in prop::collection::vec(1e-3..1e9_f64, 0..7),
        in_blocks in any::<bool>(),
    ) {
        let design = if in_blocks { Design::Blocks } else { Design::Independent };
        let comparison = compared(&[measured("TPS", &from, &to)], design);
        let json = serde_json::to_string(&comparison).unwrap();
        let back: Comparison = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(back.effects.len(), 1);
    }

    #[test]
    fn exchanging_the_sides_turns_the_difference_round(
        from in prop::collection::vec(10.0..1000.0_f64, 2..7),
        to in prop::collection::vec(10.0..1000.0_f64, 2..7),
    ) {
        let ratio = |from: &[f64], to: &[f64]| {
            let comparison = compared(&[measured("TPS", from, to)], Design::Independent);
            1.0 + comparison.effects[0].difference_percent / 100.0
        };
        prop_assert!((ratio(&from, &to) * ratio(&to, &from) - 1.0).abs() < 1e-9);
    }
}
