//! A disk that fills up while a run is saved, or while data is loaded.

use crate::support::{Disk, Rig, Server, until};
use serde_json::Value;
use std::fs;

/// Options that reach the shared server from another home.
fn from_elsewhere(server: &Server) -> String {
    let (port, file) = (server.fact("port"), server.fact("password_file"));
    format!("--host 127.0.0.1 --port {port} --user root --password-file {file} -D two")
}

#[test]
fn a_run_that_the_store_cannot_take_is_kept_elsewhere() {
    let data = Server::mariadb().two_warehouses();
    let rig = Rig::new();
    let Some(disk) = Disk::mount(&rig, "8m") else { return };
    let rig = rig.with_home(disk.path().join("home"));
    let line = "tpcc run -c 2 --ramp-up 0 --duration 3s --no-check";
    let on = from_elsewhere(data.server);
    rig.run(&format!("tpcc run -c 1 --ramp-up 0 --transactions 1 {on} --label before")).good();

    let running = rig.start(&format!("{line} {on}"));
    let begun = || rig.run("runs list --json").good().json()["runs"].as_array().unwrap().len() == 2;
    until("the run has begun", begun);
    disk.fill();
    let ended = running.wait().ends(3).says(&["no room left", "is kept in", "report"]);
    assert!(ended.out.contains("tpmC"), "the summary is shown all the same: {ended}");
    let (_, place) = ended.err.split_once("is kept in ").unwrap();
    let place = rig.dir().join(place.split_whitespace().next().unwrap());
    let record: Value = serde_json::from_str(&fs::read_to_string(place).unwrap()).unwrap();
    assert_eq!(record["status"]["state"], "complete");
    let list = rig.run("runs list --json").good().json();
    assert_eq!(list["runs"].as_array().unwrap().len(), 2, "nothing that was saved is lost: {list}");

    disk.make_room();
    let mut nowhere = rig.command(&format!("{line} {on} --json"));
    nowhere.current_dir(disk.path()).env("TMPDIR", disk.path());
    let running = crate::support::Running::start(nowhere, line);
    let begun = || rig.run("runs list --json").good().json()["runs"].as_array().unwrap().len() == 3;
    until("the run has begun", begun);
    disk.fill();
    let ended = running.wait().ends(3).says(&["no room left", "no other place could take the run"]);
    assert_eq!(ended.json()["status"]["state"], "complete");
    drop(disk);
}

#[test]
fn a_run_whose_home_cannot_be_written_does_not_begin() {
    let data = Server::mariadb().two_warehouses();
    let rig = Rig::new();
    let file = rig.dir().join("file");
    fs::write(&file, "").unwrap();
    let rig = rig.with_home(file.join("home"));
    let taken = "SELECT CAST(SUM(d_next_o_id) AS CHAR) FROM two.district";
    let before = data.server.number(taken);
    let line = format!("tpcc run -c 1 --transactions 9 {}", from_elsewhere(data.server));
    rig.run(&line).ends(3).says(&["cannot be written", "--home"]);
    assert_eq!(data.server.number(taken), before);
}

#[test]
fn a_load_onto_a_full_disk_ends_and_goes_on_when_there_is_room() {
    let rig = Rig::new();
    let Some(disk) = Disk::mount(&rig, "420m") else { return };
    let server = Server::start(rig.with_home(disk.path().join("home")), None, "");
    disk.fill_but(60 << 20);
    server.run("tpcc prepare -w 1 -c 2").ends(3).says(&["full", "goes on"]);
    server.run("tpcc run").ends(3).says(&["half loaded"]);
    disk.make_room();
    server.run("tpcc prepare -w 1 -c 2").good();
    server.run("tpcc check").good();
    server.rig.run("server stop s").good();
    server.rig.nothing_runs();
    drop(disk);
}

#[test]
fn an_instance_on_a_full_disk_is_refused_with_the_way_out() {
    let rig = Rig::new();
    let Some(disk) = Disk::mount(&rig, "6m") else { return };
    let rig = rig.with_home(disk.path().join("home"));
    rig.run("server init a").ends(3).says(&["no space left", "--home"]);
    rig.nothing_runs();
    let list = rig.run("server status --json").good().json();
    assert_eq!(list["servers"], serde_json::json!([]), "no half-made instance");
    drop(disk);
}
