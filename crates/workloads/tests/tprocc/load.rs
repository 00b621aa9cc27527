//! Loading: resumable, the same data whoever sends it, tables as asked for.

use std::sync::{Arc, atomic::Ordering};

use workloads::{
    tpcc::{LoadProgress, Table},
    tprocc::{DataSet, Error, LoadOptions, Profile, TableOptions, cleanup, load},
};

use crate::support::*;

pub(crate) fn a_stopped_load_goes_on_to_the_same_data(bench: &Bench) {
    let (whole, broken) = (bench.target("whole"), bench.target("broken"));
    let options = options(Profile::HammerDb);
    let one = LoadOptions { connections: 1, ..options.clone() };
    load(&whole, &one, &LoadProgress::default()).unwrap();

    let progress = Arc::new(LoadProgress::default());
    let watched = Arc::clone(&progress);
    let loading = {
        let (broken, options) = (broken.clone(), options.clone());
        std::thread::spawn(move || load(&broken, &options, &watched))
    };
    until("some rows are in", || progress.rows.load(Ordering::Relaxed) > 0);
    progress.stop.store(true, Ordering::Relaxed);
    let error = loading.join().unwrap().unwrap_err();
    assert!(error.to_string().contains("goes on where it was"), "{error}");
    let error = wait(DataSet::expect(&broken, None, None)).unwrap_err();
    assert!(matches!(error, Error::HalfLoaded { .. }), "{error}");
    assert!(error.to_string().contains("myrig tprocc prepare --profile hammerdb"), "{error}");

    let summary = load(&broken, &options, &LoadProgress::default()).unwrap();
    assert!(summary.chunks_resumed > 0, "{summary:?}");
    for table in Table::ALL {
        assert_eq!(fingerprint(&whole, table), fingerprint(&broken, table), "{table:?}");
    }
    wait(cleanup(&whole)).unwrap();
    wait(cleanup(&broken)).unwrap();
}

pub(crate) fn tables_are_made_as_asked_for_and_dropped_whole(bench: &Bench) {
    let target = bench.target("tables");
    let tables = TableOptions { partitions: 3, history_key: true, ..TableOptions::default() };
    let options = LoadOptions { tables, ..options(Profile::HammerDb) };
    let bad = TableOptions { engine: "NOSUCH".into(), ..TableOptions::default() };
    let refused = LoadOptions { tables: bad, ..options.clone() };
    let error = load(&bench.target("refused"), &refused, &LoadProgress::default()).unwrap_err();
    assert!(matches!(error, Error::TableOptions { .. }), "{error}");
    assert!(error.to_string().contains("--engine"), "{error}");

    // Stopped before the first row: the tables are what is looked at.
    let progress = LoadProgress::default();
    progress.stop.store(true, Ordering::Relaxed);
    load(&target, &options, &progress).unwrap_err();
    let partitions = "SELECT COUNT(*) FROM information_schema.PARTITIONS \
                      WHERE TABLE_SCHEMA = 'tables' AND PARTITION_NAME IS NOT NULL \
                      AND TABLE_NAME = 'order_line'";
    assert_eq!(number(&target, partitions), 3);
    let keys = "SELECT COUNT(*) FROM information_schema.STATISTICS \
                WHERE TABLE_SCHEMA = 'tables' AND INDEX_NAME = 'PRIMARY' \
                AND TABLE_NAME = 'history'";
    assert_eq!(number(&target, keys), 1);
    let other = LoadOptions { tables: TableOptions::default(), ..options };
    let error = load(&target, &other, &LoadProgress::default()).unwrap_err();
    assert!(error.to_string().contains("--partitions 3"), "{error}");

    let dropped = wait(cleanup(&target)).unwrap();
    assert_eq!(dropped.map(|data| data.tables.partitions), Some(3));
    let left = "SELECT (SELECT COUNT(*) FROM information_schema.TABLES \
                WHERE TABLE_SCHEMA = 'tables') + (SELECT COUNT(*) \
                FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'tables')";
    assert_eq!(number(&target, left), 0);
    assert_eq!(wait(cleanup(&target)).unwrap(), None);
}
