//! Loading: the same rows whatever the way, resumed, in every form.

use crate::support::*;
use client::Target;
use std::sync::atomic::Ordering;
use workloads::oltp::{
    DataSet, DistributionOptions, Error, Kind, LoadMethod, LoadOptions, LoadProgress, Oltp,
    Options, Schema, Shape, cleanup, load,
};

pub(crate) fn every_way_of_loading_makes_the_same_rows(bench: &Bench) {
    let of = |name: &str, options: LoadOptions| {
        let target = bench.target(name);
        let summary = loaded(&target, &options);
        assert_eq!((summary.rows, summary.chunks_resumed), (50_000, 0));
        assert!(!summary.already_there);
        assert_eq!(wait(DataSet::find(&target)).unwrap(), Some(options.data));
        let keys = "SELECT COUNT(*), MIN(id), MAX(id), COUNT(DISTINCT id) FROM sbtest2";
        assert_eq!(query(&target, keys), ["25000 1 25000 25000"]);
        // What is left is what sysbench would have made.
        assert_eq!(query(&target, "SHOW TABLES"), ["sbtest1", "sbtest2"]);
        fingerprint(&target)
    };
    let parallel = of("load_parallel", chunked());
    assert_eq!(of("load_single", LoadOptions { connections: 1, ..chunked() }), parallel);
    let inserted = LoadOptions { method: LoadMethod::Insert, ..chunked() };
    assert_eq!(of("load_insert", inserted), parallel);
    assert_ne!(of("load_other", LoadOptions { seed: 43, ..chunked() }), parallel);
    let shape = Shape::Uniform;
    let keys = DistributionOptions { shape, ..DistributionOptions::default() };
    of("load_uniform", LoadOptions { keys, ..chunked() });
    // Special keys lie in the middle, uniform ones do not.
    let middle = |name| {
        let sql = "SELECT COUNT(*) FROM sbtest1 WHERE k BETWEEN 12000 AND 13000";
        number(&bench.target(name), sql)
    };
    assert!(middle("load_parallel") > 18_500, "{}", middle("load_parallel"));
    assert!((750..1_250).contains(&middle("load_uniform")), "{}", middle("load_uniform"));
}

/// Begins a load and stops it when something is in.
fn begin(target: &Target, options: &LoadOptions) {
    let progress = LoadProgress::default();
    let outcome = std::thread::scope(|scope| {
        let loader = scope.spawn(|| load(target, options, &progress));
        while progress.rows.load(Ordering::Relaxed) == 0 && !loader.is_finished() {
            std::thread::yield_now();
        }
        progress.stop.store(true, Ordering::Relaxed);
        loader.join().unwrap()
    });
    let error = outcome.unwrap_err();
    assert!(error.is_stopped(), "{error}");
}

pub(crate) fn a_stopped_load_goes_on_to_the_same_rows(bench: &Bench) {
    let target = bench.target("load_stopped");
    let options = LoadOptions { connections: 1, method: LoadMethod::Insert, ..chunked() };
    begin(&target, &options);
    let words = "--tables 2 --table-size 25000 --seed 42";
    let error = wait(DataSet::find(&target)).unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
    let oltp = Oltp::new(target.clone(), on_small()).unwrap();
    let error = wait(oltp.preflight(1)).unwrap_err();
    assert!(matches!(error, Error::HalfLoaded { .. }), "{error}");
    let other = LoadOptions { seed: 1, ..options.clone() };
    let error = load(&target, &other, &LoadProgress::default()).unwrap_err();
    assert!(matches!(error, Error::OtherData { option: "seed", .. }), "{error}");

    // A table that somebody dropped in between is loaded anew.
    run(&target, &["DROP TABLE sbtest1"]);
    let summary = loaded(&target, &options);
    assert!(summary.rows >= 25_000 && summary.rows <= 50_000, "{summary:?}");
    let whole = bench.target("load_whole");
    loaded(&whole, &chunked());
    assert_eq!(fingerprint(&target), fingerprint(&whole));
    assert_eq!(query(&target, "SHOW TABLES"), ["sbtest1", "sbtest2"]);
}

pub(crate) fn tables_that_cannot_be_rolled_back_are_begun_anew(bench: &Bench) {
    let target = bench.target("load_myisam");
    let data = DataSet { engine: "MyISAM".into(), ..chunked().data };
    let options = LoadOptions { connections: 1, data, ..chunked() };
    begin(&target, &options);
    let summary = loaded(&target, &options);
    assert_eq!((summary.rows, summary.chunks_resumed), (50_000, 0));
    let whole = bench.target("load_innodb");
    loaded(&whole, &chunked());
    assert_eq!(fingerprint(&target), fingerprint(&whole));
}

pub(crate) fn tables_come_in_every_form_and_can_be_run(bench: &Bench) {
    let white = DataSet { tables: 2, table_size: 1_000, ..DataSet::white_paper() };
    for (name, data) in [
        ("form_white", white),
        ("form_secondary", DataSet { secondary: true, ..small() }),
        ("form_bare", DataSet { auto_inc: false, create_secondary: false, ..small() }),
        ("form_myisam", DataSet { engine: "MyISAM".into(), ..small() }),
    ] {
        let target = bench.tables(name, data.clone());
        let found = wait(DataSet::find(&target)).unwrap().unwrap();
        let expected =
            DataSet { engine: found.engine.clone(), table_options: String::new(), ..data.clone() };
        assert_eq!(found, expected, "{name}");
        let sql = format!(
            "SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{name}' \
             AND TABLE_NAME = 'sbtest2'"
        );
        assert_eq!(query(&target, &sql)[0].to_lowercase(), data.engine.to_lowercase());
        let options = Options { schema: data.schema, ..on_small() };
        transact(&Oltp::new(target.clone(), options).unwrap(), 5);
    }
    let white = bench.target("form_white");
    let created = query(&white, "SHOW CREATE TABLE sbtest1")[0].to_lowercase();
    assert!(created.contains("unsigned") && created.contains("utf8mb3"), "{created}");
    assert!(created.contains("key `k_1` (`k`)"), "{created}");
}

pub(crate) fn tables_that_are_there_are_not_loaded_again(bench: &Bench) {
    let target = bench.tables("load_twice", small());
    let before = fingerprint(&target);
    let options = LoadOptions { data: small(), seed: 9, ..LoadOptions::default() };
    let summary = loaded(&target, &options);
    assert!(summary.already_there && summary.rows == 0, "{summary:?}");
    assert_eq!(fingerprint(&target), before);
    for (data, words) in [
        (DataSet { tables: 3, ..small() }, "tables 2, not 3"),
        (DataSet { table_size: 2_000, ..small() }, "table-size 1000, not 2000"),
        (DataSet { schema: Schema::V0_5, ..small() }, "schema 1.0, not 0.5"),
        (DataSet { auto_inc: false, ..small() }, "auto-inc true, not false"),
    ] {
        let other = LoadOptions { data, ..options.clone() };
        let error = load(&target, &other, &LoadProgress::default()).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.to_string().contains("myrig oltp cleanup"), "{error}");
    }
    assert_eq!(wait(cleanup(&target)).unwrap(), 2);
    assert_eq!(wait(cleanup(&target)).unwrap(), 0);
    assert_eq!(query(&target, "SHOW TABLES"), [""; 0]);
    assert_eq!(wait(DataSet::find(&target)).unwrap(), None);
    // Empty tables are all that inserts with keys of their own need.
    let empty = DataSet { table_size: 0, auto_inc: false, ..small() };
    loaded(&target, &LoadOptions { data: empty, ..LoadOptions::default() });
    let options = Options { kind: Kind::Insert, auto_inc: false, ..on_small() };
    let oltp = Oltp::new(target.clone(), options).unwrap();
    wait(oltp.preflight(1)).unwrap();
    transact(&oltp, 10);
    let count = |table| number(&target, &format!("SELECT COUNT(*) FROM sbtest{table}"));
    assert_eq!(count(1) + count(2), 10);
}
