//! A loading process killed with SIGKILL, again and again: the data in the end is the same.

use std::{
    env,
    process::{Child, Command, Stdio},
};

use client::{Endpoint, Secret, Target};
use workloads::tpcc::{DataSet, Error, LoadProgress, Profile, load};

use crate::support::*;

/// Where the child finds the server: socket, password file and database, one a line.
const WHERE: &str = "MYRIG_TEST_LOADER";

const PROFILE: Profile = Profile::BenchmarkSql;

/// The child of the test below; on its own it checks only that nobody asks it for anything.
#[test]
fn loader_child() {
    let Some(place) = env::var_os(WHERE) else { return };
    let place = place.into_string().unwrap();
    let [socket, password_file, database] = place.lines().collect::<Vec<_>>()[..] else {
        panic!("three lines: {place}");
    };
    let password = std::fs::read_to_string(password_file).unwrap();
    let target = Target::new(Endpoint::Unix(socket.into()), "root", Secret::new(password.trim()))
        .with_database(database);
    loaded(&target, &options(PROFILE));
}

fn spawn(bench: &Bench, database: &str) -> Child {
    let mut server = bench.server();
    let instance = server.instance();
    let (socket, password) = (instance.socket(), instance.password_file());
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "killed::loader_child"])
        .env(WHERE, format!("{}\n{}\n{database}", socket.display(), password.display()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

pub(crate) fn a_load_killed_again_and_again_ends_with_the_same_data(bench: &Bench) {
    let target = bench.target("killed");
    let mut in_before = 0;
    // In the last rounds indexes and foreign keys are being made.
    for least in [0, 4, 20, 45, CHUNKS, CHUNKS] {
        let mut child = spawn(bench, "killed");
        // The first round dies wherever it is once it has connected at all.
        until("so many chunks are in", || match child.try_wait().unwrap() {
            Some(status) => panic!("the loader has ended: {status}"),
            None => database_is_there(bench) && chunks(&target) >= least.max(in_before),
        });
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "killed while at work");
        let in_now = chunks(&target);
        assert!(in_now >= in_before, "what was in stays in: {in_before}, then {in_now}");
        in_before = in_now;
    }
    let error = wait(DataSet::expect(&target, None)).unwrap_err();
    assert!(matches!(error, Error::HalfLoaded { .. }), "{error}");

    let summary = load(&target, &options(PROFILE), &LoadProgress::default()).unwrap();
    assert_eq!((summary.chunks_resumed as u64, summary.rows), (CHUNKS, 0));
    assert_eq!(fingerprint(&target, PROFILE), reference(PROFILE));
    let data = wait(DataSet::expect(&target, Some(PROFILE))).unwrap();
    assert_consistent(&target, &data);
    let keys = "SELECT COUNT(*) FROM information_schema.TABLE_CONSTRAINTS \
                WHERE CONSTRAINT_SCHEMA = 'killed' AND CONSTRAINT_TYPE = 'FOREIGN KEY'";
    assert_eq!(number(&target, keys), 10);
}

fn database_is_there(bench: &Bench) -> bool {
    !query(&bench.target("mysql"), "SHOW DATABASES LIKE 'killed'").is_empty()
}
