//! `myrig demo`: everything at once, and no server left behind.

use crate::support::{Rig, below, until};
use rustix::process::Signal;
use std::{fs, net::TcpListener, path::Path};

const DEMO: &str = "demo --warehouses 1 --connections 4 --duration 3s --ramp-up 1s";

#[test]
fn a_demonstration_leaves_a_report_and_data_but_no_server() {
    let rig = Rig::new();
    let first = rig.run(DEMO).good();
    assert!(first.out.contains("tpmC") && first.out.contains("13 of 13"), "{first}");
    let (_, report) = first.err.split_once("report: ").unwrap();
    let html = fs::read_to_string(report.trim()).unwrap();
    assert!(Path::new(report.trim()).starts_with(rig.home()) && html.contains("</html>"));
    assert!(first.err.contains("data: "), "{first}");
    rig.nothing_runs();

    let instance = rig.run("server status demo --json").good().json();
    let port = instance["port"].as_u64().unwrap().try_into().unwrap();
    let _taken = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let second = rig.run(&format!("{DEMO} --json")).good();
    assert!(!second.err.contains("data: "), "the data of the first is used again: {second}");
    let record = second.json();
    assert_eq!((&record["label"], &record["check"]["good"]), (&"demo".into(), &true.into()));
    assert_eq!(rig.run("runs list --json").good().json()["runs"].as_array().unwrap().len(), 2);
    assert_ne!(record["server"]["endpoints"][0], format!("127.0.0.1:{port}"));
    rig.nothing_runs();
}

#[test]
fn an_interrupted_demonstration_stops_its_server_and_goes_on_later() {
    let rig = Rig::new();
    let data = rig.home().join("servers/demo/data");

    let starting = rig.start(DEMO);
    until("the server's process is there", || !below(&data).is_empty());
    starting.signal(Signal::INT);
    starting.wait().ends(3);
    rig.nothing_runs();

    let loading = rig.start(DEMO);
    let rows = data.join("tpcc/order_line.ibd");
    let bytes = || fs::metadata(&rows).map_or(0, |file| file.len());
    until("order lines are in", || bytes() > 4 << 20);
    loading.signal(Signal::INT);
    loading.wait().ends(3).says(&["stopped", "goes on"]);
    rig.nothing_runs();

    let hour = rig.start("demo --warehouses 1 --connections 2 --duration 1h --ramp-up 0 --json");
    until("a run has begun", || {
        let list = rig.run("runs list --json").good().json();
        list["runs"].as_array().unwrap().len() == 1
    });
    hour.signal(Signal::INT);
    let ended = hour.wait().ends(3);
    rig.nothing_runs();
    assert!(ended.err.contains("data: "), "the load went on: {ended}");
}
