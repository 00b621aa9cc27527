//! A against A.

use super::noises::{NOISES, Noise, blocks, duet, independent, metric};
use crate::comparison::{
    Design, Measured, Options, Verdict, compare, estimate::ALPHA, evidence::Evidence,
};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::fmt::Write as _;

/// What makes the runs of a case.
type Make<'a> = dyn Fn(Noise, &mut Pcg64) -> Measured + 'a;

const CASES: u32 = 10_000;
const RESAMPLES: u32 = 999;

/// Whether any metric is said to differ.
fn alarm(measured: &[Measured], design: Design, seed: u64) -> bool {
    // Correction only makes p-values larger and no level is above this one: nothing is said of
    // the others, and saying nothing at length is what would take the time.
    let p_value = |one| Evidence::of(one, design).estimate.map_or(1.0, |it| it.p_value());
    if measured.iter().all(|one| p_value(one) > ALPHA) {
        return false;
    }
    let options = Options { resamples: RESAMPLES, seed, ..Options::default() };
    let comparison = compare(("A", "A"), measured, design, &options);
    let shown = |verdict| matches!(verdict, Verdict::Better | Verdict::Worse);
    comparison.effects.iter().any(|effect| shown(effect.verdict))
}

/// Percent of false alarms in cases that `make` makes.
fn rate(design: Design, make: impl Fn(&mut Pcg64) -> Vec<Measured>) -> f64 {
    let mut random = Pcg64::seed_from_u64(20_261_122);
    let alarms = (0..CASES)
        .filter(|&case| {
            let measured = make(&mut random);
            alarm(&measured, design, u64::from(case))
        })
        .count();
    100.0 * alarms as f64 / f64::from(CASES)
}

fn table(head: &str, design: Design, sizes: &[(&str, &Make<'_>)]) -> String {
    let mut table = format!("{head:<16} normal  lognormal  heavy  seconds\n");
    for (name, make) in sizes {
        write!(table, "{name:<16}").unwrap();
        for (noise, width) in NOISES.into_iter().zip([7, 11, 7, 9]) {
            let percent = rate(design, |random| vec![make(noise, random)]);
            assert!(percent <= 5.0, "{name}, {noise:?}: {percent}%");
            write!(table, "{percent:width$.1}").unwrap();
        }
        table.push('\n');
    }
    table
}

#[test]
fn independent_runs_of_one_thing_seldom_seem_to_differ() {
    let runs = |from, to| {
        move |noise: Noise, random: &mut Pcg64| independent((from, to), 1.0, noise, random)
    };
    insta::assert_snapshot!(table(
        "runs a side",
        Design::Independent,
        &[
            ("2", &runs(2, 2)),
            ("3", &runs(3, 3)),
            ("4", &runs(4, 4)),
            ("6", &runs(6, 6)),
            ("10", &runs(10, 10)),
            ("10 against 4", &runs(10, 4)),
            ("4 against 1", &runs(4, 1)),
            ("10 against 1", &runs(10, 1)),
        ],
    ));
}

#[test]
fn blocks_of_one_thing_seldom_seem_to_differ_while_the_machine_drifts() {
    let of = |n| move |noise: Noise, random: &mut Pcg64| blocks(n, 1.0, noise, random);
    insta::assert_snapshot!(table(
        "blocks",
        Design::Blocks,
        &[
            ("2", &of(2)),
            ("3", &of(3)),
            ("4", &of(4)),
            ("5", &of(5)),
            ("6", &of(6)),
            ("10", &of(10))
        ],
    ));
}

#[test]
fn duets_of_one_thing_seldom_seem_to_differ_while_places_do() {
    let of = |n| move |noise: Noise, random: &mut Pcg64| duet(n, false, 1.0, noise, random);
    let in_turn = |n| move |noise: Noise, random: &mut Pcg64| duet(n, true, 1.0, noise, random);
    insta::assert_snapshot!(table(
        "pairs",
        Design::Duet,
        &[
            ("3", &of(3)),
            ("4", &of(4)),
            ("6", &of(6)),
            ("10", &of(10)),
            ("2 in turn", &in_turn(2)),
            ("3 in turn", &in_turn(3)),
            ("5 in turn", &in_turn(5)),
            ("10 in turn", &in_turn(10)),
        ],
    ));
}

#[test]
fn several_metrics_of_one_thing_seldom_seem_to_differ_in_any() {
    let mut table = String::from("five metrics      5 runs a side\n");
    for (name, shared) in [("independent", 0.0), ("correlate by 0.9", 0.9_f64)] {
        let percent = rate(Design::Independent, |random| five(shared, random));
        assert!(percent <= 5.0, "{name}: {percent}%");
        writeln!(table, "{name:<16}  {percent:13.1}").unwrap();
    }
    insta::assert_snapshot!(table);
}

/// Five metrics of five runs a side, of which each has the share `shared` of variance in common.
fn five(shared: f64, random: &mut Pcg64) -> Vec<Measured> {
    let common = independent((5, 5), 1.0, Noise::Normal, random);
    (0..5)
        .map(|number| {
            let mut own = independent((5, 5), 1.0, Noise::Normal, random);
            own.metric = metric(&format!("metric {number}"));
            let runs = own.baseline.iter_mut().chain(&mut own.variant);
            for (run, other) in runs.zip(common.baseline.iter().chain(&common.variant)) {
                let own_log = (run.value / 1000.0).ln() * (1.0 - shared).sqrt();
                run.value = 1000.0 * (own_log + (other.value / 1000.0).ln() * shared.sqrt()).exp();
            }
            own
        })
        .collect()
}
