//! What a person gets wrong, and what the error says about it.

use client::Target;
use workloads::{
    tpcc::{self, LoadProgress},
    tprocc::{CallMode, DataSet, Error, Profile, RunOptions, Tprocc, load},
};

use crate::support::*;

pub(crate) fn accounts_without_privileges_are_told_which_one_they_lack(bench: &Bench) {
    let tables = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER";
    let maker = bench.account("maker", tables);
    let error = load(&maker, &options(Profile::Spec), &LoadProgress::default()).unwrap_err();
    assert!(matches!(error, Error::NoCreateRoutine { .. }), "{error}");
    let words = error.to_string();
    assert!(words.contains("GRANT CREATE ROUTINE") && words.contains("`maker`.*"), "{words}");
    assert_eq!(number(&bench.target("maker"), "SELECT COUNT(*) FROM item"), 0, "{words}");

    let held = bench.two_warehouses(Profile::HammerDb);
    let root = Target { database: None, ..held.target.clone() };
    run(&root, "CREATE USER caller@'%' IDENTIFIED BY 'Harmless-1'");
    run(&root, "GRANT SELECT, INSERT, UPDATE, DELETE ON shared_hammerdb.* TO caller@'%'");
    let caller = Target {
        user: "caller".into(),
        password: client::Secret::new("Harmless-1"),
        ..held.target.clone()
    };
    let tprocc = Tprocc::new(caller, held.data.clone(), RunOptions::default()).unwrap();
    let error = wait(tprocc.preflight(1)).unwrap_err();
    let words = error.to_string();
    assert!(words.contains("without EXECUTE"), "{words}");
    // Who may change procedures sees them.
    run(&root, "GRANT ALTER ROUTINE ON shared_hammerdb.* TO caller@'%'");
    let error = wait(tprocc.preflight(1)).unwrap_err();
    assert!(matches!(error, Error::NoExecute { .. }), "{error}");
    assert!(error.to_string().contains("GRANT EXECUTE ON `shared_hammerdb`.*"), "{error}");
}

pub(crate) fn data_that_is_absent_half_loaded_or_other_is_named(bench: &Bench) {
    let expect = |target: &Target, profile, warehouses| {
        wait(DataSet::expect(target, profile, warehouses)).unwrap_err().to_string()
    };
    let words = expect(&bench.target("nowhere"), None, None);
    assert!(words.contains("myrig tprocc prepare --database nowhere"), "{words}");

    let held = bench.two_warehouses(Profile::HammerDb);
    let words = expect(&held.target, Some(Profile::Spec), None);
    assert!(words.contains("--profile hammerdb"), "{words}");
    let words = expect(&held.target, None, Some(3));
    assert!(words.contains("--warehouses 2"), "{words}");

    run(&held.target, "RENAME TABLE history TO hidden");
    let words = expect(&held.target, None, None);
    run(&held.target, "RENAME TABLE hidden TO history");
    assert!(words.contains("table `history` is missing"), "{words}");

    run(&held.target, "INSERT INTO warehouse (w_id) VALUES (3)");
    let words = expect(&held.target, None, None);
    run(&held.target, "DELETE FROM warehouse WHERE w_id = 3");
    assert!(words.contains("2 warehouses and has 3"), "{words}");

    let database = Target { database: Some("tpccs".into()), ..held.target.clone() };
    run(&Target { database: None, ..database.clone() }, "CREATE DATABASE tpccs");
    run(&database, "CREATE TABLE stock (s_i_id INT)");
    let error = load(&database, &options(Profile::Spec), &LoadProgress::default()).unwrap_err();
    assert!(matches!(error, Error::ForeignTable { .. }), "{error}");
}

pub(crate) fn limits_of_the_server_are_checked_before_the_start(bench: &Bench) {
    let held = bench.two_warehouses(Profile::HammerDb);
    let count = |call| {
        let options = RunOptions { call, ..RunOptions::default() };
        let tprocc = Tprocc::new(held.target.clone(), held.data.clone(), options).unwrap();
        wait(tprocc.preflight(20))
    };
    let usual = number(&held.target, "SELECT @@GLOBAL.max_prepared_stmt_count");
    run(&held.target, "SET GLOBAL max_prepared_stmt_count = 99");
    let (prepared, plain) = (count(CallMode::Prepared), count(CallMode::Plain));
    run(&held.target, &format!("SET GLOBAL max_prepared_stmt_count = {usual}"));
    let error = prepared.unwrap_err();
    assert!(
        matches!(error, Error::Common(tpcc::Error::TooManyStatements { wanted: 100, .. })),
        "{error}"
    );
    plain.expect("plain calls prepare nothing");
}
