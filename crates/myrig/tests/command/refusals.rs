//! What a server refuses, or does not have: each is said before anything is begun, with the way
//! out.

use crate::{
    on_both,
    support::{Ended, Rig, Server},
};
use std::{fs, os::unix::fs::PermissionsExt};

on_both!(
    a_wrong_password_is_refused,
    a_database_that_does_not_exist_is_named,
    an_account_without_privileges_is_told_what_to_grant,
    more_connections_than_the_server_allows_are_refused_before_the_start,
    a_table_of_somebody_else_is_left_alone,
);

/// `myrig LINE` as an account, over TCP.
fn as_account(server: &Server, line: &str, user: &str, password: &str) -> Ended {
    let rig = Rig::new();
    let file = rig.dir().join("password");
    fs::write(&file, format!("{password}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    rig.run(&format!(
        "{line} --host 127.0.0.1 --port {} --user {user} --password-file {}",
        server.fact("port"),
        file.display()
    ))
}

fn a_wrong_password_is_refused(server: &Server) {
    for verb in ["prepare", "run", "check", "cleanup"] {
        let ended = as_account(server, &format!("tpcc {verb}"), "root", "hunter2");
        let ended = ended.ends(3).says(&["Access denied", "root"]);
        assert!(!ended.err.contains("hunter2"), "{ended}");
    }
}

fn a_database_that_does_not_exist_is_named(server: &Server) {
    for verb in ["run", "check"] {
        let ended = server.run(&format!("tpcc {verb} -D nowhere"));
        ended.ends(3).says(&["`nowhere`", "myrig tpcc prepare"]);
    }
    let ended = server.run("tpcc check -D mysql");
    ended.ends(3).says(&["holds no TPC-C data", "myrig tpcc prepare"]);
}

fn an_account_without_privileges_is_told_what_to_grant(server: &Server) {
    server.query("CREATE USER 'poor'@'%' IDENTIFIED BY 'pw'");
    server.query("CREATE DATABASE forbidden");
    for verb in ["prepare -w 1", "run", "check", "cleanup"] {
        let line = format!("tpcc {verb} -D forbidden");
        let ended = as_account(server, &line, "poor", "pw").ends(3);
        ended.says(&["`poor`", "lacks a privilege", "GRANT", "forbidden"]);
    }
    server.query("GRANT SELECT ON forbidden.* TO 'poor'@'%'");
    let ended = as_account(server, "tpcc prepare -w 1 -D forbidden", "poor", "pw").ends(3);
    ended.says(&["`poor`", "lacks a privilege", "GRANT"]);
    server.query("DROP DATABASE forbidden");
}

fn more_connections_than_the_server_allows_are_refused_before_the_start(server: &Server) {
    // Small data that looks whole is enough: nothing of it is touched.
    server.query("CREATE DATABASE crowded");
    for table in ["item", "warehouse", "district", "customer", "history", "orders", "new_order"] {
        server.query(&format!("CREATE TABLE crowded.{table} (d_next_o_id INT)"));
    }
    server.query("CREATE TABLE crowded.order_line (a INT)");
    server.query("CREATE TABLE crowded.stock (a INT)");
    server.query("CREATE TABLE crowded.myrig_tpcc (name VARCHAR(32), value VARCHAR(255))");
    server.query(
        "INSERT INTO crowded.myrig_tpcc VALUES ('profile', 'spec'), ('warehouses', '1'), \
         ('seed', '1'), ('state', 'ready')",
    );
    let ended = server.run("tpcc run -D crowded -c 2000").ends(3);
    ended.says(&["2000 connections do not fit", "max_connections=", "--connections"]);
    let runs = server.rig.run("runs list --json").good();
    assert!(!runs.out.contains("crowded"), "no run, no record: {runs}");

    server.query("DROP TABLE crowded.stock");
    for verb in ["run", "check"] {
        let ended = server.run(&format!("tpcc {verb} -D crowded")).ends(3);
        ended.says(&["table `stock` is missing", "tpcc cleanup"]);
    }
    server.query("DROP DATABASE crowded");
}

fn a_table_of_somebody_else_is_left_alone(server: &Server) {
    server.query("CREATE DATABASE shop");
    server.query("CREATE TABLE shop.customer (name VARCHAR(9))");
    server.query("INSERT INTO shop.customer VALUES ('mine')");
    let ended = server.run("tpcc prepare -w 1 -D shop").ends(3);
    ended.says(&["`customer`", "myrig did not make", "--database"]);
    server.run("tpcc cleanup -D shop").good();
    assert_eq!(server.query("SELECT name FROM shop.customer"), ["mine"]);
    server.query("DROP DATABASE shop");
}

#[test]
fn data_of_another_profile_is_refused() {
    let data = Server::mariadb().two_warehouses();
    let words = ["profile spec, not benchmarksql", "--profile spec"];
    data.server.run("tpcc run -D two --profile benchmarksql").ends(3).says(&words);
    data.server.run("tpcc prepare -w 2 -D two --profile benchmarksql").ends(3).says(&words);
    let seed = data.server.run("tpcc prepare -w 2 -D two --seed 7").ends(3);
    seed.says(&["seed 1, not 7", "tpcc cleanup"]);
}

#[test]
fn required_privacy_that_the_server_does_not_offer_is_refused() {
    let words = ["TLS"];
    Server::mariadb().run("tpcc check --tls-mode required").ends(3).says(&words);
}
