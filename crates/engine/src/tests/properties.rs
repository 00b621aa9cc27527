use super::*;
use crate::{
    Completion, FailureClass, LoadReport, Outcomes,
    simulation::{Event, Mock, commits, fails, simulate_with, until},
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::Arc;

/// A server that does all the things that servers do, by chance.
fn erratic(seed: u64) -> Mock {
    Mock::new(move |call| {
        let state = u128::from(call.transaction) << 64 | u128::from(seed);
        let stream = u128::from(call.worker) << 64
            | u128::from(call.incarnation) << 32
            | u128::from(call.attempt);
        let mut rng = Pcg64::new(state, stream);
        let takes = Duration::from_micros(rng.random_range(100..40_000));
        let in_doubt = rng.random();
        match rng.random_range(0..40) {
            0 => fails(takes, FailureClass::ConnectionLost { in_doubt }, 2013, "lost"),
            1 => fails(takes, FailureClass::Fatal, 1146, "no such table"),
            2..6 => fails(takes, FailureClass::Retryable, 1213, "deadlock"),
            6..10 => (takes, Ok(Completion::RolledBack)),
            10 => commits(takes + ms(2000)),
            _ => commits(takes),
        }
    })
    .draws(&["Order", "Payment"], move |(worker, transaction)| {
        let mut rng = Pcg64::seed_from_u64(seed ^ u64::from(worker) << 32 ^ transaction);
        let think = Duration::from_micros(rng.random_range(0..50_000));
        Draw { kind: rng.random_range(0..2), keying: Duration::ZERO, think }
    })
    .opens(move |call| {
        let mut rng = Pcg64::seed_from_u64(seed ^ call.at.as_nanos() as u64);
        let failed = call.incarnation > 0 && rng.random_range(0..3) == 0;
        let class = FailureClass::ConnectionLost { in_doubt: false };
        let refusal = || crate::Failure { class, code: 2003, message: "refused".into() };
        (ms(3), if failed { Err(refusal()) } else { Ok(()) })
    })
}

#[derive(Clone, Debug)]
struct Scene {
    seed: u64,
    options: LoadOptions,
    stop_ms: Option<u64>,
}

fn scenes() -> impl Strategy<Value = Scene> {
    let pacing = prop_oneof![
        Just(Pacing::Closed),
        (1.0..400.0).prop_map(|rate_per_s| Pacing::Open { rate_per_s, arrivals: Arrivals::Even }),
        (1.0..400.0)
            .prop_map(|rate_per_s| Pacing::Open { rate_per_s, arrivals: Arrivals::Poisson }),
    ];
    let phases = (0..1500_u64, 1..3000_u64, 0..1500_u64);
    let limits = (0..3_u32, 0..3000_u64, prop::option::of(1..200_u64), 1..9_u32);
    let stop = prop::option::of(0..5000_u64);
    (any::<u64>(), 1..9_u32, 1..4_u32, pacing, phases, limits, stop).prop_map(
        |(seed, connections, threads, pacing, (ramp_up, measure, ramp_down), limits, stop_ms)| {
            let (retries_max, grace_ms, transactions_max, failures_in_a_row_max) = limits;
            let (ramp_up, measure, ramp_down) = (ms(ramp_up), ms(measure), ms(ramp_down));
            let options = LoadOptions {
                connections,
                threads: threads.min(connections),
                pacing,
                phases: Phases { ramp_up, measure, ramp_down },
                transactions_max,
                retries_max,
                grace: ms(grace_ms),
                failures_in_a_row_max,
                seed,
                ..LoadOptions::default()
            };
            Scene { seed, options, stop_ms }
        },
    )
}

/// Plays the scene; the second part is the number of transactions that the server saw begin.
fn play(scene: &Scene) -> Option<(LoadReport, u64)> {
    let mock = Arc::new(erratic(scene.seed));
    let stop_ms = scene.stop_ms;
    let someone = async move |stop: crate::Stop| {
        if let Some(at_ms) = stop_ms {
            until(ms(at_ms)).await;
            stop.stop();
        }
    };
    let report = simulate_with(&mock, &scene.options, someone, 0.3).0.ok()?;
    let first = |event: &&Event| matches!(event, Event::Executes(call) if call.attempt == 1);
    Some((report, mock.events().iter().filter(first).count() as u64))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn the_books_balance(scene in scenes()) {
        let Some((report, begun)) = play(&scene) else {
            prop_assert!(scene.stop_ms.is_some_and(|at_ms| at_ms < 20), "no reason for an error");
            return Ok(());
        };
        let started: u64 = report.transactions.iter().map(|of_type| of_type.total.started()).sum();
        prop_assert_eq!(started, begun, "each started transaction is in exactly one class");
        for (kind, of_type) in report.transactions.iter().enumerate() {
            let Outcomes { committed, rolled_back, retried, failed, in_doubt, .. } = of_type.total;
            prop_assert!(retried <= committed + rolled_back && in_doubt <= failed);
            prop_assert!(of_type.measured.started() <= of_type.total.started());
            let measured = of_type.measured.committed + of_type.measured.rolled_back;
            prop_assert_eq!(of_type.service.len(), measured);
            prop_assert_eq!(of_type.response.len(), measured);
            let queued = if report.arrivals.is_some() { measured } else { 0 };
            prop_assert_eq!(of_type.queue.len(), queued);
            let sum = |count: fn(&crate::IntervalTransactions) -> u64| -> u64 {
                report.intervals.iter().map(|interval| count(&interval.transactions[kind])).sum()
            };
            prop_assert_eq!(sum(|of_type| of_type.committed), committed);
            prop_assert_eq!(sum(|of_type| of_type.rolled_back), rolled_back);
            prop_assert_eq!(sum(|of_type| of_type.failed), failed);
            prop_assert_eq!(sum(|of_type| of_type.retries), of_type.total.retries);
            let errors = report.errors.iter().filter(|error| error.kind == kind);
            let (by_code, again) = errors.fold((0, 0), |(failed, retried), error| {
                (failed + error.failed, retried + error.retried)
            });
            prop_assert_eq!((by_code, again), (failed, of_type.total.retries));
        }
        if let Some(arrivals) = report.arrivals {
            prop_assert_eq!(arrivals.due, started + arrivals.unstarted);
        }
        if let Some(transactions_max) = scene.options.transactions_max
            && scene.options.phases.ramp_up.is_zero()
        {
            prop_assert!(started <= transactions_max);
        }
        let lengths: f64 = report.intervals.iter().map(|interval| interval.length_s).sum();
        let ended_s = report.phases.last().map_or(0.0, |span| span.until_s);
        prop_assert!((lengths - ended_s).abs() < 1e-6, "{} against {}", lengths, ended_s);
        let spans = report.phases.windows(2).all(|pair| pair[0].until_s == pair[1].from_s);
        prop_assert!(spans, "{:?}", report.phases);
    }

    #[test]
    fn the_same_seed_gives_the_same_result_on_one_thread(mut scene in scenes()) {
        scene.options.threads = 1;
        prop_assert!(play(&scene) == play(&scene));
    }
}
