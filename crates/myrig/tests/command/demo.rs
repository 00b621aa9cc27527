//! `myrig demo`: an experiment with everything at once, and nothing left behind.

use crate::support::Rig;
use std::{fs, path::Path};

#[test]
fn a_demonstration_compares_two_settings_and_leaves_a_report_only() {
    let rig = Rig::new();
    let options = "--warehouses 1 --connections 4 --duration 3s --ramp-up 1s --runs 1";
    let planned = rig.run(&format!("demo {options} --plan")).good();
    assert!(planned.out.contains("durable") && planned.out.contains("all of it"), "{planned}");
    let ended = rig.run(&format!("demo {options}")).good();
    assert!(ended.out.contains("tpmC") && ended.out.contains("relaxed"), "{ended}");
    let (_, report) = ended.err.split_once("report: ").unwrap();
    let html = fs::read_to_string(report.trim()).unwrap();
    assert!(Path::new(report.trim()).starts_with(rig.home()) && html.contains("</html>"));
    let record = rig.run("runs show latest --json").good().json();
    assert_eq!((&record["label"], &record["experiment"]["name"]), (&"demo".into(), &"demo".into()));
    for trial in record["trials"].as_array().unwrap() {
        assert_eq!(trial["check_good"], true, "{trial}");
    }
    rig.nothing_runs();
    assert_eq!(rig.run("server status --json").good().json()["servers"], serde_json::json!([]));
}
