#![allow(clippy::unwrap_used)]
use super::*;
use crate::config::{given::Place, line::Line};
use proptest::prelude::*;

fn given(settings: &[(&str, &str)]) -> Vec<Given> {
    let each = settings.iter().zip(1..).map(|((name, value), line)| Given {
        name: (*name).to_owned(),
        value: (*value != "-").then(|| (*value).to_owned()),
        place: Place::File { path: "my.cnf".into(), line },
    });
    each.collect()
}

fn translated(target: &str, from: Option<&str>, settings: &[(&str, &str)]) -> Translation {
    let from = from.map(|from| Target::parse(from).unwrap());
    let target = Target::parse(target).unwrap();
    Translation::of(&given(settings), target, from, For::AnyServer).unwrap()
}

/// The lines that the settings become, and the words of every fate.
fn lines(target: &str, settings: &[(&str, &str)]) -> (Vec<String>, Vec<&'static str>) {
    let translation = translated(target, None, settings);
    let lines = translation.settings.iter().map(Setting::line).collect();
    (lines, translation.fates.iter().map(|fate| fate.kind.word()).collect())
}

#[test]
fn the_redo_log_is_said_in_the_words_of_each_version() {
    let files = [("innodb_log_file_size", "2048M"), ("innodb_log_files_in_group", "32")];
    let translations = ["translated", "translated"];
    for (target, expected) in [
        ("mysql-8.0.30", "innodb_redo_log_capacity = 64G"),
        ("mysql-8.4", "innodb_redo_log_capacity = 64G"),
        ("percona-8.4", "innodb_redo_log_capacity = 64G"),
        ("mariadb-10.11", "innodb_log_file_size = 64G"),
    ] {
        assert_eq!(lines(target, &files), (vec![expected.to_owned()], translations.to_vec()));
    }
    for target in ["mysql-8.0.20", "mysql-5.7", "mariadb-10.4"] {
        let kept = ["innodb_log_file_size = 2048M", "innodb_log_files_in_group = 32"];
        assert_eq!(lines(target, &files).0, kept, "{target}");
    }
    let capacity = [("innodb_redo_log_capacity", "8G")];
    assert_eq!(lines("mysql-8.0.20", &capacity).0, ["innodb_log_file_size = 4G"]);
    assert_eq!(lines("mariadb-10.11", &capacity).0, ["innodb_log_file_size = 8G"]);
    assert_eq!(lines("mysql-9", &capacity).0, ["innodb_redo_log_capacity = 8G"]);
}

#[test]
fn a_redo_log_without_the_number_of_files_goes_by_the_default_of_its_version() {
    let size = [("innodb_log_file_size", "1G")];
    assert_eq!(lines("mysql-9", &size).0, ["innodb_redo_log_capacity = 2G"]);
    assert_eq!(lines("mariadb-10.11", &size).0, ["innodb_log_file_size = 1G"]);
    let from_mysql = translated("mariadb-10.11", Some("mysql-8.0.20"), &size);
    assert_eq!(from_mysql.settings[0].line(), "innodb_log_file_size = 2G");
    let from_mariadb = translated("mysql-9", Some("mariadb-10.5"), &size);
    assert_eq!(from_mariadb.settings[0].line(), "innodb_redo_log_capacity = 1G");
    let both = [("innodb_redo_log_capacity", "8G"), ("innodb_log_file_size", "1G")];
    assert_eq!(lines("mysql-8.4", &both).1, ["kept", "dropped"]);
    let count = [("innodb_log_files_in_group", "4")];
    assert_eq!(lines("mysql-8.4", &count), (vec![], vec!["dropped"]));
    let much = [("innodb_log_file_size", "512G"), ("innodb_log_files_in_group", "2")];
    let translation = translated("mysql-8.4", None, &much);
    assert_eq!(translation.settings[0].line(), "innodb_redo_log_capacity = 512G");
    assert!(translation.fates[0].why[0].contains("the most"), "{:?}", translation.fates[0]);
}

#[test]
fn names_and_units_change_with_the_version() {
    for (target, name, value, expected, fate) in [
        ("mysql-8.0.20", "expire_logs_days", "7", "expire_logs_days = 7", "kept"),
        ("mysql-8.4", "expire_logs_days", "7", "binlog_expire_logs_seconds = 604800", "translated"),
        ("mysql-5.7", "binlog_expire_logs_seconds", "1800", "expire_logs_days = 1", "translated"),
        (
            "mariadb-10.5",
            "binlog_expire_logs_seconds",
            "86400",
            "expire_logs_days = 1",
            "translated",
        ),
        ("mysql-5.7", "binlog_expire_logs_seconds", "0", "expire_logs_days = 0", "translated"),
        (
            "mysql-9",
            "tx_isolation",
            "READ-COMMITTED",
            "transaction_isolation = READ-COMMITTED",
            "renamed",
        ),
        ("mysql-8.4", "max_statement_time", "1.5", "max_execution_time = 1500", "translated"),
        ("mariadb-10.11", "max_execution_time", "1500", "max_statement_time = 1.5", "translated"),
        ("mariadb-10.11", "replica_net_timeout", "9", "slave_net_timeout = 9", "renamed"),
        ("mysql-8.4", "ssl", "0", "tls_version =", "translated"),
        ("mariadb-10.11", "ssl", "0", "ssl = 0", "kept"),
        ("mysql-8.4", "language", "/b/share/english/", "lc_messages_dir = /b/share", "translated"),
        (
            "mysql-8.0.20",
            "authentication_policy",
            "a,,",
            "default_authentication_plugin = a",
            "translated",
        ),
        ("mysql-9", "character_set_server", "utf8", "character_set_server = utf8mb3", "translated"),
        ("mysql-9", "collation_server", "utf8_bin", "collation_server = utf8mb3_bin", "translated"),
        ("mysql-9", "innodb_doublewrite", "fast", "innodb_doublewrite = ON", "translated"),
        (
            "mariadb-10.11",
            "innodb_checksum_algorithm",
            "none",
            "innodb_checksum_algorithm = crc32",
            "translated",
        ),
        (
            "mysql-8.0.20",
            "innodb_flush_log_at_trx_commit",
            "3",
            "innodb_flush_log_at_trx_commit = 1",
            "translated",
        ),
        (
            "mysql-8.4",
            "sql_mode",
            "NO_AUTO_CREATE_USER,STRICT_ALL_TABLES",
            "sql_mode = STRICT_ALL_TABLES",
            "translated",
        ),
        ("mysql-8.4", "sql_mode", "NO_AUTO_CREATE_USER", "sql_mode =", "translated"),
        ("mysql-5.7", "skip-log-bin", "-", "skip_log_bin", "kept"),
        ("mysql-9", "init_connect", "SET a='#'", "init_connect = \"SET a='#'\"", "kept"),
    ] {
        let (lines, fates) = lines(target, &[(name, value)]);
        assert_eq!((&lines[..], &fates[..]), (&[expected.to_owned()][..], &[fate][..]), "{target}");
    }
}

#[test]
fn what_the_target_does_not_have_is_dropped_with_the_reason() {
    for (target, name, value, why) in [
        ("mysql-8.0.20", "query_cache_size", "0", "removed in MySQL 8.0.3: the query cache"),
        ("mariadb-10.11", "innodb_page_cleaners", "16", "removed in MariaDB 10.6.0"),
        ("mariadb-10.11", "mysqlx", "0", "the X protocol is MySQL's"),
        ("mariadb-10.11", "innodb_dedicated_server", "1", "MariaDB has no such option"),
        ("mysql-8.0.20", "innodb_log_writer_threads", "ON", "MySQL has it from 8.0.22 on"),
        ("mysql-9", "default_authentication_plugin", "mysql_native_password", "the plugin is gone"),
        ("mysql-8.4", "ssl", "1", "it is on"),
        ("mysql-9", "thread_handling", "pool-of-threads", "Enterprise"),
    ] {
        let translation = translated(target, None, &[(name, value)]);
        assert_eq!(translation.settings, [], "{target} {name}");
        let fate = &translation.fates[0];
        assert_eq!(fate.kind, FateKind::Dropped);
        assert!(fate.why.join("; ").contains(why) && fate.source.is_some(), "{fate:?}");
    }
    assert_eq!(lines("percona-8.0", &[("thread_handling", "pool-of-threads")]).1, ["kept"]);
    let native = [("default_authentication_plugin", "mysql_native_password")];
    let expected =
        ["mysql_native_password = ON", "authentication_policy = mysql_native_password,,"];
    assert_eq!(lines("mysql-8.4", &native).0, expected);
}

#[test]
fn of_what_is_given_twice_the_last_counts() {
    let twice = [("max_connections", "1"), ("back_log", "5"), ("max-connections", "2")];
    let translation = translated("mysql-9", None, &twice);
    let names: Vec<_> = translation.settings.iter().map(Setting::line).collect();
    assert_eq!(names, ["back_log = 5", "max_connections = 2"]);
    assert!(translation.fates[0].why[0].contains("my.cnf:3"), "{:?}", translation.fates[0]);
    let both = [("tx_isolation", "SERIALIZABLE"), ("transaction_isolation", "READ-COMMITTED")];
    assert_eq!(lines("mysql-9", &both).0, ["transaction_isolation = READ-COMMITTED"]);
}

#[test]
fn what_adds_up_is_kept_each_time() {
    let twice = [("performance_schema_instrument", "a=ON"), ("performance-schema-instrument", "b")];
    assert_eq!(lines("mysql-9", &twice).0.len(), 2);
    let target = Target::parse("mysql-9").unwrap();
    let own = Translation::of(&given(&twice), target, None, For::Instance).unwrap();
    assert_eq!(own.instance_settings()["performance_schema_instrument"], "b");
    assert_eq!(own.fates[0].kind, FateKind::Overridden);
}

#[test]
fn deprecation_is_said_of_what_is_kept() {
    let translation = translated("mysql-8.0.41", None, &[("binlog_format", "ROW")]);
    let fate = &translation.fates[0];
    assert_eq!(fate.kind, FateKind::Kept);
    assert!(fate.why[0].contains("deprecated since MySQL 8.0.34"), "{fate:?}");
}

#[test]
fn what_belongs_to_an_instance_is_left_to_it() {
    let settings = given(&[
        ("port", "3306"),
        ("datadir", "/d"),
        ("tmpdir", "/t"),
        ("skip-networking", "-"),
        ("language", "/l/english"),
        ("max_connections", "7"),
        ("ssl", "0"),
    ]);
    let target = Target::parse("mysql-9").unwrap();
    let translation = Translation::of(&settings, target, None, For::Instance).unwrap();
    let counts = translation.counts();
    let expected = [(FateKind::Kept, 1), (FateKind::Translated, 1), (FateKind::Instance, 5)];
    assert_eq!(counts, expected);
    let own: Vec<_> = translation.instance_settings().into_iter().collect();
    let pairs = [("max_connections", "7"), ("tls_version", "''")];
    assert_eq!(own, pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn defaults_that_differ_are_told_where_the_origin_is_known() {
    let settings = [("innodb_io_capacity_max", "40000"), ("innodb_change_buffering", "all")];
    let translation = translated("mysql-8.4", Some("mysql-8.0.20"), &settings);
    let find = |name: &str| translation.differing.iter().find(|it| it.name == name);
    let io = find("innodb_io_capacity").unwrap();
    assert_eq!((io.before.as_str(), io.now.as_str()), ("200", "10000"));
    let hash = find("innodb_adaptive_hash_index").unwrap();
    assert_eq!((hash.before.as_str(), hash.now.as_str()), ("ON", "OFF"));
    let switch = translated("mysql-8.4", Some("mysql-5.7"), &[]);
    let switch = switch.differing.iter().find(|it| it.name == "sql_mode").unwrap();
    assert_eq!((switch.before.as_str(), switch.now.as_str()), ("NO_AUTO_CREATE_USER", ""));
    assert!(find("innodb_change_buffering").is_none(), "it is set");
    assert!(find("innodb_page_size").is_none(), "it is the same");
    assert!(translated("mysql-8.4", None, &settings).differing.is_empty());
}

proptest! {
    #[test]
    fn a_value_is_read_again_as_it_was_written(value in "[ -~é\u{a0}]{0,12}") {
        let line = lines("mysql-9", &[("init_connect", &value)]).0.remove(0);
        let expected = Line::Option { name: "init_connect".into(), value: Some(value.clone()) };
        if value != "-" {
            prop_assert_eq!(Line::parse(&line), Ok(expected), "{}", line);
        }
    }

    #[test]
    fn whatever_is_given_comes_out_as_settings_that_the_target_has(
        picks in proptest::collection::vec((any::<prop::sample::Index>(), "[0-9]{1,3}"), 1..8),
        target in prop::sample::select(vec![
            "mysql-5.7", "mysql-8.0.20", "mysql-8.4", "mysql-9", "percona-8.0", "mariadb-10.3",
            "mariadb-10.11", "mariadb-11.8",
        ]),
    ) {
        let names: Vec<&str> = table().options().map(|option| option.name).collect();
        let settings: Vec<_> =
            picks.iter().map(|(pick, value)| (*pick.get(&names), value.as_str())).collect();
        let target = Target::parse(target).unwrap();
        if let Ok(translation) = Translation::of(&given(&settings), target, None, For::AnyServer) {
            prop_assert_eq!(translation.fates.len(), settings.len());
            for setting in &translation.settings {
                let option = table().get(&setting.name).unwrap();
                prop_assert!(option.exists(&target), "{}", setting.name);
            }
            for fate in &translation.fates {
                let silent = fate.why.is_empty() && fate.kind != FateKind::Renamed;
                prop_assert!(fate.kind == FateKind::Kept || !silent, "{fate:?}");
            }
        }
    }
}
