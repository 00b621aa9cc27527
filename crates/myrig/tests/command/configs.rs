//! `myrig server config`, and `server init --config`: one configuration for every version.

use crate::support::{Rig, keys};
use std::fs;

/// HammerDB's published option file, written for MySQL 8.0.
const LISTING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../server/tests/listings/hammerdb.cnf");

/// A rig with an option file in its directory.
fn with_file(text: &str) -> Rig {
    let rig = Rig::new();
    fs::write(rig.dir().join("my.cnf"), text).unwrap();
    rig
}

#[test]
fn an_option_file_is_written_for_another_version_and_says_what_became_of_it() {
    let rig = Rig::new();
    let plain = rig.run(&format!("server config --for mysql-8.4 {LISTING}")).good();
    assert!(plain.out.starts_with("# For MySQL 8.4.8.\n[mysqld]\n"), "{plain}");
    assert!(plain.out.contains("\ninnodb_redo_log_capacity = 32G\n"), "{plain}");
    assert_eq!(plain.out.matches('#').count(), 1, "no comments unless asked for: {plain}");
    plain.says(&["MySQL 8.4.8: ", " kept, ", " translated, ", "1 overridden", "--explain"]);

    let line = format!("server config --for mariadb-10.11 --from mysql-8.0.20 {LISTING} --explain");
    let told = rig.run(&line).good();
    for words in [
        "# innodb_log_file_size = 1024M (translated): the redo log is one file: 1G × 32",
        "\ninnodb_log_file_size = 32G\n",
        "# innodb_page_cleaners = 4 (dropped): removed in MariaDB 10.6.0",
        "# innodb_autoinc_lock_mode: 2 before, 1 now",
    ] {
        assert!(told.out.contains(words), "`{words}` is not in {told}");
    }
    assert!(told.out.lines().all(|line| line.chars().count() <= 100), "{told}");
}

#[test]
fn what_is_written_is_read_again_as_it_is() {
    let rig = Rig::new();
    rig.run(&format!("server config --for mysql-9 {LISTING} --output 9.cnf")).good();
    let again = rig.run("server config --for mysql-9 9.cnf").good();
    assert_eq!(again.out, fs::read_to_string(rig.dir().join("9.cnf")).unwrap());
    let words = ["--output", "replace what is carried over"];
    rig.run("server config --for mysql-9 9.cnf --output 9.cnf").ends(2).says(&words);
}

#[test]
fn the_server_that_is_found_is_written_for_unless_one_is_named() {
    let rig = Rig::new();
    let found = rig.run("server config --set tx_isolation=SERIALIZABLE").good();
    assert!(found.out.starts_with("# For MariaDB "), "{found}");
    assert!(found.out.ends_with("\ntransaction_isolation = SERIALIZABLE\n"), "{found}");
    let newer = "server config --for mysql-9.9.9 --set back_log=5";
    rig.run(newer).good().says(&["MySQL 9.9.9 is newer than 9.7.4"]);
    rig.run("server config").ends(2).says(&["--set NAME=VALUE"]);
}

#[test]
fn what_was_made_to_fit_is_told_as_json() {
    let rig = Rig::new();
    let line = "server config --for mysql-8.4 --set innodb_buffer_pool_size=900T --fit --json";
    let value = rig.run(line).good().json();
    let fitted = &value["fitted"][0];
    assert_eq!(keys(fitted), ["from", "name", "to", "why"]);
    assert_eq!((&fitted["name"], &fitted["from"]), (&value["settings"][0]["name"], &"900T".into()));
    assert_eq!(fitted["to"], value["settings"][0]["value"]);
}

#[test]
fn fates_are_told_as_json() {
    let rig = with_file("[client]\nport=1\n[mysqld]\nssl=0\nlarge-pages\nssl=0\n");
    let line = "server config --for mysql-8.4 --from mysql-8.0.20 my.cnf --json";
    let value = rig.run(line).good().json();
    let fields = [
        "defaults",
        "fates",
        "fitted",
        "from",
        "passed_over",
        "schema",
        "settings",
        "target",
        "text",
    ];
    assert_eq!(keys(&value), fields);
    assert_eq!(value["schema"], "myrig.server-config/1");
    assert_eq!(value["target"]["version"], "8.4.8");
    let settings = &value["settings"];
    assert_eq!(settings[0]["line"], "large_pages");
    assert_eq!(
        settings[1],
        serde_json::json!({
            "name": "tls_version", "value": "", "line": "tls_version ="
        })
    );
    let fates = value["fates"].as_array().unwrap();
    let told: Vec<_> = fates.iter().map(|fate| fate["fate"].as_str().unwrap()).collect();
    assert_eq!(told, ["overridden", "kept", "translated"]);
    assert_eq!((&fates[2]["file"], &fates[2]["line"]), (&"my.cnf".into(), &6.into()));
    assert_eq!(fates[2]["carried_by"][0], "tls_version");
    assert_eq!(value["passed_over"][0]["section"], "client");
    let defaults = value["defaults"].as_array().unwrap();
    assert!(defaults.iter().any(|it| it["name"] == "innodb_io_capacity"), "{defaults:?}");
}

#[test]
fn faults_of_an_option_file_are_told_with_file_and_line() {
    for (text, words) in [
        ("max_connections=1\n", ["my.cnf:1", "[mysqld]"]),
        ("[mysqld\n", ["my.cnf:1", "`]`"]),
        (
            "[mysqld]\n\ninnodb_bufer_pool_size=1G\n",
            ["my.cnf:3", "`innodb_buffer_pool_size` meant"],
        ),
        ("[mysqld]\nmax_connections=some\n", ["my.cnf:2", "whole number"]),
        ("[mysqld]\ninnodb_page_cleaners=65\n", ["my.cnf:2", "the most is 64"]),
        ("[mysqld]\ninnodb_flush_method=O_DIREKT\n", ["my.cnf:2", "O_DIRECT_NO_FSYNC"]),
        ("!include my.cnf\n", ["my.cnf:1", "includes itself"]),
    ] {
        let rig = with_file(text);
        rig.run("server config --for mysql-9 my.cnf").ends(3).says(&words);
        rig.run("server init a --config my.cnf").ends(3).says(&words);
        assert!(!rig.home().join("servers/a").exists(), "{text}");
    }
    let rig = with_file("[mysqld]\nloose-nobody-knows-this=1\n");
    let passed = rig.run("server config --for mysql-9 my.cnf").good();
    assert!(passed.out.contains("loose_nobody_knows_this = 1"), "{passed}");
}

#[test]
fn faults_of_the_command_line_are_wrong_usage() {
    let rig = Rig::new();
    rig.run("server config --for oracle-9 --set a=1").ends(2).says(&["percona"]);
    rig.run("server config --for mysql-5.1 --set a=1").ends(2).says(&["5.7, 8.0, 8.4"]);
    let unknown = "server config --for mysql-9 --set max_conections=1";
    rig.run(unknown).ends(2).says(&["--set", "`max_connections` meant"]);
    rig.run("server config --for mysql-9 none.cnf").ends(3).says(&["none.cnf"]);
}

#[test]
fn an_instance_takes_an_option_file_of_another_version() {
    let rig = Rig::new();
    let made = rig.run(&format!(
        "server init a --config {LISTING} --explain --set innodb_buffer_pool_size=32M \
         --set innodb_log_file_size=8M --set innodb_log_buffer_size=2M \
         --set innodb_flush_method=nosync --set max_connections=20 --set table_open_cache=100 \
         --json"
    ));
    let made = made.good();
    let options = fs::read_to_string(made.json()["options_file"].as_str().unwrap()).unwrap();
    for line in ["max_connections", "innodb_checksum_algorithm = crc32", "back_log = 1500"] {
        assert!(options.replace('-', "_").contains(line), "`{line}` is not in {options}");
    }
    assert!(!options.contains("192.168.1.1") && !options.contains("page_cleaners"), "{options}");
    made.says(&[
        "bind_address = 192.168.1.1 (left to the instance)",
        "innodb_page_cleaners = 4 (dropped)",
        "8M × 32 = 256M",
        " kept, ",
    ]);
    rig.run("server start a").good();
    rig.run("server stop a").good();
    rig.nothing_runs();
    let own = "server init b --config small.cnf --set port=3306";
    fs::write(rig.dir().join("small.cnf"), "[mysqld]\nmax_connections=20\n").unwrap();
    rig.run(own).ends(3).says(&["`port`", "--port"]);
}
