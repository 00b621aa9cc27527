#![allow(clippy::unwrap_used)]
use super::*;
use crate::record::{RunStatus, example};
use proptest::prelude::*;
use std::{fs, process::Command};

fn store() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path().join("runs.db")).unwrap();
    (directory, store)
}

fn run(id: &str, started_at: &str) -> RunRecord {
    let mut record = example::record();
    (record.id, record.started_at) = (id.to_owned(), started_at.to_owned());
    record
}

fn ids(runs: &[RunSummary]) -> Vec<&str> {
    runs.iter().map(|run| run.id.as_str()).collect()
}

#[test]
fn what_is_saved_is_loaded_unchanged() {
    let (_directory, mut store) = store();
    store.save(&example::record()).unwrap();
    assert_eq!(store.load("latest").unwrap(), example::record());
    let again = Store::open(store.path()).unwrap();
    assert_eq!(again.load("20261121T204500-1f3a9c").unwrap(), example::record());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_value_survives_the_tables(
        at_s in prop::num::f64::NORMAL,
        count in any::<u64>(),
        text in ".*",
        types in 0usize..4,
    ) {
        let (_directory, mut store) = store();
        let mut record = example::record();
        record.intervals[1].at_s = at_s;
        record.intervals[1].transactions.resize(types, Default::default());
        for counts in &mut record.intervals[1].transactions {
            counts.committed = count;
        }
        record.transactions[0].measured.committed = count;
        (record.transactions[0].name, record.label) = (text.clone(), text);
        store.save(&record).unwrap();
        prop_assert_eq!(store.load(&record.id).unwrap(), record);
    }
}

#[test]
fn saving_again_replaces_the_partial_by_the_final() {
    let (_directory, mut store) = store();
    let mut record = example::record();
    store.save(&record).unwrap();
    record.status = RunStatus::Complete;
    record.intervals.truncate(2);
    record.transactions.truncate(1);
    record.headline.clear();
    store.save(&record).unwrap();
    assert_eq!(store.load(&record.id).unwrap(), record);
    let listed = store.list(&RunFilter::default()).unwrap();
    assert_eq!((listed.len(), listed[0].status.as_str()), (1, "complete"));
    assert_eq!(listed[0].headline, None);
}

#[test]
fn a_failed_save_leaves_what_was_there() {
    let (_directory, mut store) = store();
    let mut record = example::record();
    store.save(&record).unwrap();
    record.label = "second".to_owned();
    record.intervals[3].client_cpu = f64::INFINITY;
    let error = store.save(&record).unwrap_err().to_string();
    assert!(error.contains("an interval is not a finite number"), "{error}");
    assert_eq!(store.load("latest").unwrap(), example::record());
}

#[test]
fn runs_are_listed_latest_first_and_filtered() {
    let (_directory, mut store) = store();
    let mut other = run("b", "2026-11-22T10:00:00Z");
    other.workload.name = "oltp".to_owned();
    other.workload.profile = "sysbench/1".to_owned();
    other.label = "Smaller REDO".to_owned();
    other.status = RunStatus::Complete;
    store.save(&run("a", "2026-11-21T10:00:00Z")).unwrap();
    store.save(&other).unwrap();
    store.save(&run("c", "2026-11-20T10:00:00Z")).unwrap();
    let list = |filter: RunFilter| store.list(&filter).unwrap();
    assert_eq!(ids(&list(RunFilter::default())), ["b", "a", "c"]);
    assert_eq!(ids(&list(RunFilter { limit: Some(1), ..Default::default() })), ["b"]);
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(ids(&list(RunFilter { workload: some("tpcc"), ..Default::default() })), ["a", "c"]);
    assert_eq!(ids(&list(RunFilter { profile: some("spec"), ..Default::default() })), ["a", "c"]);
    assert_eq!(ids(&list(RunFilter { profile: some("spe"), ..Default::default() })), [""; 0]);
    assert_eq!(
        ids(&list(RunFilter { label: some("redo"), ..Default::default() })),
        ["b", "a", "c"]
    );
    assert_eq!(ids(&list(RunFilter { label: some("small"), ..Default::default() })), ["b"]);
    assert_eq!(ids(&list(RunFilter { server: some("mysql"), ..Default::default() })), [""; 0]);
    assert_eq!(ids(&list(RunFilter { status: some("partial"), ..Default::default() })), ["a", "c"]);
    assert_eq!(
        ids(&list(RunFilter { since: some("2026-11-21"), ..Default::default() })),
        ["b", "a"]
    );
}

#[test]
fn a_run_is_found_by_the_beginning_of_its_id() {
    let (_directory, mut store) = store();
    let unknown = store.load("latest").unwrap_err().to_string();
    assert!(unknown.contains("holds no run yet"), "{unknown}");
    store.save(&run("20261121T100000-aaaaaa", "2026-11-21T10:00:00Z")).unwrap();
    store.save(&run("20261121T110000-bbbbbb", "2026-11-21T11:00:00Z")).unwrap();
    store.save(&run("20261121T110000-bb", "2026-11-21T11:00:00Z")).unwrap();
    assert_eq!(store.resolve("20261121T10").unwrap(), "20261121T100000-aaaaaa");
    assert_eq!(store.resolve("20261121T110000-bb").unwrap(), "20261121T110000-bb");
    let ambiguous = store.load("20261121").unwrap_err().to_string();
    assert!(ambiguous.contains("20261121T100000-aaaaaa: give more"), "{ambiguous}");
    for typed in ["20261121T100000-aaaabb", "20261121T1010", "aaa"] {
        let unknown = store.load(typed).unwrap_err().to_string();
        assert!(unknown.contains("did you mean 20261121T100000-aaaaaa"), "{typed}: {unknown}");
    }
    let far = store.load("%").unwrap_err().to_string();
    assert!(far.contains("`myrig runs list` shows the ids"), "{far}");
}

#[test]
fn a_removed_run_leaves_no_row_behind() {
    let (_directory, mut store) = store();
    store.save(&run("a", "2026-11-21T10:00:00Z")).unwrap();
    store.save(&run("b", "2026-11-21T11:00:00Z")).unwrap();
    assert_eq!(store.remove("a").unwrap(), "a");
    assert_eq!(ids(&store.list(&RunFilter::default()).unwrap()), ["b"]);
    for (table, rows) in
        [("transactions", 2), ("histograms", 6), ("intervals", 4), ("interval_transactions", 8)]
    {
        let sql = format!("SELECT count(*) FROM {table}");
        let found: i64 = store.connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(found, rows, "{table}");
    }
}

#[test]
fn sql_users_find_a_row_a_second_and_type() {
    let (_directory, mut store) = store();
    store.save(&example::record()).unwrap();
    let sql = "SELECT sum(committed) FROM series
               WHERE transaction_name = 'New-Order' AND at_s > 1.0";
    let committed: i64 = store.connection.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(committed, 303);
}

#[test]
fn a_file_that_is_no_store_is_refused_untouched() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    let long = "These are my notes. ".repeat(50);
    for content in ["short", &long] {
        fs::write(&path, content).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
        assert!(error.to_string().contains("notes.txt"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    let path = directory.path().join("other.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE t (x); PRAGMA user_version = 9")
        .unwrap();
    let before = fs::read(&path).unwrap();
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.contains("SQLite file of another program"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2, "something was left beside the files");
}

#[test]
fn a_newer_store_is_refused_untouched() {
    let (_directory, store) = store();
    let path = store.path().to_owned();
    store.connection.pragma_update(None, "user_version", 99).unwrap();
    drop(store);
    let before = fs::read(&path).unwrap();
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.contains("format 99") && error.contains("newer myrig"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn an_empty_file_becomes_a_store() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("deep/er/runs.db");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "").unwrap();
    assert_eq!(Store::open(&path).unwrap().list(&RunFilter::default()).unwrap(), []);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "x").unwrap();
    let error = Store::open(file.join("runs.db")).unwrap_err();
    assert!(matches!(error, StoreError::Unwritable { .. }), "{error}");
    assert!(error.to_string().contains("file/runs.db"), "{error}");
    let error = Store::open(directory.path()).unwrap_err().to_string();
    assert!(error.contains("not a regular file"), "{error}");
}

#[test]
fn a_damaged_store_says_how_to_rescue_it() {
    let (_directory, mut store) = store();
    store.save(&example::record()).unwrap();
    let path = store.path().to_owned();
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let error = Store::open(&path).and_then(|store| store.load("latest")).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    assert!(error.to_string().contains(".recover"), "{error}");
}

#[test]
fn a_store_that_stays_locked_is_reported_so() {
    let (_directory, mut store) = store();
    let other = Connection::open(store.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let wait = Duration::from_millis(50);
    let mut hurried = Store::open_waiting(store.path(), wait).unwrap();
    let error = hurried.save(&example::record()).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    other.execute_batch("COMMIT").unwrap();
    store.save(&example::record()).unwrap();
}

/// Unmounts a small file system when the test ends, however it ends.
struct Mounted(tempfile::TempDir);

impl Mounted {
    fn small() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=400k", "tmpfs"])
            .arg(directory.path())
            .output()
            .is_ok_and(|output| output.status.success());
        mounted.then_some(Self(directory))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
#[allow(clippy::print_stderr)]
fn a_full_disk_is_said_and_loses_nothing() {
    let Some(small) = Mounted::small() else {
        eprintln!("SKIPPED: a_full_disk_is_said_and_loses_nothing needs root to mount a tmpfs");
        return;
    };
    let mut store = Store::open(small.0.path().join("runs.db")).unwrap();
    store.save(&example::record()).unwrap();
    let mut long = run("long", "2026-11-22T10:00:00Z");
    long.intervals = vec![long.intervals[0].clone(); 20_000];
    let error = store.save(&long).unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert!(error.to_string().contains("make room"), "{error}");
    assert_eq!(store.load("latest").unwrap(), example::record());
    drop(store);
    let again = Store::open(small.0.path().join("runs.db")).unwrap();
    assert_eq!(ids(&again.list(&RunFilter::default()).unwrap()), [example::record().id]);

    fs::write(small.0.path().join("ballast"), vec![0; 400 << 10]).unwrap_err();
    let error = Store::open(small.0.path().join("second.db")).unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
}
