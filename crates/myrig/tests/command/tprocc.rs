//! `myrig tprocc`, from the first table to the last.

use crate::{
    on_both,
    support::{Rig, Server, committed},
};
use serde_json::Value;
use std::{fs, os::unix::fs::PermissionsExt};

on_both!(tprocc_goes_from_prepare_to_cleanup, an_account_that_makes_no_procedures_is_told_so);

/// The last line of a text, and the two numbers in it, as HammerDB's parsers find them.
fn test_result(text: &str, flavour: &str) -> (f64, f64) {
    let line = text.lines().next_back().unwrap_or_default();
    let rest =
        line.strip_prefix("TEST RESULT : System achieved ").unwrap_or_else(|| panic!("{text}"));
    let (nopm, tpm) = rest.split_once(" NOPM from ").unwrap();
    let tpm = tpm.strip_suffix(&format!(" {flavour} TPM")).unwrap_or_else(|| panic!("{line}"));
    (nopm.parse().unwrap(), tpm.parse().unwrap())
}

fn figure(record: &Value, name: &str) -> f64 {
    let all = record["headline"].as_array().unwrap();
    let found = all.iter().find(|figure| figure["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {all:?}"))["value"].as_f64().unwrap()
}

fn condition<'a>(record: &'a Value, id: &str) -> Option<&'a Value> {
    record["check"]["conditions"].as_array().unwrap().iter().find(|found| found["id"] == id)
}

fn tprocc_goes_from_prepare_to_cleanup(server: &Server) {
    let prepared = server.run("tprocc prepare -D procc -w 1 -c 2 --partitions 2 --json").good();
    let prepared = prepared.json();
    assert_eq!(
        (&prepared["workload"], &prepared["profile"]),
        (&"tprocc".into(), &"hammerdb/1".into())
    );

    for call in ["prepared", "plain"] {
        let line = "tprocc run -D procc -c 2 --ramp-up 500ms --duration 3s --json --call";
        let record = server.run(&format!("{line} {call}")).good().json();
        assert_eq!(record["settings"]["call"], call);
        assert_eq!(record["settings"]["partitions"], 2);
        let (server, client) = (figure(&record, "NOPM"), figure(&record, "NOPM (client)"));
        // Questions to the server are not asked at the very borders; orders go on meanwhile.
        assert!((server - client).abs() < 0.2 * client, "{server} and {client}");
        assert!(figure(&record, "TPM") > server);
        // Over the whole run both must agree to the last order.
        assert_eq!(condition(&record, "client").unwrap()["violations"], 0);
        assert!(condition(&record, "client").unwrap()["examined"].as_u64() > Some(0));
        assert_eq!(record["check"]["good"], true);
        for (broken, kept) in [("3.3.2.10", "3.3.2.1"), ("3.3.2.11", "3.3.2.9")] {
            assert!(condition(&record, broken).is_none() && condition(&record, kept).is_some());
        }
        assert!(record["warnings"].to_string().contains("are not kept: 3.3.2.10 ("));
        for name in ["NEWORD", "PAYMENT"] {
            assert!(committed(&record, name) > 0, "no {name}");
        }
    }
    let text = server.run("tprocc run -D procc -c 2 --ramp-up 0 --duration 2s --no-check").good();
    let flavour = if server.fact("flavour") == "MariaDB" { "MariaDB" } else { "MySQL" };
    let (nopm, tpm) = test_result(&text.out, flavour);
    assert!(nopm > 0.0 && tpm > nopm, "{text}");

    server.query("ALTER PROCEDURE procc.OSTAT COMMENT 'myrig tprocc hammerdb/0'");
    let refused = server.run("tprocc run -D procc").ends(3);
    refused.says(&["OSTAT", "hammerdb/0", "--procedures-only"]);
    server.run("tprocc prepare -D procc --procedures-only").good();
    server.run("tprocc run -D procc -c 1 --ramp-up 0 --transactions 5 --no-check").good();
    server.run("tprocc run -D procc -w 5").ends(3).says(&["--warehouses 1"]);
    server.run("tprocc run -D procc --profile spec").ends(3).says(&["--profile hammerdb"]);
    server.run("tpcc run -D procc").ends(3).says(&["holds no TPC-C data"]);

    let checked = server.run("tprocc check -D procc --json").good().json();
    assert_eq!(checked["conditions"].as_array().map(Vec::len), Some(9));
    assert_eq!(checked["deviations"].as_array().map(Vec::len), Some(3));
    server.query("UPDATE procc.warehouse SET w_ytd = w_ytd + 1");
    server.run("tprocc check -D procc").ends(1);
    assert_eq!(server.run("tprocc cleanup -D procc --json").good().json()["dropped"], true);
    let left = "SELECT CAST(COUNT(*) AS CHAR) FROM information_schema";
    assert_eq!(server.number(&format!("{left}.TABLES WHERE TABLE_SCHEMA = 'procc'")), 0);
    assert_eq!(server.number(&format!("{left}.ROUTINES WHERE ROUTINE_SCHEMA = 'procc'")), 0);
    let again = server.run("tprocc cleanup -D procc").good();
    assert!(again.out.contains("holds no TPROC-C tables"), "{again}");
    server.run("tprocc run -D procc").ends(3).says(&["myrig tprocc prepare"]);
}

fn an_account_that_makes_no_procedures_is_told_so(server: &Server) {
    server.query("CREATE DATABASE unprocessed");
    server.query("CREATE USER 'tabler'@'%' IDENTIFIED BY 'pw'");
    let tables = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER";
    server.query(&format!("GRANT {tables} ON unprocessed.* TO 'tabler'@'%'"));
    let rig = Rig::new();
    let file = rig.dir().join("password");
    fs::write(&file, "pw\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let ended = rig.run(&format!(
        "tprocc prepare -w 1 -D unprocessed --host 127.0.0.1 --port {} --user tabler \
         --password-file {}",
        server.fact("port"),
        file.display()
    ));
    ended.ends(3).says(&["`tabler`", "GRANT CREATE ROUTINE", "`unprocessed`"]);
    server.query("DROP DATABASE unprocessed");
}

#[test]
fn contradictory_options_are_refused_before_any_server_is_asked() {
    let rig = Rig::new();
    for (line, words) in [
        ("tprocc run --weights 1,2", "--weights"),
        ("tprocc run --weights 0,0,0,0,0", "--weights"),
        ("tprocc run --think-time 101", "--think-time"),
        ("tprocc prepare --engine no;engine", "--engine"),
        ("tprocc prepare --partition --partitions 3", "--partition"),
        ("tprocc prepare --procedures-only --warehouses 3", "--procedures-only"),
        ("tprocc prepare --profile tpcc", "hammerdb and spec"),
        ("tprocc run -c 4,2", "--connections"),
    ] {
        rig.run(line).ends(2).says(&[words]);
    }
}
