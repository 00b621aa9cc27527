//! Runs of the engine: what the client counted is what the server counts.

use std::{sync::Arc, time::Duration};

use client::Target;
use engine::{Ended, LoadOptions, LoadReport, Phases, Session, Stop, Workload};
use workloads::{
    tpcc::CheckProgress,
    tprocc::{CallMode, Profile, RunOptions, Tprocc, Verdict, check},
};

use crate::support::*;

/// COMMIT and ROLLBACK statements that the server has carried out, inside procedures or not.
fn ended_by_server(target: &Target) -> i64 {
    ["Com_commit", "Com_rollback"]
        .map(|name| {
            let row = query(target, &format!("SHOW GLOBAL STATUS LIKE '{name}'")).remove(0);
            row.split(' ').next_back().unwrap().parse::<i64>().unwrap()
        })
        .iter()
        .sum()
}

fn load(held: &Held<'_>, tprocc: Tprocc) -> LoadReport {
    let measure = Duration::from_secs(2);
    let load = LoadOptions {
        connections: 8,
        threads: 2,
        phases: Phases { ramp_up: Duration::from_millis(300), measure, ramp_down: Duration::ZERO },
        retries_max: held.data.profile.default_retries(),
        ..LoadOptions::default()
    };
    engine::run(Arc::new(tprocc), &load, &Stop::new(), |_| {}).unwrap()
}

fn agrees(held: &Held<'_>, options: RunOptions) {
    let orders = || number(&held.target, "SELECT CAST(SUM(d_next_o_id) AS SIGNED) FROM district");
    let tprocc = Tprocc::new(held.target.clone(), held.data.clone(), options).unwrap();
    // Before anything is counted: it calls a procedure itself.
    wait(tprocc.preflight(8)).unwrap();
    let (orders_before, ended_before) = (orders(), ended_by_server(&held.target));
    let report = load(held, tprocc);
    let (orders, ended) = (orders() - orders_before, ended_by_server(&held.target) - ended_before);

    assert_eq!(report.ended, Ended::Complete);
    // Deadlocks are part of life; nothing else is.
    let known = |code| [1213, 1205].contains(&code);
    assert!(report.errors.iter().all(|error| known(error.code)), "{:?}", report.errors);
    let totals = || report.transactions.iter().map(|kind| &kind.total);
    for kind in &report.transactions {
        assert!(kind.total.committed > 0, "{kind:?}");
    }
    assert_eq!(report.transactions[Tprocc::NEW_ORDER].total.committed as i64, orders);
    // Each call ends with one COMMIT or ROLLBACK; one that failed is rolled back by the session.
    let calls: u64 = totals()
        .map(|total| total.committed + total.rolled_back + total.failed + total.retries)
        .sum();
    assert_eq!(ended, calls as i64, "TPM counts each call once");
}

/// Conditions of clause 3.3.2 that do not hold, with what that means.
fn broken(held: &Held<'_>) -> Vec<(&'static str, Verdict)> {
    let results = check(&held.target, &held.data, 2, &CheckProgress::default()).unwrap();
    assert!(results.len() == 12 && results.iter().all(|result| result.examined > 0));
    let verdicts =
        results.iter().map(|result| (result.name, Verdict::of(held.data.profile, result)));
    verdicts.filter(|(_, verdict)| *verdict != Verdict::Holds).collect()
}

pub(crate) fn a_run_of_hammerdb_agrees_with_the_servers_counters(bench: &Bench) {
    let held = bench.two_warehouses(Profile::HammerDb);
    for call in [CallMode::Prepared, CallMode::Plain] {
        agrees(&held, RunOptions { call, ..RunOptions::default() });
    }
    let deviations = ["3.3.2.10", "3.3.2.11", "3.3.2.12"].map(|name| (name, Verdict::Deviates));
    assert_eq!(broken(&held), deviations);
}

pub(crate) fn a_run_of_spec_agrees_with_the_servers_counters(bench: &Bench) {
    let held = bench.two_warehouses(Profile::Spec);
    agrees(&held, RunOptions { all_warehouses: true, ..RunOptions::default() });
    assert_eq!(broken(&held), []);
}

/// One New-Order in 99 rolls back in the procedure itself; the client must see each of them.
pub(crate) fn a_rollback_is_told_from_a_commit(bench: &Bench) {
    let held = bench.two_warehouses(Profile::HammerDb);
    let options = RunOptions { weights: Some([1.0, 0.0, 0.0, 0.0, 0.0]), ..RunOptions::default() };
    for call in [CallMode::Prepared, CallMode::Plain] {
        let options = RunOptions { call, ..options.clone() };
        let tprocc = Tprocc::new(held.target.clone(), held.data.clone(), options).unwrap();
        let orders =
            || number(&held.target, "SELECT CAST(SUM(d_next_o_id) AS SIGNED) FROM district");
        let before = orders();
        let (mut committed, mut back) = (0, 0);
        wait(async {
            let mut session = tprocc.open(0, 0).await.unwrap();
            while back == 0 || committed == 0 {
                session.draw();
                match session.execute().await.unwrap() {
                    engine::Completion::Committed => committed += 1,
                    engine::Completion::RolledBack => back += 1,
                }
                assert!(committed < 20_000, "no New-Order rolled back");
            }
            session.close().await;
        });
        assert_eq!(orders() - before, committed);
    }
}
