//! `myrig oltp`: from tables to figures, and what is refused on the way.

use crate::{
    documents::{JSON, fields},
    on_both,
    support::{Server, committed, keys},
};
use serde_json::Value;

on_both!(
    tables_are_made_run_checked_and_dropped,
    the_white_papers_preset_runs_its_mix,
    damage_is_found_by_check_and_run,
    what_is_missing_is_said_with_the_way_out,
);

/// An object has the fields of its schema's section, and says its schema.
fn is(value: &Value, schema: &str) {
    assert_eq!(value["schema"], schema);
    assert_eq!(keys(value), fields(JSON, &format!("## `{schema}`")));
}

fn figure(record: &Value, name: &str) -> f64 {
    let all = record["headline"].as_array().unwrap();
    let found = all.iter().find(|figure| figure["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {all:?}"))["value"].as_f64().unwrap()
}

fn tables_are_made_run_checked_and_dropped(server: &Server) {
    let size = "-D oltp_story --tables 3 --table-size 2000";
    let prepared = server.run(&format!("oltp prepare {size} -c 4 --json")).good().json();
    is(&prepared, "myrig.oltp-prepare/1");
    assert_eq!((&prepared["rows"], &prepared["tables"]), (&6_000.into(), &3.into()));
    let again = server.run(&format!("oltp prepare {size}")).good();
    assert!(again.out.contains("already"), "{again}");

    // Tables and sizes are those that are there.
    let line = "oltp run -D oltp_story -c 4 --ramp-up 0 --duration 2s --check";
    let record = server.run(&format!("{line} --json")).good().json();
    assert_eq!(record["workload"]["name"], "oltp");
    assert_eq!(record["workload"]["profile"], "sysbench-1.0/1");
    assert_eq!(record["workload"]["scale"], "read-write, 3 tables of 2,000 rows");
    let deviations = record["workload"]["deviations"].as_array().unwrap();
    assert!(deviations.iter().any(|text| text.as_str().unwrap().contains("ROLLBACK")));
    for (name, value) in [("tables", 3), ("table-size", 2_000), ("point-selects", 10)] {
        assert_eq!(record["settings"][name], value, "{name}");
    }
    assert_eq!(record["settings"]["protocol"], "prepared");
    assert!(committed(&record, "oltp_read_write") > 0);
    let (tps, qps) = (figure(&record, "TPS"), figure(&record, "QPS"));
    assert!(tps > 0.0 && (qps / tps - 20.0).abs() < 1e-9, "{tps} {qps}");
    assert!(figure(&record, "p95") > 0.0);
    assert_eq!(record["check"]["conditions"].as_array().unwrap().len(), 4);
    assert_eq!(record["check"]["good"], true);

    let line = "oltp run -D oltp_story --script point_select -c 2";
    server.run(line).ends(2).says(&["point_select", "point-select"]);
    let line = "oltp run -D oltp_story --script point-select --table-size 100 --rand-type uniform";
    let load = "-c 2 --ramp-up 0 --transactions 50 --percentile 50 --protocol text";
    let shown = server.run(&format!("{line} {load}")).good();
    assert!(shown.out.contains("OLTP, point-select, 3 tables of 100 rows"), "{shown}");
    assert!(shown.out.contains("p50, ms"), "{shown}");

    is(&server.run("oltp check -D oltp_story --json").good().json(), "myrig.oltp-check/1");
    let dropped = server.run("oltp cleanup -D oltp_story").good();
    assert!(dropped.out.contains("3 tables"), "{dropped}");
    let dropped = server.run("oltp cleanup -D oltp_story --json").good().json();
    is(&dropped, "myrig.cleanup/1");
    assert_eq!(dropped["dropped"], false);
}

fn the_white_papers_preset_runs_its_mix(server: &Server) {
    let preset = "-D oltp_white --preset white-paper";
    server.run(&format!("oltp prepare {preset} --tables 2 --table-size 1000")).good();
    let created = server.query(
        "SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE \
                                TABLE_SCHEMA='oltp_white' AND TABLE_NAME='sbtest2' \
                                AND COLUMN_NAME='id'",
    );
    assert!(created[0].contains("unsigned"), "{created:?}");
    let line = format!("oltp run {preset} -c 2 --ramp-up 0 --transactions 100 --json");
    let record = server.run(&line).good().json();
    assert_eq!(record["workload"]["profile"], "white-paper/1");
    assert_eq!(record["settings"]["point-selects"], 4);
    assert_eq!(record["settings"]["protocol"], "text");
    // BEGIN, four reads, a write, COMMIT.
    let (tps, qps) = (figure(&record, "TPS"), figure(&record, "QPS"));
    assert!((qps / tps - 7.0).abs() < 1e-9, "{tps} {qps}");
    assert!(figure(&record, "p99") > 0.0);
}

fn damage_is_found_by_check_and_run(server: &Server) {
    server.run("oltp prepare -D oltp_damage --table-size 500").good();
    server.run("oltp check -D oltp_damage --table-size 500").good();
    server.query("DELETE FROM oltp_damage.sbtest1 WHERE id = 250");
    let checked = server.run("oltp check -D oltp_damage --table-size 500").ends(1);
    assert!(checked.out.contains("FAILS") && checked.out.contains("499 rows"), "{checked}");
    let line = "oltp run -D oltp_damage --script read-only -c 2 --ramp-up 0 --transactions 10";
    server.run(line).good();
    let ran = server.run(&format!("{line} --check")).ends(1);
    assert!(ran.out.contains("Consistency check failed"), "{ran}");
    // Rows that were deleted on purpose are another thing.
    server.run("oltp check -D oltp_damage --rows-changed").good();
    let line = "oltp run -D oltp_damage --script delete -c 2 --ramp-up 0 --transactions 10";
    server.run(&format!("{line} --check")).good();
}

fn what_is_missing_is_said_with_the_way_out(server: &Server) {
    for verb in ["run", "check"] {
        let ended = server.run(&format!("oltp {verb} -D nowhere_oltp")).ends(3);
        ended.says(&["`nowhere_oltp`", "myrig oltp prepare"]);
    }
    server.run("oltp prepare -D oltp_missing --tables 2 --table-size 300").good();
    let run = |options: &str| server.run(&format!("oltp run -D oltp_missing {options}"));
    run("--tables 4").ends(3).says(&["`sbtest3` is missing", "say --tables 2"]);
    run("--table-size 400").ends(3).says(&["say --table-size 300", "oltp cleanup"]);
    run("-c 90000").ends(3).says(&["--connections", "max_connections"]);
    let other = server.run("oltp prepare -D oltp_missing --tables 5 --table-size 300");
    other.ends(3).says(&["tables 2, not 5", "myrig oltp cleanup"]);

    // These are wrong on any server, and told before one is asked.
    for (options, words) in [
        ("--rand-pareto-h 1", "--rand-pareto-h 1"),
        ("--rand-spec-res 101", "--rand-spec-res 101"),
        ("--rand-zipfian-exp=-1", "--rand-zipfian-exp -1"),
        ("--rand-type normal", "gaussian"),
        ("--percentile 101", "--percentile 101"),
        ("--percentile 0", "--percentile 0"),
        ("--point-selects 0 --range-selects off --script read-only", "--point-selects"),
        ("--range-size 0", "--range-size 0"),
        ("--ignore-errors deadlock", "--ignore-errors `deadlock`"),
        ("--table-size 0", "--table-size 0"),
        ("--protocol binary", "prepared and text"),
        ("--schema 0.4", "0.5"),
    ] {
        let ended = server.rig.run(&format!("oltp run --host 127.0.0.1 --port 1 {options}"));
        ended.ends(2).says(&[words]);
    }
    let line = "oltp prepare --host 127.0.0.1 --port 1 --tables 0";
    server.rig.run(line).ends(2).says(&["--tables 0"]);
}
