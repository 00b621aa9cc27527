//! Runs of the engine: what the client counted is what the database holds.

use std::{sync::Arc, time::Duration};

use engine::{Ended, LoadOptions, LoadReport, Phases, Stop};
use workloads::tpcc::{DeliveryMode, Profile, RunOptions, Tpcc};

use crate::support::*;

pub(crate) fn a_run_of_spec_agrees_with_its_database(bench: &Bench) {
    a_run(bench, Profile::Spec, RunOptions::default());
}

pub(crate) fn a_run_of_benchmarksql_agrees_with_its_database(bench: &Bench) {
    a_run(bench, Profile::BenchmarkSql, RunOptions::default());
}

pub(crate) fn deferred_deliveries_are_executed_and_counted(bench: &Bench) {
    let options = RunOptions {
        delivery: DeliveryMode::Deferred,
        weights: [30.0, 30.0, 10.0, 20.0, 10.0],
        home_warehouse_fixed: false,
        ..RunOptions::default()
    };
    let report = a_run(bench, Profile::Spec, options);
    let (queued, done) = (&report.transactions[3].total, &report.transactions[5].total);
    assert_eq!(report.transactions[5].name, "Delivery (deferred)");
    assert_eq!(done.failed, 0);
    // What each of the eight connections had queued last may be left at the end.
    assert!((queued.committed - 8..=queued.committed).contains(&done.committed), "{done:?}");
}

fn a_run(bench: &Bench, profile: Profile, options: RunOptions) -> LoadReport {
    let held = bench.two_warehouses(profile);
    let target = bench.tcp(held.target.database.as_deref().unwrap());
    let tpcc = Tpcc::new(target, held.data, options).unwrap();
    let measure = Duration::from_secs(2);
    let load = LoadOptions {
        connections: 8,
        threads: 2,
        phases: Phases { ramp_up: Duration::from_millis(500), measure, ramp_down: Duration::ZERO },
        retries_max: profile.default_retries(),
        ..LoadOptions::default()
    };
    let orders = || held.number("SELECT SUM(d_next_o_id) FROM {district}");
    let (before, stop) = (orders(), Stop::new());
    let report = engine::run(Arc::new(tpcc), &load, &stop, |_| {}).unwrap();
    let placed = orders() - before;

    assert_eq!(report.ended, Ended::Complete);
    assert!(report.outages.is_empty(), "{:?}", report.outages);
    for transaction in &report.transactions {
        assert!(transaction.total.committed > 0, "{transaction:?}");
        assert_eq!(transaction.total.in_doubt, 0, "{transaction:?}");
    }
    // Deadlocks are part of life, and so are orders that another terminal took; nothing else is.
    let known = |code| [1213, 1205, 1020].contains(&code);
    assert!(report.errors.iter().all(|error| known(error.code)), "{:?}", report.errors);
    assert_eq!(report.transactions[Tpcc::NEW_ORDER].total.committed as i64, placed);
    assert_consistent(&held.target, &held.data);
    report
}
