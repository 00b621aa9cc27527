//! `myrig run` with trials at rest, and the data that they are about: TPC-H's tables from
//! `prepare` to `cleanup`, and their files from an experiment's file to its verdict.

use crate::{
    on_both,
    support::{Ended, Rig, Server},
};
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::Path};

/// Six thousand lines, read by every tool.
const SMALL: &str = r#"
name = "files"
title = "A file and who reads it"
question = "Is every page sound, and how fast is that known?"
[server]
flavour = "mariadb"
settings = { innodb-buffer-pool-size = "64M" }
[data]
workload = "tpch"
scale-factor = 0.001
[workload]
kind = "pages"
table = "lineitem"
passes = 2
[repeat]
runs = 2
[compare]
pairs = [["stock-cold", "myrig-cold"]]
metrics = ["MB/s"]
[[variant]]
name = "limit"
workload = { tool = "limit" }
[[variant]]
name = "stock-cold"
workload = { tool = "stock" }
[[variant]]
name = "myrig-cold"
workload = { tool = "myrig" }
[[variant]]
name = "stock-warm"
workload = { tool = "stock", cache = "warm" }
[[variant]]
name = "myrig-warm"
workload = { tool = "myrig", cache = "warm" }
[published]
source = "A study"
[[published.figure]]
variant = "stock-cold"
metric = "MB/s"
value = 642
unit = "MB/s"
"#;

/// A home whose servers' data lies on a disk, whatever `/tmp` is made of.
fn rig_with(text: &str) -> (Rig, tempfile::TempDir) {
    let rig = Rig::new();
    fs::write(rig.dir().join("files.toml"), text).unwrap();
    let data = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    (rig, data)
}

fn run(rig: &Rig, data: &Path, options: &str) -> Ended {
    rig.run(&format!("run files.toml --set server.data-dir={} {options}", data.display()))
}

fn array<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("no list {key} in {value}"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no text {key} in {value}"))
}

#[test]
fn files_go_from_their_experiment_to_its_verdict() {
    let (rig, data) = rig_with(SMALL);
    let record = run(&rig, data.path(), "--report report.html --json --keep").good().json();
    assert_eq!(record["status"]["state"], "complete");
    assert_eq!(array(&record, "trials").len(), 10);
    let mut counts = BTreeSet::new();
    for trial in array(&record, "trials") {
        let figure = &trial["figures"][0];
        assert_eq!(figure["name"], "MB/s", "{trial}");
        assert!(figure["value"].as_f64().unwrap() > 0.0, "{trial}");
        let looked = trial["variant"] != "limit";
        assert_eq!(trial["check_good"], if looked { true.into() } else { Value::Null }, "{trial}");
        let run = rig.run(&format!("runs show {} --json", text(trial, "run"))).good().json();
        assert_eq!(
            (&run["workload"]["name"], &run["settings"]["passes"]),
            (&"pages".into(), &2.into())
        );
        assert_eq!(run["transactions"][0]["measured"]["committed"], 2, "a pass is a transaction");
        if looked {
            counts.insert(run["check"]["conditions"][0]["examined"].as_u64().unwrap());
        }
    }
    // 6,005 lines are more than a megabyte.
    assert!(
        counts.len() == 1 && counts.first() >= Some(&64),
        "every tool counts alike: {counts:?}"
    );
    let comparison = &record["comparisons"][0];
    assert_eq!(
        (text(comparison, "baseline"), text(comparison, "variant")),
        ("stock-cold", "myrig-cold")
    );
    assert_eq!(array(&record, "comparisons").len(), 1, "only the pair is compared");
    assert!(!text(&record, "verdict").is_empty());
    let page = fs::read_to_string(rig.dir().join("report.html")).unwrap();
    assert!(page.contains("Beside the disk") && page.contains("class=\"hollow"), "no chart");
    let shown = rig.run("runs show latest").good();
    assert!(shown.out.contains("Of the limit"), "{shown}");
    rig.nothing_runs();

    // What was kept is found damaged when it is.
    let file = find(data.path(), "lineitem.ibd");
    let mut bytes = fs::read(&file).unwrap();
    bytes[20 * 16384 + 5000] ^= 1;
    fs::write(&file, bytes).unwrap();
    rig.run(&format!("pages verify {} --json", file.display())).ends(1);
    rig.run("run --cleanup").good();
    assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0, "the data is removed");
}

#[test]
fn a_trial_at_rest_that_cannot_be_is_refused_with_its_key() {
    let (rig, data) = rig_with(SMALL);
    for (set, words) in [
        ("workload.table=orders", "workload.table: the data has no table `orders`"),
        ("workload.jobs=0", "workload.jobs"),
        ("workload.stock-options=--nonsense", "nonsense"),
    ] {
        let ended = run(&rig, data.path(), &format!("--set {set}"));
        assert!(ended.status != Some(0) && ended.err.contains(words), "{words} in {ended}");
        rig.run("run --cleanup").good();
    }
    let plan = run(&rig, data.path(), "--plan --json").good().json();
    let kinds: Vec<&str> = array(&plan, "steps").iter().map(|step| text(step, "what")).collect();
    assert_eq!(kinds[..4], ["make", "start", "load", "stop"]);
    assert!(kinds[4..14].iter().all(|kind| *kind == "measure"), "{kinds:?}");
    assert_eq!(kinds[14..], ["remove"], "nothing is kept as a snapshot, nothing restored");
}

on_both!(tpch_goes_from_prepare_to_cleanup);

fn tpch_goes_from_prepare_to_cleanup(server: &Server) {
    let line = "tpch prepare -D lines -s 0.002 --tables nation,lineitem --json";
    let prepared = server.run(line).good().json();
    assert_eq!(prepared["schema"], "myrig.tpch-prepare/1");
    assert_eq!(prepared["tables"], serde_json::json!(["nation", "lineitem"]));
    assert_eq!(server.run(line).good().json()["already_there"], true);
    let other = server.run("tpch prepare -D lines -s 0.003 --tables nation,lineitem").ends(3);
    assert!(other.err.contains("--scale-factor 0.002"), "{other}");

    let checked = server.run("tpch check -D lines --json").good().json();
    assert_eq!(array(&checked, "conditions").len(), 3);
    let shown = server.run("tpch check -D lines").good();
    assert!(shown.out.contains("3 of 3 consistency conditions hold"), "{shown}");
    let dropped = server.run("tpch cleanup -D lines").good();
    assert!(dropped.out.contains("dropped NATION, LINEITEM"), "{dropped}");
    assert!(server.run("tpch check -D lines").ends(3).err.contains("myrig tpch prepare"));

    // Quotation marks go through an INSERT as well.
    server.run("tpch prepare -D inserted -s 0.001 --load-method insert").good();
    server.run("tpch check -D inserted").good();
    server.run("tpch cleanup -D inserted").good();
}

/// The file of that name below a directory.
fn find(dir: &Path, name: &str) -> std::path::PathBuf {
    let mut waiting = vec![dir.to_owned()];
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(dir).unwrap().flatten() {
            if entry.file_name() == name {
                return entry.path();
            }
            if entry.path().is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    panic!("no {name} below {}", dir.display());
}
