//! Lists of connections or rates: a run for each, the server at rest between, one report of all.

use crate::{
    documents::{JSON, RUN, fields},
    on_both,
    support::{Data, Ended, Server, keys, until},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::path::Path;

/// Short steps on the shared data.
fn line(data: &Data<'_>, options: &str) -> String {
    format!("tpcc run -D {} --ramp-up 0 --no-check --json {options}", data.database)
}

fn steps(sweep: &Value) -> &Vec<Value> {
    sweep["steps"].as_array().unwrap()
}

on_both!(a_list_of_connections_is_a_run_for_each_and_a_sweep_of_all);

fn a_list_of_connections_is_a_run_for_each_and_a_sweep_of_all(server: &Server) {
    let data = server.two_warehouses();
    let ended = server.run(&line(&data, "-c 1,2,4 --duration 2s --label swept")).good();
    let sweep = ended.json();
    assert_eq!(sweep["schema"], "myrig.sweep/1");
    assert_eq!(keys(&sweep), fields(RUN, "## The sweep"));
    assert_eq!(sweep["status"]["state"], "complete");
    assert_eq!(sweep["ended"], "All 3 steps were taken.");
    assert_eq!(sweep["settings"]["connections"], serde_json::json!([1, 2, 4]));
    assert_eq!(
        (&sweep["planned"], &sweep["varied"]),
        (&[1.0, 2.0, 4.0].into(), &"connections".into())
    );
    for (step, connections) in steps(&sweep).iter().zip([1, 2, 4]) {
        assert_eq!(keys(step), fields(RUN, "## A step of a sweep"));
        step_is_its_run(server, step, connections);
    }
    settled_between(&sweep);
    found_again(server, &sweep, &ended);
}

fn step_is_its_run(server: &Server, step: &Value, connections: u64) {
    let id = step["run"].as_str().unwrap();
    let run = server.rig.run(&format!("runs export {id}")).good().json();
    assert_eq!(step["connections"], connections);
    assert_eq!(run["client"]["connections"], connections);
    assert_eq!(run["settings"]["connections"], connections, "a run says what it did itself");
    assert_eq!(run["label"], "swept");
    assert_eq!(step["headline"], run["headline"]);
    assert_eq!(step["server_cpus"], run["server_cpus"]);
    let cpus = step["server_cpus"].as_f64().unwrap();
    assert!(cpus > 0.0 && cpus < 1024.0, "the server is on this machine and did something");
    assert!(
        step["client_cpu_us"].as_f64() > Some(0.0) && step["finished_per_s"].as_f64() > Some(0.0)
    );
    let (p50, p99) = (&step["response"]["p50_ms"], &step["response"]["p99_ms"]);
    assert!(p50.as_f64() > Some(0.0) && p99.as_f64() >= p50.as_f64(), "{}", step["response"]);
    assert!(server.rig.home().join("reports").join(format!("{id}.html")).is_file());
}

/// The first step is where rest is taken from; before the others it was waited for.
fn settled_between(sweep: &Value) {
    assert_eq!(steps(sweep)[0]["settling"], Value::Null);
    for step in &steps(sweep)[1..] {
        let settling = &step["settling"];
        assert!(settling["waited_s"].as_f64() > Some(0.0), "{settling}");
        assert_eq!(settling["settled"], true, "{settling}");
        assert!(!settling["words"].as_str().unwrap().contains("Given up"), "{settling}");
    }
}

/// In the store, in the list, as report, as table.
fn found_again(server: &Server, sweep: &Value, ended: &Ended) {
    let id = sweep["id"].as_str().unwrap();
    assert_eq!(&server.rig.run(&format!("runs show {id} --json")).good().json(), sweep);
    let list = server.rig.run("runs list --json").good().json();
    let listed =
        list["sweeps"].as_array().unwrap().iter().find(|listed| listed["id"] == id).unwrap();
    assert_eq!(keys(listed), fields(JSON, "### An entry of `sweeps`"));
    let of_sweep: Vec<&Value> = list["runs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|run| run["sweep"]["id"] == id)
        .map(|run| &run["sweep"]["step"])
        .collect();
    assert_eq!(of_sweep, [3, 2, 1]);
    let (_, report) = ended.err.rsplit_once("report: ").unwrap();
    let page = std::fs::read_to_string(Path::new(report.trim())).unwrap();
    assert!(page.contains("sweep report") && page.contains("<svg id=\"throughput\""));
    let shown = server.rig.run(&format!("runs show {id}")).good();
    assert!(shown.out.contains("peak") && shown.out.contains("Throughput"), "{shown}");
    let rows = server.rig.run(&format!("runs export {id} --format csv")).good();
    assert_eq!(rows.out.lines().count(), 4, "{rows}");
    let rows = server.rig.run(&format!("runs export {id} --format summary-csv")).good();
    assert_eq!(rows.out.lines().count(), 4, "{rows}");
    assert!(server.rig.run(&format!("runs remove {id}")).good().out.contains("removed sweep"));
    let run = steps(sweep)[0]["run"].as_str().unwrap();
    server.rig.run(&format!("runs show {run}")).ends(3);
}

#[test]
fn a_list_of_rates_is_a_sweep_too() {
    let data = Server::mariadb().two_warehouses();
    let options = "-c 2 --rate 5,20 --arrivals even --duration 2s";
    let sweep = data.server.run(&line(&data, options)).good().json();
    assert_eq!((&sweep["varied"], &sweep["planned"]), (&"rate".into(), &[5.0, 20.0].into()));
    let rates: Vec<&Value> = steps(&sweep).iter().map(|step| &step["rate_per_s"]).collect();
    assert_eq!(rates, [5.0, 20.0]);
    let finished: Vec<f64> =
        steps(&sweep).iter().map(|step| step["finished_per_s"].as_f64().unwrap()).collect();
    assert!(finished[0] < 6.5 && finished[1] > finished[0], "{finished:?}");
    assert_eq!(sweep["knee"], Value::Null, "two steps have no knee between them");
}

#[test]
fn the_largest_step_must_have_room_before_the_first_is_begun() {
    let data = Server::mariadb().two_warehouses();
    let before = data.server.rig.run("runs list --json").good().json();
    let ended = data.server.run(&line(&data, "-c 1,90000 --duration 1s")).ends(3);
    ended.says(&["max_connections"]);
    assert_eq!(data.server.rig.run("runs list --json").good().json(), before);
}

#[test]
fn steps_without_gain_end_a_sweep_that_is_asked_to_watch_for_them() {
    let data = Server::mariadb().two_warehouses();
    // A rate that all steps keep: none can bring more throughput than the first.
    let options = "-c 2,3,4,5,6 --rate 20 --arrivals even --duration 2s --stop-after-peak 1";
    let sweep = data.server.run(&line(&data, options)).good().json();
    let taken = steps(&sweep).len();
    assert!((2..5).contains(&taken), "{taken} steps: {}", sweep["ended"]);
    let words = sweep["ended"].as_str().unwrap();
    assert!(words.contains("--stop-after-peak 1"), "{words}");
    assert_eq!(sweep["status"]["state"], "complete", "a rule is no accident");
}

#[test]
fn ctrl_c_ends_the_step_and_the_sweep_and_keeps_both() {
    let data = Server::mariadb().two_warehouses();
    let taken = "SELECT CAST(SUM(d_next_o_id) AS CHAR) FROM two.district";
    let before = data.server.number(taken);
    let running = data.server.begin(&line(&data, "-c 1,2 --duration 1h"));
    until("orders come in", || data.server.number(taken) > before + 20);
    running.signal(Signal::INT);
    let sweep = running.wait().ends(3).json();
    assert_eq!(sweep["status"]["reason"], "interrupted");
    assert_eq!(sweep["ended"], "It was interrupted at 1 connection.");
    assert_eq!(steps(&sweep).len(), 1);
    assert_eq!(steps(&sweep)[0]["status"]["reason"], "interrupted");
    let id = sweep["id"].as_str().unwrap();
    assert_eq!(data.server.rig.run(&format!("runs export {id}")).good().json(), sweep);
}

#[test]
fn a_server_that_dies_ends_the_sweep_with_what_there_is() {
    let server = Server::own("");
    server.run("tpcc prepare -w 1 -c 2").good();
    let options = "-c 1,2,4 --ramp-up 0 --duration 3s --no-check --reconnect-give-up 1s --json";
    let running = server.begin(&format!("tpcc run {options}"));
    let runs =
        || server.rig.run("runs list --json").good().json()["runs"].as_array().unwrap().len();
    until("the second step is on", || runs() == 2);
    let pid = Pid::from_raw(server.pid().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    let sweep = running.wait().ends(3).json();
    assert_eq!(sweep["status"]["state"], "partial");
    assert!((1..=2).contains(&steps(&sweep).len()), "{sweep}");
    assert_eq!(steps(&sweep)[0]["status"]["state"], "complete");
    assert!(sweep["ended"].as_str().unwrap().contains("2 connections"), "{}", sweep["ended"]);
}
