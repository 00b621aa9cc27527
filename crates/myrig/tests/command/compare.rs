//! Stored runs beside each other and one after the other: verdicts, exit status, schemas.

use crate::{
    documents::{JSON, fields, is},
    support::{Ended, Rig, keys},
};
use serde_json::{Value, json};

const RUN: &str = include_str!("../../../lab/tests/data/run-1.json");

/// A clean run whose first figure is `tpmc`; `number` decides its id and its place in time.
fn made(number: u32, label: &str, tpmc: f64) -> Value {
    let mut run: Value = serde_json::from_str(RUN).unwrap();
    run["id"] = format!("20261122T10{:02}{:02}-{number:06x}", number / 60, number % 60).into();
    run["started_at"] = format!("2026-11-22T10:{:02}:{:02}Z", number / 60, number % 60).into();
    run["label"] = label.into();
    run["status"] = json!({ "state": "complete" });
    run["headline"] = json!([{ "name": "tpmC", "value": tpmc, "unit": "1/min", "ci95": null }]);
    run["check"] = Value::Null;
    run["outages"] = json!([]);
    for kind in run["transactions"].as_array_mut().unwrap() {
        kind["measured"]["failed"] = 0.into();
    }
    run
}

/// Stores runs the way a person would: from files.
fn import(rig: &Rig, runs: &[Value]) {
    let mut line = String::from("runs import");
    for run in runs {
        let file = format!("{}.json", run["id"].as_str().unwrap());
        std::fs::write(rig.dir().join(&file), run.to_string()).unwrap();
        line += &format!(" {file}");
    }
    rig.run(&line).good();
}

/// The result has these words, wherever its lines break.
fn tells(ended: &Ended, words: &[&str]) {
    let text = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {ended}");
    }
}

/// Five runs of each, the second kind slower by a tenth.
fn two_kinds() -> Rig {
    let rig = Rig::new();
    let noise = [0.0, 60.0, -50.0, 20.0, -30.0];
    let runs: Vec<Value> = (0_u32..10)
        .map(|number| {
            let (label, mean) = if number < 5 { ("old", 10_000.0) } else { ("new", 9_000.0) };
            made(number, label, mean + noise[number as usize % 5])
        })
        .collect();
    import(&rig, &runs);
    rig
}

#[test]
fn a_regression_is_told_and_makes_the_command_fail() {
    let rig = two_kinds();
    let ended = rig.run("runs compare label:old label:new").ends(1);
    let words = ["tpmC: slower by 10.0%", "5 runs against 5", "worse: a regression"];
    tells(&ended, &words);
    tells(&ended, &["the bootstrap agrees"]);
    assert!(ended.out.lines().all(|line| line.chars().count() <= 100), "{ended}");

    let comparison = rig.run("runs compare label:old label:new --json").ends(1).json();
    is(&comparison, "myrig.comparison/1");
    let effect = &comparison["effects"][0];
    assert_eq!(keys(effect), fields(JSON, "### An entry of `effects`"));
    assert_eq!(keys(&effect["metric"]), ["better", "judged", "name", "unit"]);
    assert_eq!(keys(&effect["baseline"]), ["ci95", "mean", "n", "samples"]);
    assert_eq!((&effect["verdict"], &effect["method"]), (&"worse".into(), &"welch".into()));
    assert_eq!(comparison["regressions"], json!(["tpmC"]));
    assert_eq!(
        (&comparison["design"], &comparison["caveats"]),
        (&"independent".into(), &json!([]))
    );
    let p50 = &comparison["effects"].as_array().unwrap()[1];
    assert_eq!(
        (&p50["metric"]["name"], &p50["verdict"]),
        (&"p50".into(), &"no_difference_shown".into())
    );

    let page = rig.run("runs compare label:old label:new --markdown").ends(1);
    assert!(page.out.starts_with("## label:new against label:old"), "{page}");
}

#[test]
fn what_is_better_small_or_not_asked_about_is_no_regression() {
    let rig = two_kinds();
    tells(&rig.run("runs compare label:new label:old").good(), &["tpmC: faster by 11.1%"]);
    let small = rig.run("runs compare label:old label:new --threshold 15%").good();
    tells(&small, &["below the threshold"]);
    rig.run("runs compare label:old label:new --threshold 5").ends(1);
    let latency = rig.run("runs compare label:old label:new --metric P95 --json").good().json();
    assert_eq!(latency["primary"], "p95");
    let judged = |effect: &&Value| effect["p_adjusted"].is_number();
    assert_eq!(latency["effects"].as_array().unwrap().iter().filter(judged).count(), 1);
}

#[test]
fn sets_are_ids_and_lists_and_what_is_none_is_refused() {
    let rig = two_kinds();
    let one = |number: u32| made(number, "", 1.0)["id"].as_str().unwrap().to_owned();
    let line = format!("runs compare {},{} {} --json", one(0), one(1), one(7));
    let few = rig.run(&line).json();
    assert_eq!(
        (&few["effects"][0]["baseline"]["n"], &few["effects"][0]["variant"]["n"]),
        (&2.into(), &1.into())
    );
    assert!(few["caveats"][0].as_str().unwrap().contains("a single run"), "{}", few["caveats"]);

    rig.run("runs compare label:old latest --json").json();
    rig.run("runs compare label:old label:old").ends(2).says(&["on both sides"]);
    rig.run("runs compare label:old label:none").ends(3).says(&["no run is labelled"]);
    rig.run("runs compare label:old , ").ends(2).says(&["names no run"]);
    rig.run("runs compare label:old nothing").ends(3).says(&["no run"]);
    let unknown = rig.run("runs compare label:old label:new --metric tpmX").ends(2);
    unknown.says(&["--metric tpmX", "tpmC"]);
    rig.run("runs compare label:old label:new --threshold -1%").ends(2);
}

#[test]
fn runs_that_are_not_clean_or_not_of_one_kind_are_told() {
    let rig = Rig::new();
    let mut broken = made(2, "new", 990.0);
    broken["status"] = json!({ "state": "partial", "reason": "interrupted" });
    broken["workload"]["scale"] = "99 warehouses".into();
    broken["settings"]["connections"] = 99.into();
    let runs = [made(0, "old", 1000.0), made(1, "old", 1010.0), broken, made(3, "new", 1005.0)];
    import(&rig, &runs);
    let ended = rig.run("runs compare label:old label:new --changed threads");
    let words = [
        "Not a clean verdict",
        "did not go to the end",
        "size of the data set is not the same",
        "connections",
        "Settings that differ",
    ];
    tells(&ended, &words);
}

#[test]
fn the_run_with_which_a_history_changed_is_named() {
    let rig = Rig::new();
    let value = |number: u32| {
        let level = if number < 12 { 10_000.0 } else { 9_000.0 };
        level + 40.0 * f64::from(number * 7 % 5)
    };
    let mut runs: Vec<Value> = (0_u32..16).map(|it| made(it, "nightly", value(it))).collect();
    let mut other = made(20, "nightly", 77.0);
    other["client"]["connections"] = 99.into();
    // Not the latest, which decides what is compared.
    other["started_at"] = "2026-11-22T09:00:00Z".into();
    runs.push(other);
    import(&rig, &runs);
    let first = runs[12]["id"].as_str().unwrap();

    let ended = rig.run("runs trend --label nightly").good();
    tells(&ended, &["tpmC: 1 change in 16 runs", first, "1 of other workloads"]);
    let trend = rig.run("runs trend --json").good().json();
    is(&trend, "myrig.trend/1");
    assert_eq!(keys(&trend["changes"][0]), fields(JSON, "### An entry of `changes`"));
    assert_eq!(
        (&trend["changes"][0]["run"], &trend["changes"][0]["index"]),
        (&first.into(), &12.into())
    );
    assert_eq!(trend["changes"][0]["verdict"], "worse");

    rig.run("runs trend --fail-on-regression").ends(1);
    rig.run("runs trend --fail-on-regression 3").good();
    tells(&rig.run("runs trend --min-change 50%").good(), &["no change in 16 runs"]);
    rig.run("runs trend --metric nothing").ends(3).says(&["nothing"]);
    rig.run("runs trend --since 2027").ends(3).says(&["no complete run"]);
    rig.run("runs trend --max-p 2").ends(2);
    assert!(rig.run("runs trend --markdown").good().out.contains(&format!("| {first} |")));
}

#[test]
fn files_are_taken_in_once_and_hostile_ones_refused() {
    let rig = Rig::new();
    let run = made(1, "far", 1.0);
    import(&rig, std::slice::from_ref(&run));
    let write = |name: &str, text: &str| std::fs::write(rig.dir().join(name), text).unwrap();
    write("again.json", &run.to_string());
    tells(&rig.run("runs import again.json").good(), &["already there"]);
    let mut forged = run.clone();
    forged["label"] = "forged".into();
    write("forged.json", &forged.to_string());
    let mut elsewhere = run.clone();
    elsewhere["id"] = "../../../etc/cron".into();
    write("elsewhere.json", &elsewhere.to_string());
    write("empty.json", "");
    std::fs::write(rig.dir().join("binary.json"), [0xff, 0xfe, 0]).unwrap();
    write("good.json", &made(2, "far", 2.0).to_string());

    let line =
        "runs import forged.json elsewhere.json empty.json binary.json absent.json . good.json";
    let ended = rig.run(&format!("{line} --json")).ends(3);
    let value = ended.json();
    is(&value, "myrig.runs-import/1");
    assert_eq!(value["refused"].as_array().unwrap().len(), 6, "{value}");
    assert_eq!(value["imported"].as_array().unwrap().len(), 1, "{value}");
    assert!(ended.err.contains("myrig runs remove"), "{ended}");
    let listed = rig.run("runs list --json").good().json();
    let labels: Vec<&Value> =
        listed["runs"].as_array().unwrap().iter().map(|run| &run["label"]).collect();
    assert_eq!(labels, ["far", "far"]);
}
