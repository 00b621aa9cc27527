//! Several processes and one store. This program starts itself again as the other processes, so it
//! has a `main` of its own.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use lab::{
    export,
    record::RunRecord,
    store::{RunFilter, Store},
};
use std::{
    env,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

const RUNS_EACH: usize = 25;

fn main() {
    let arguments: Vec<String> = env::args().collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[1..] {
        ["save-many", path, name] => save_many(path, name),
        ["save-for-ever", path] => save_for_ever(path),
        // What `cargo test` and its relatives pass is not for this program.
        _ => {
            two_processes_that_save_at_once_both_succeed();
            a_process_killed_while_saving_leaves_whole_runs();
        }
    }
}

fn example() -> RunRecord {
    export::parse(include_str!("data/run-1.json")).unwrap()
}

fn save_many(path: &str, name: &str) {
    for number in 0..RUNS_EACH {
        let mut record = example();
        record.id = format!("{name}-{number}");
        // Opened anew each time: making the tables and switching the journal are races too.
        Store::open(path).unwrap().save(&record).unwrap();
    }
}

/// Every version of the run has as many intervals as its label says.
fn save_for_ever(path: &str) {
    let mut store = Store::open(path).unwrap();
    let mut record = example();
    let second = record.intervals[0].clone();
    for length in (1..).map(|n| n % 7 * 300 + 1) {
        record.intervals = vec![second.clone(); length];
        record.label = length.to_string();
        store.save(&record).unwrap();
    }
}

fn start(arguments: &[&str]) -> Child {
    let program = env::current_exe().unwrap();
    Command::new(program).args(arguments).stdin(Stdio::null()).spawn().unwrap()
}

fn two_processes_that_save_at_once_both_succeed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.db");
    let text = path.to_str().unwrap();
    let children = ["a", "b", "c"].map(|name| start(&["save-many", text, name]));
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let runs = Store::open(&path).unwrap().list(&RunFilter::default()).unwrap();
    assert_eq!(runs.len(), 3 * RUNS_EACH);
    println!("test two_processes_that_save_at_once_both_succeed ... ok");
}

fn a_process_killed_while_saving_leaves_whole_runs() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.db");
    let mut lengths = Vec::new();
    for _ in 0..5 {
        let mut child = start(&["save-for-ever", path.to_str().unwrap()]);
        wait_for_a_new_version(&path, lengths.last().copied());
        child.kill().unwrap();
        child.wait().unwrap();
        let record = Store::open(&path).unwrap().load("latest").unwrap();
        assert_eq!(record.intervals.len().to_string(), record.label, "half of a save was kept");
        lengths.push(record.intervals.len());
    }
    println!("test a_process_killed_while_saving_leaves_whole_runs ... ok");
}

fn wait_for_a_new_version(path: &Path, old: Option<usize>) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        let loaded = Store::open(path).and_then(|store| store.load("latest"));
        if loaded.is_ok_and(|record| Some(record.intervals.len()) != old) {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("the other process saved nothing within a minute");
}
