//! A server killed with SIGKILL, in the middle of a load and in the middle of a run.

use std::{
    sync::{Arc, atomic::AtomicU64, atomic::Ordering},
    time::Duration,
};

use client::Target;
use engine::{Ended, LoadReport, Reconnect, Session, Stop, Workload};
use server::StartOptions;
use workloads::tpcc::{
    DataSet, Error, LoadMethod, LoadOptions, LoadProgress, Profile, RunOptions, Tpcc, load,
};

use crate::support::*;

const PROFILE: Profile = Profile::Spec;

pub(crate) fn nothing_committed_is_lost_when_the_server_is_killed(bench: &Bench) {
    // What was committed is then with the system, and outlives the server's process.
    let durable = [("innodb-flush-log-at-trx-commit", "2")];
    let Some(own) = Bench::start(bench.flavour, &durable) else { return };
    let target = own.target("crash");
    a_load_goes_on(&own, &target);
    let data = wait(DataSet::expect(&target, Some(PROFILE))).unwrap();
    a_session_prepares_what_preflight_reckons_with(&target, data);
    a_run_goes_on(&own, &target, data);
}

fn restart(bench: &Bench) {
    let mut server = bench.server();
    let killed = wait(server.instance().kill(DEADLINE)).unwrap();
    assert!(matches!(killed, server::Stopped::Ended { .. }), "{killed:?}");
    wait(server.instance().start(&StartOptions::default())).unwrap();
}

fn a_load_goes_on(bench: &Bench, target: &Target) {
    // Without LOAD DATA LOCAL first; the restarted server allows it again.
    run(&bench.target("mysql"), &["SET GLOBAL local_infile = 0"]);
    let asked = LoadOptions { method: LoadMethod::LoadData, ..options(PROFILE) };
    let error = load(target, &asked, &LoadProgress::default()).unwrap_err();
    assert!(matches!(error, Error::NoLocalInfile), "{error}");
    assert!(error.to_string().contains("--load-method insert"), "{error}");

    let progress = LoadProgress::default();
    let outcome = std::thread::scope(|scope| {
        let loader = scope.spawn(|| load(target, &options(PROFILE), &progress));
        until("a third of the chunks is in", || chunks(target) >= 20);
        restart(bench);
        loader.join().unwrap()
    });
    let error = outcome.unwrap_err();
    assert!(matches!(error, Error::Database { .. }), "{error}");
    assert!(error.to_string().contains("lost"), "{error}");

    let error = wait(DataSet::expect(target, None)).unwrap_err();
    assert!(matches!(error, Error::HalfLoaded { .. }), "{error}");
    let summary = loaded(target, &options(PROFILE));
    // A commit is seen before it is acknowledged: each of two connections may have lost one.
    assert!(summary.load_data && summary.chunks_resumed >= 18, "{summary:?}");
    assert_eq!(fingerprint(target, PROFILE), reference(PROFILE));
}

fn a_session_prepares_what_preflight_reckons_with(target: &Target, data: DataSet) {
    let prepared = || {
        let row = query(target, "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'");
        row[0].split(' ').next_back().unwrap().parse::<u64>().unwrap()
    };
    let tpcc = Tpcc::new(target.clone(), data, RunOptions::default()).unwrap();
    let Err(Error::TooManyStatements { wanted, .. }) = wait(tpcc.preflight(1000)) else {
        panic!("a thousand sessions fit");
    };
    assert_eq!(prepared(), 0);
    // The session must outlive the question, and so must the runtime that it was opened on.
    wait(async {
        let session = tpcc.open(0, 0).await.unwrap();
        let counted = std::thread::scope(|scope| scope.spawn(prepared).join().unwrap());
        assert_eq!(counted * 1000, wanted);
        session.close().await;
    });
}

fn a_run_goes_on(bench: &Bench, target: &Target, data: DataSet) {
    let orders = || number(target, "SELECT SUM(d_next_o_id) FROM district");
    let before = orders();
    let report = killed_in_the_middle(bench, target, data);
    let placed = orders() - before;

    assert_eq!(report.ended, Ended::Interrupted);
    assert!(!report.outages.is_empty(), "the outage is reported");
    let outage = report.outages[0];
    assert_eq!(outage.connections, 8);
    let back_s = outage.until_s.expect("all connections came back");
    assert!(back_s > outage.from_s);
    let after = report.intervals.iter().filter(|interval| interval.at_s > back_s + 1.0);
    assert!(after.map(|interval| interval.transactions[0].committed).sum::<u64>() > 0);

    let new_orders = report.transactions[Tpcc::NEW_ORDER].total;
    let (committed, in_doubt) = (new_orders.committed as i64, new_orders.in_doubt as i64);
    assert!(
        (committed..=committed + in_doubt).contains(&placed),
        "{committed} committed, {in_doubt} in doubt, {placed} in the database"
    );
    assert_consistent(target, &data);
}

/// A run of eight connections that loses its server after two seconds, gets it back, and goes
/// on for three more.
fn killed_in_the_middle(bench: &Bench, target: &Target, data: DataSet) -> LoadReport {
    let options = engine::LoadOptions {
        connections: 8,
        threads: 2,
        reconnect: Reconnect {
            first: Duration::from_millis(50),
            max: Duration::from_millis(500),
            give_up: DEADLINE,
        },
        ..engine::LoadOptions::default()
    };
    let tpcc = Tpcc::new(target.clone(), data, RunOptions::default()).unwrap();
    let (stop, seconds, good) = (Stop::new(), AtomicU64::new(0), AtomicU64::new(0));
    let observe = |interval: &engine::Interval| {
        seconds.fetch_add(1, Ordering::Relaxed);
        let all = interval.connected == 8 && interval.transactions[0].committed > 0;
        good.fetch_add(all.into(), Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        let run = scope.spawn(|| engine::run(Arc::new(tpcc), &options, &stop, observe));
        until("the run is two seconds old", || seconds.load(Ordering::Relaxed) >= 2);
        restart(bench);
        let at_restart = good.load(Ordering::Relaxed);
        until("it works again", || good.load(Ordering::Relaxed) >= at_restart + 3);
        stop.stop();
        run.join().unwrap().unwrap()
    })
}
