//! What a person can get wrong, and the words that are said about it.

use std::sync::Arc;

use client::{Secret, Target};
use engine::LoadError;
use workloads::tpcc::{DataSet, Error, LoadProgress, Profile, RunOptions, Tpcc, load};

use crate::support::*;

pub(crate) fn an_absent_database_and_an_empty_one_are_told_apart(bench: &Bench) {
    let absent = bench.target("faults_absent");
    let error = wait(DataSet::expect(&absent, None)).unwrap_err();
    assert!(matches!(error, Error::NoDatabase { .. }), "{error}");
    assert!(error.to_string().contains("prepare --database faults_absent"), "{error}");

    let empty = bench.target("faults_empty");
    create_database(&empty);
    let error = wait(DataSet::expect(&empty, None)).unwrap_err();
    assert!(matches!(error, Error::NotLoaded { .. }), "{error}");

    let nameless = Target { database: None, ..absent };
    let error = wait(DataSet::expect(&nameless, None)).unwrap_err();
    assert!(matches!(error, Error::NoDatabaseNamed), "{error}");
    let error = load(&nameless, &options(Profile::Spec), &LoadProgress::default()).unwrap_err();
    assert!(matches!(error, Error::NoDatabaseNamed), "{error}");
}

pub(crate) fn accounts_without_privileges_are_told_which_one_they_lack(bench: &Bench) {
    let reader = account(bench, "faults_reader", "SELECT");
    let spec = options(Profile::Spec);
    denied(load(&reader, &spec, &LoadProgress::default()).unwrap_err(), "faults_reader");
    let error = wait(DataSet::expect(&reader, None)).unwrap_err();
    assert!(matches!(error, Error::NotLoaded { .. }), "{error}");

    // One that may make tables and not fill them.
    let maker = account(bench, "faults_maker", "SELECT, CREATE");
    denied(load(&maker, &spec, &LoadProgress::default()).unwrap_err(), "INSERT");

    // One that may not even look into another's database.
    let outside = maker.clone().with_database("faults_reader");
    denied(wait(DataSet::expect(&outside, None)).unwrap_err(), "faults_maker");

    let stranger = Target { password: Secret::new("wrong"), ..maker };
    for error in [
        wait(DataSet::expect(&stranger, None)).unwrap_err(),
        load(&stranger, &spec, &LoadProgress::default()).unwrap_err(),
    ] {
        let words = error.to_string();
        assert!(words.contains("connecting") && words.contains("Access denied"), "{error}");
        assert!(!words.contains("wrong"), "a password is no part of a message: {words}");
    }
}

pub(crate) fn limits_of_the_server_are_checked_before_the_start(bench: &Bench) {
    let held = bench.two_warehouses(Profile::Spec);
    let tpcc = Tpcc::new(held.target.clone(), held.data, RunOptions::default()).unwrap();
    wait(tpcc.preflight(8)).unwrap();

    let error = wait(tpcc.preflight(2001)).unwrap_err();
    let Error::TooManyConnections { wanted, allowed, in_use, enough } = error else {
        panic!("{error}");
    };
    assert_eq!((wanted, allowed), (2001, 2000));
    assert!(enough > allowed && in_use < 100, "{in_use} {enough}");

    let error = wait(tpcc.preflight(500)).unwrap_err();
    let Error::TooManyStatements { wanted, allowed, in_use, enough } = error else {
        panic!("{error}");
    };
    assert_eq!(wanted, 500 * 54);
    assert!(enough == wanted + in_use && enough > allowed, "{allowed} {in_use} {enough}");

    // What is not found out beforehand is found out by the engine, which opens all or nothing.
    run(&held.target, &["CREATE USER few@localhost WITH MAX_USER_CONNECTIONS 2"]);
    run(&held.target, &["GRANT ALL ON *.* TO few@localhost"]);
    let few = Target { user: "few".into(), password: Secret::new(""), ..held.target.clone() };
    let tpcc = Tpcc::new(few, held.data, RunOptions::default()).unwrap();
    let options = engine::LoadOptions { connections: 3, ..engine::LoadOptions::default() };
    let error = engine::run(Arc::new(tpcc), &options, &engine::Stop::new(), |_| {}).unwrap_err();
    let LoadError::NotOpened { failure, .. } = error else { panic!("{error}") };
    assert_eq!(failure.code, 1226, "{failure}");
}

pub(crate) fn a_missing_table_and_another_profile_are_named(bench: &Bench) {
    let held = bench.two_warehouses(Profile::Spec);
    let error = wait(DataSet::expect(&held.target, Some(Profile::BenchmarkSql))).unwrap_err();
    assert!(matches!(error, Error::OtherData { option: "profile", .. }), "{error}");
    assert!(error.to_string().contains("--profile spec"), "{error}");

    held.run("RENAME TABLE {history} TO hidden");
    let error = wait(DataSet::expect(&held.target, None)).unwrap_err();
    held.run("RENAME TABLE hidden TO {history}");
    assert!(matches!(&error, Error::MissingTable { table, .. } if table == "history"), "{error}");
    wait(DataSet::expect(&held.target, None)).unwrap();
}
