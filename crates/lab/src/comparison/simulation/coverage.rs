//! A against B, whose effect is known.

use super::noises::{Noise, blocks, duet, independent};
use crate::comparison::{Design, Measured, Options, Verdict, compare};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::fmt::Write as _;

const CASES: u32 = 4_000;
/// The variant is faster by 3%.
const RATIO: f64 = 1.03;

/// Percent of cases in which the interval holds the effect, in which the bootstrap's does, in
/// which the two agree on zero, and in which the effect was shown.
fn rates(design: Design, make: impl Fn(&mut Pcg64) -> Measured) -> [Option<f64>; 4] {
    let mut random = Pcg64::seed_from_u64(20_261_122);
    let effect = 100.0 * (RATIO - 1.0);
    let holds =
        |interval: Option<(f64, f64)>| interval.map(|(low, high)| low <= effect && effect <= high);
    let mut counts = [0_u32; 4];
    let mut seconded = 0;
    for case in 0..CASES {
        let options = Options { resamples: 499, seed: u64::from(case), ..Options::default() };
        let comparison = compare(("A", "B"), &[make(&mut random)], design, &options);
        let effect = &comparison.effects[0];
        let second = holds(effect.bootstrap_ci95_percent);
        seconded += u32::from(second.is_some());
        counts[0] += u32::from(holds(effect.ci95_percent) == Some(true));
        counts[1] += u32::from(second == Some(true));
        counts[2] += u32::from(effect.agree);
        counts[3] += u32::from(effect.verdict == Verdict::Better);
    }
    let percent = |count: u32| 100.0 * f64::from(count) / f64::from(CASES);
    let second = |count| (seconded == CASES).then(|| percent(count));
    [Some(percent(counts[0])), second(counts[1]), second(counts[2]), Some(percent(counts[3]))]
}

type Make = Box<dyn Fn(Noise, &mut Pcg64) -> Measured>;

fn cases() -> Vec<(&'static str, Design, Make)> {
    let runs =
        |n| -> Make { Box::new(move |noise, random| independent((n, n), RATIO, noise, random)) };
    let of_blocks = |n| -> Make { Box::new(move |noise, random| blocks(n, RATIO, noise, random)) };
    let duet = |n, in_turn| -> Make {
        Box::new(move |noise, random| duet(n, in_turn, RATIO, noise, random))
    };
    vec![
        ("2 runs a side", Design::Independent, runs(2)),
        ("4 runs a side", Design::Independent, runs(4)),
        ("6 runs a side", Design::Independent, runs(6)),
        ("10 runs a side", Design::Independent, runs(10)),
        ("2 blocks", Design::Blocks, of_blocks(2)),
        ("4 blocks", Design::Blocks, of_blocks(4)),
        ("6 blocks", Design::Blocks, of_blocks(6)),
        ("4 pairs", Design::Duet, duet(4, false)),
        ("8 pairs", Design::Duet, duet(8, false)),
        ("12 pairs", Design::Duet, duet(12, false)),
        ("4 in turn", Design::Duet, duet(4, true)),
        ("8 in turn", Design::Duet, duet(8, true)),
    ]
}

#[test]
fn the_interval_covers_a_known_effect_and_the_bootstrap_does_too() {
    let mut table = String::from("                noise      covered  bootstrap  agree  shown\n");
    for (name, design, make) in cases() {
        for noise in [Noise::Normal, Noise::Heavy] {
            let rates = rates(design, |random| make(noise, random));
            let [covered, bootstrap, ..] = rates;
            assert!(covered >= Some(94.0), "{name}, {noise:?}: covered {covered:?}");
            assert!(bootstrap.is_none_or(|it| it >= 94.0), "{name}, {noise:?}: {bootstrap:?}");
            let cell = |rate: Option<f64>| rate.map_or("-".to_owned(), |it| format!("{it:.1}"));
            let [covered, bootstrap, agree, shown] = rates.map(cell);
            let noise = format!("{noise:?}").to_lowercase();
            writeln!(
                table,
                "{name:<15} {noise:<9} {covered:>8} {bootstrap:>10} {agree:>6} {shown:>6}"
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!(table);
}
