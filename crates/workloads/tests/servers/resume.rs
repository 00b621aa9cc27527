//! A load that was stopped goes on where it was; one that would do harm does not begin.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use client::Connection;
use workloads::tpcc::{
    DataSet, Error, LoadMethod, LoadOptions, LoadProgress, Profile, cleanup, load,
};

use crate::support::*;

pub(crate) fn a_stopped_load_is_told_apart_and_goes_on_to_the_same_data(bench: &Bench) {
    let profile = Profile::Spec;
    // An account that may fill tables and neither index nor drop them.
    let filler = account(bench, "resume_stopped", "SELECT, CREATE, INSERT, DELETE");
    let target = bench.target("resume_stopped");
    let options = LoadOptions { method: LoadMethod::Insert, ..options(profile) };
    let progress = LoadProgress::default();
    let outcome = std::thread::scope(|scope| {
        let loader = scope.spawn(|| load(&target, &options, &progress));
        let share = || progress.rows.load(Ordering::Relaxed) as f64 / 600_000.0;
        until("a third is in", || share() > 0.33);
        progress.stop.store(true, Ordering::Relaxed);
        loader.join().unwrap()
    });
    assert!(matches!(outcome, Err(Error::Stopped)), "{outcome:?}");

    let error = wait(DataSet::expect(&target, None)).unwrap_err();
    assert!(matches!(error, Error::HalfLoaded { .. }), "{error}");
    let words = error.to_string();
    assert!(words.contains("--profile spec --warehouses 1 --seed 42"), "{words}");

    for (other, option) in [
        (LoadOptions { warehouses: 2, ..options }, "--warehouses 1"),
        (LoadOptions { seed: 1, ..options }, "--seed 42"),
        (LoadOptions { profile: Profile::BenchmarkSql, ..options }, "--profile spec"),
    ] {
        let error = load(&target, &other, &LoadProgress::default()).unwrap_err();
        assert!(matches!(error, Error::OtherData { .. }), "{error}");
        assert!(error.to_string().contains(option), "{error}");
    }

    // Found out late, mended by a grant or by another account: the same load goes on.
    let progress = LoadProgress::default();
    let before = chunks(&target);
    denied(load(&filler, &options, &progress).unwrap_err(), "ALTER");
    denied(wait(cleanup(&filler)).unwrap_err(), "DROP");
    assert!(before > 0 && chunks(&target) == CHUNKS, "{before}");
    let summary = loaded(&target, &options);
    assert_eq!((summary.rows, summary.chunks_resumed as u64), (0, CHUNKS));
    assert_eq!(fingerprint(&target, profile), reference(profile));
    let data = wait(DataSet::expect(&target, Some(profile))).unwrap();
    assert_consistent(&target, &data);
}

pub(crate) fn a_second_load_waits_and_then_says_who_is_in_the_way(bench: &Bench) {
    let target = bench.target("resume_busy");
    create_database(&target);
    wait(async {
        let mut holder = Connection::connect(&target).await.unwrap();
        let row = holder.query_one("SELECT GET_LOCK('myrig:resume_busy', 0)").await.unwrap();
        assert_eq!(row.unwrap().int(0).unwrap(), 1);
        let progress = LoadProgress::default();
        std::thread::scope(|scope| {
            let begun = Instant::now();
            let stopped = scope.spawn(|| load(&target, &options(Profile::Spec), &progress));
            let busy = scope.spawn(|| {
                let options = options(Profile::Spec);
                load(&target, &options, &LoadProgress::default()).unwrap_err()
            });
            until("the load is under way", || progress.stage() == "tables");
            progress.stop.store(true, Ordering::Relaxed);
            let stopped = stopped.join().unwrap().unwrap_err();
            assert!(matches!(stopped, Error::Stopped), "{stopped}");
            assert!(begun.elapsed() < Duration::from_secs(15), "a wait can be broken off");
            let busy = busy.join().unwrap();
            assert!(matches!(busy, Error::Busy { .. }), "{busy}");
            assert!(begun.elapsed() >= Duration::from_secs(20), "a killed load's lock expires");
            assert!(begun.elapsed() < DEADLINE);
        });
        holder.close().await;
    });
    assert!(query(&target, "SHOW TABLES").is_empty());
}

pub(crate) fn tables_of_somebody_else_are_left_alone(bench: &Bench) {
    for (profile, name) in [
        (Profile::Spec, "item"),
        (Profile::Spec, "order_line"),
        (Profile::BenchmarkSql, "bmsql_item"),
        (Profile::BenchmarkSql, "bmsql_config"),
    ] {
        let target = bench.target(&format!("resume_foreign_{name}"));
        create_database(&target);
        run(
            &target,
            &[
                &format!("CREATE TABLE {name} (mine INT)"),
                &format!("INSERT INTO {name} VALUES (7)"),
            ],
        );
        let error = load(&target, &options(profile), &LoadProgress::default()).unwrap_err();
        let named = matches!(&error, Error::ForeignTable { table, .. } if table == name);
        assert!(named && error.to_string().contains("--database"), "{error}");
        assert_eq!(wait(cleanup(&target)).unwrap(), None);
        assert_eq!(query(&target, "SHOW TABLES"), [name]);
        assert_eq!(query(&target, &format!("SELECT mine FROM {name}")), ["7"]);
    }
}
