//! In which order the trials of an experiment are taken.

use super::spec::{Experiment, Order};
use rand::{SeedableRng, seq::SliceRandom};
use rand_pcg::Pcg64;
use serde::Serialize;

/// Most trials that an experiment can have: what is more would take a year and is a slip of the
/// pen.
pub const TRIALS_MAX: u64 = 10_000;

/// A trial that is to be taken.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Scheduled {
    /// Its place among all trials, from 1.
    pub number: u32,
    /// The variant's name.
    pub variant: String,
    /// The round of all variants that it is part of, from 1.
    pub round: u32,
    /// Duet only: the pair of trials that run at the same time, from 1.
    pub pair: Option<u32>,
    /// Duet only: which half of the processors it has, 0 or 1; the two exchange them from pair to
    /// pair.
    pub half: Option<u8>,
}

/// The trials of an experiment in their order: every variant exactly [`Repeat::runs`] times.
///
/// A duet's pairs stand one after the other, each with its two trials in the order of the
/// variants.
///
/// [`Repeat::runs`]: super::spec::Repeat::runs
pub fn schedule(experiment: &Experiment) -> Vec<Scheduled> {
    let names: Vec<&str> = experiment.variants.iter().map(|arm| arm.name.as_str()).collect();
    let repeat = &experiment.repeat;
    let mut trials = Vec::new();
    let mut take = |name: &str, round: u32, half: Option<u8>| {
        trials.push(Scheduled {
            number: trials.len() as u32 + 1,
            variant: name.to_owned(),
            round,
            pair: half.map(|_| round),
            half,
        });
    };
    if repeat.order == Order::InOrder {
        for name in names {
            (1..=repeat.runs).for_each(|round| take(name, round, None));
        }
        return trials;
    }
    let mut random = Pcg64::seed_from_u64(repeat.seed);
    for round in 1..=repeat.runs {
        let mut names = names.clone();
        match repeat.order {
            // ABBA and BAAB in turn: a drift that bends falls on both alike, too.
            Order::Abba if matches!(round % 4, 2 | 3) => names.reverse(),
            Order::Random => names.shuffle(&mut random),
            _ => {}
        }
        for (place, name) in names.into_iter().enumerate() {
            let is_duet = repeat.order == Order::Duet;
            let half = is_duet.then(|| ((place as u32 + round + 1) % 2) as u8);
            take(name, round, half);
        }
    }
    trials
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::experiment::{
        spec::Repeat,
        testing::{arm, experiment},
    };
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn of(names: &[&str], runs: u32, order: Order, seed: u64) -> Vec<Scheduled> {
        let arms = names.iter().map(|name| arm(name)).collect();
        schedule(&experiment(arms, Repeat { runs, order, seed }))
    }

    fn told(trials: &[Scheduled]) -> String {
        let words = |trial: &Scheduled| match trial.half {
            Some(half) => format!("{}{half}", trial.variant),
            None => trial.variant.clone(),
        };
        trials.iter().map(words).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn abba_goes_forth_and_back() {
        assert_eq!(told(&of(&["A", "B"], 4, Order::Abba, 1)), "A B B A B A A B");
        assert_eq!(told(&of(&["A", "B", "C"], 3, Order::Abba, 1)), "A B C C B A C B A");
        assert_eq!(told(&of(&["A"], 2, Order::Abba, 1)), "A A");
    }

    #[test]
    fn in_order_takes_one_variant_after_the_other() {
        let trials = of(&["A", "B"], 2, Order::InOrder, 1);
        assert_eq!(told(&trials), "A A B B");
        assert_eq!(trials.iter().map(|trial| trial.round).collect::<Vec<_>>(), [1, 2, 1, 2]);
    }

    #[test]
    fn the_two_of_a_duet_exchange_their_processors() {
        let trials = of(&["A", "B"], 3, Order::Duet, 1);
        assert_eq!(told(&trials), "A0 B1 A1 B0 A0 B1");
        let pairs: Vec<_> = trials.iter().map(|trial| trial.pair.unwrap()).collect();
        assert_eq!(pairs, [1, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn a_random_order_is_its_seeds() {
        let names = ["A", "B", "C", "D"];
        assert_eq!(of(&names, 5, Order::Random, 7), of(&names, 5, Order::Random, 7));
        let other = (8..20)
            .any(|seed| of(&names, 5, Order::Random, seed) != of(&names, 5, Order::Random, 7));
        assert!(other, "twelve other seeds give the same order");
    }

    fn any_order() -> impl Strategy<Value = Order> {
        prop_oneof![Just(Order::Abba), Just(Order::Random), Just(Order::InOrder)]
    }

    proptest! {
        #[test]
        fn every_variant_has_its_runs_and_a_place_in_each_round(
            variants in 1..6_usize, runs in 1..8_u32, order in any_order(), seed: u64,
        ) {
            let names = &["A", "B", "C", "D", "E"][..variants];
            let trials = of(names, runs, order, seed);
            prop_assert_eq!(trials.len(), variants * runs as usize);
            let placed: BTreeSet<_> =
                trials.iter().map(|trial| (trial.variant.as_str(), trial.round)).collect();
            prop_assert_eq!(placed.len(), trials.len());
            for (place, trial) in trials.iter().enumerate() {
                prop_assert_eq!(trial.number as usize, place + 1);
                prop_assert!((1..=runs).contains(&trial.round));
            }
        }

        #[test]
        fn a_drift_falls_on_all_variants_alike_in_abba(variants in 1..6_usize, half in 1..5_u32) {
            let names = &["A", "B", "C", "D", "E"][..variants];
            let trials = of(names, 2 * half, Order::Abba, 1);
            let places = |name: &str| -> u32 {
                trials.iter().filter(|trial| trial.variant == name).map(|it| it.number).sum()
            };
            for name in names {
                prop_assert_eq!(places(name), places(names[0]));
            }
        }

        #[test]
        fn a_drift_that_bends_falls_on_two_alike_in_fours(fours in 1..5_u32) {
            let trials = of(&["A", "B"], 4 * fours, Order::Abba, 1);
            let squares = |name: &str| -> u32 {
                let own = trials.iter().filter(|trial| trial.variant == name);
                own.map(|trial| trial.number * trial.number).sum()
            };
            prop_assert_eq!(squares("A"), squares("B"));
        }
    }
}
