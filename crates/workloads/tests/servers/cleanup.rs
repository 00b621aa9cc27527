//! Cleanup drops everything of ours, and nothing else.

use std::sync::atomic::Ordering;

use workloads::tpcc::{DataSet, Error, LoadProgress, Profile, cleanup, load};

use crate::support::*;

pub(crate) fn half_loaded_data_goes_and_everything_else_stays(bench: &Bench) {
    for profile in Profile::ALL {
        let target = bench.target(&format!("cleanup_{profile}"));
        create_database(&target);
        run(&target, &["CREATE TABLE customers (id INT)", "INSERT INTO customers VALUES (7)"]);
        let progress = LoadProgress::default();
        let outcome = std::thread::scope(|scope| {
            let loader = scope.spawn(|| load(&target, &options(profile), &progress));
            until("a chunk is in", || chunks(&target) > 0);
            progress.stop.store(true, Ordering::Relaxed);
            loader.join().unwrap()
        });
        assert!(matches!(outcome, Err(Error::Stopped)), "{outcome:?}");

        let dropped = wait(cleanup(&target)).unwrap();
        let half = DataSet { profile, warehouses: 1, seed: SEED, ready: false };
        assert_eq!(dropped, Some(half));
        assert_eq!(query(&target, "SHOW TABLES"), ["customers"]);
        assert_eq!(query(&target, "SELECT id FROM customers"), ["7"]);
    }
}

pub(crate) fn nothing_of_ours_is_no_error(bench: &Bench) {
    let target = bench.target("cleanup_nothing");
    create_database(&target);
    run(&target, &["CREATE TABLE stock (id INT)"]);
    assert_eq!(wait(cleanup(&target)).unwrap(), None);
    assert_eq!(query(&target, "SHOW TABLES"), ["stock"]);

    let absent = bench.target("cleanup_absent");
    let error = wait(cleanup(&absent)).unwrap_err();
    assert!(matches!(error, Error::NoDatabase { .. }), "{error}");
}
