//! What a person can get wrong, and the words that are said about it.

use crate::support::*;
use client::Target;
use workloads::{
    oltp::{Error, Kind, LoadOptions, LoadProgress, Oltp, Options, Protocol, cleanup, load},
    tpcc,
};

fn refused(target: &Target, options: Options, connections: u32) -> Error {
    let oltp = Oltp::new(target.clone(), options).unwrap();
    wait(oltp.preflight(connections)).expect_err("this must be refused")
}

fn says(error: &Error, words: &[&str]) {
    let said = error.to_string();
    assert!(words.iter().all(|word| said.contains(word)), "{said}: {words:?}");
}

pub(crate) fn missing_and_small_tables_are_named_with_the_way_out(bench: &Bench) {
    let error = refused(&bench.target("faults_absent"), on_small(), 1);
    says(&error, &["no database `faults_absent`", "myrig oltp prepare --database faults_absent"]);
    let empty = bench.target("faults_empty");
    create_database(&empty);
    let error = refused(&empty, on_small(), 1);
    says(&error, &["`sbtest1` is missing from `faults_empty`", "prepare --tables 2"]);

    let target = bench.tables("faults_small", small());
    let error = refused(&target, Options { tables: 5, ..on_small() }, 1);
    says(&error, &["`sbtest3` is missing", "prepare --tables 5", "say --tables 2"]);
    let error = refused(&target, Options { table_size: 2_000, ..on_small() }, 1);
    assert!(matches!(error, Error::TooFewRows { found: 1_000, wanted: 2_000, .. }), "{error}");
    says(&error, &["--table-size 1000", "--table-size 2000", "myrig oltp cleanup"]);
    // Inserts need no row.
    let inserts = Options { kind: Kind::Insert, table_size: 2_000, ..on_small() };
    wait(Oltp::new(target.clone(), inserts).unwrap().preflight(1)).unwrap();
    // The smallest table decides.
    run(&target, &["DELETE FROM sbtest2 WHERE id > 900"]);
    says(&refused(&target, on_small(), 1), &["keys up to 900 only"]);
}

pub(crate) fn tables_of_somebody_else_are_left_alone(bench: &Bench) {
    let target = bench.target("faults_foreign");
    create_database(&target);
    run(
        &target,
        &["CREATE TABLE sbtest1 (id INT, k INT, c TEXT)", "CREATE TABLE sbtest02 (a INT)"],
    );
    let options = LoadOptions { data: small(), ..LoadOptions::default() };
    let errors = [
        load(&target, &options, &LoadProgress::default()).unwrap_err(),
        wait(cleanup(&target)).unwrap_err(),
        refused(&target, Options { tables: 1, ..on_small() }, 1),
    ];
    for error in errors {
        says(&error, &["`sbtest1`", "lacks a column `pad`", "another --database"]);
    }
    assert_eq!(query(&target, "SHOW TABLES"), ["sbtest02", "sbtest1"]);
    run(&target, &["RENAME TABLE sbtest1 TO sbtest2"]);
    let error = load(&target, &options, &LoadProgress::default()).unwrap_err();
    says(&error, &["`sbtest2`", "no `sbtest1`"]);
}

pub(crate) fn limits_of_the_server_are_checked_before_the_start(bench: &Bench) {
    let target = bench.tables("faults_limits", small());
    let error = refused(&target, on_small(), 101);
    let Error::Common(tpcc::Error::TooManyConnections { wanted, allowed, .. }) = &error else {
        panic!("{error}");
    };
    assert_eq!((*wanted, *allowed), (101, 100));
    says(&error, &["--connections", "SET GLOBAL max_connections="]);

    // Nine statements a table and two tables, 500 allowed.
    let oltp = Oltp::new(target.clone(), on_small()).unwrap();
    assert_eq!(oltp.statements(27), 27 * 18);
    wait(oltp.preflight(27)).unwrap();
    let error = refused(&target, on_small(), 28);
    assert!(matches!(error, Error::TooManyStatements { wanted: 504, allowed: 500, .. }), "{error}");
    says(&error, &["--tables", "--protocol text", "SET GLOBAL max_prepared_stmt_count="]);
    let text = Options { protocol: Protocol::Text, ..on_small() };
    wait(Oltp::new(target, text).unwrap().preflight(28)).unwrap();
}
