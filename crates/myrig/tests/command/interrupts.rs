//! Ctrl-C and SIGKILL: a run keeps what there is, a load goes on where it was.

use crate::{
    on_both,
    support::{DEADLINE, Data, Ended, Running, Server, until},
};
use rustix::process::Signal;
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// How long "cleanly within seconds" may take on a busy machine.
const SECONDS: Duration = Duration::from_secs(15);

/// A run of an hour, well under way.
fn hour(data: &Data<'_>, options: &str) -> Running {
    let taken = "SELECT CAST(SUM(d_next_o_id) AS CHAR) FROM two.district";
    let before = data.server.number(taken);
    let line = format!("tpcc run -D two -c 2 --ramp-up 0 --duration 1h {options}");
    let running = data.server.begin(&line);
    until("orders come in", || data.server.number(taken) > before + 20);
    running
}

fn ends_soon(running: Running) -> Ended {
    let begun = Instant::now();
    let ended = running.wait();
    assert!(begun.elapsed() < SECONDS, "{ended}");
    ended
}

#[test]
fn ctrl_c_ends_a_run_with_a_partial_record_and_a_report() {
    let data = Server::mariadb().two_warehouses();
    for signal in [Signal::INT, Signal::TERM] {
        let running = hour(&data, "--label interrupted --json");
        running.signal(signal);
        let ended = ends_soon(running).ends(3);
        let record = ended.json();
        assert_eq!(record["status"]["state"], "partial");
        assert_eq!(record["status"]["reason"], "interrupted");
        let id = record["id"].as_str().unwrap();
        let stored = data.server.rig.run(&format!("runs export {id}")).good().json();
        assert_eq!(stored, record);
        let (_, report) = ended.err.split_once("report: ").unwrap();
        assert!(Path::new(report.trim()).is_file(), "{ended}");
        let shown = data.server.rig.run(&format!("runs show {id}")).good();
        assert!(shown.out.contains("Partial run: interrupted"), "{shown}");
        assert!(shown.out.contains("`myrig tpcc check` does it"), "{shown}");
    }
}

#[test]
fn a_killed_run_is_in_the_store_as_partial() {
    let data = Server::mariadb().two_warehouses();
    let running = hour(&data, "--label killed");
    running.signal(Signal::KILL);
    let ended = running.wait();
    assert_eq!(ended.status, None, "{ended}");
    let list = data.server.rig.run("runs list --json").good().json();
    let run = list["runs"].as_array().unwrap().iter().find(|run| run["label"] == "killed").unwrap();
    assert_eq!(run["status"], "partial");
    let shown = data.server.rig.run(&format!("runs show {}", run["id"].as_str().unwrap())).good();
    assert!(shown.out.contains("did not live to see its end"), "{shown}");
    // Its transactions were rolled back, so that the data is as good as before.
    let sessions = "SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.processlist \
                    WHERE db = 'two'";
    until("its sessions are gone", || data.server.number(sessions) == 0);
    data.server.run("tpcc check -D two").good();
}

/// Parts that the load of one warehouse has.
const ALL_PARTS: i64 = 62;

/// Parts of the load of one warehouse that are in.
fn parts(server: &Server, database: &str) -> i64 {
    let exists = format!(
        "SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.tables \
         WHERE table_schema = '{database}' AND table_name = 'myrig_tpcc_chunk'"
    );
    match server.number(&exists) {
        0 => 0,
        _ => server
            .number(&format!("SELECT CAST(COUNT(*) AS CHAR) FROM {database}.myrig_tpcc_chunk")),
    }
}

#[test]
fn an_interrupted_load_says_so_and_goes_on() {
    let server = Server::mariadb();
    let line = "tpcc prepare -w 1 -c 2 -D interrupted";
    let loading = server.begin(line);
    until("parts are in", || parts(server, "interrupted") > 5);
    loading.signal(Signal::INT);
    ends_soon(loading).ends(3).says(&["the same command goes on"]);

    let words = ["half loaded", "tpcc prepare", "--warehouses 1", "tpcc cleanup"];
    for verb in ["run", "check"] {
        server.run(&format!("tpcc {verb} -D interrupted")).ends(3).says(&words);
    }
    let other = "tpcc prepare -w 2 -D interrupted";
    server.run(other).ends(3).says(&["--warehouses 1", "tpcc cleanup"]);

    let resumed = server.run(&format!("{line} --json")).good().json();
    assert!(resumed["chunks_resumed"].as_u64() > Some(5), "{resumed}");
    server.run("tpcc check -D interrupted").good();
    server.run("tpcc cleanup -D interrupted").good();
}

on_both!(a_load_that_is_killed_again_and_again_ends_with_sound_data);

fn a_load_that_is_killed_again_and_again_ends_with_sound_data(server: &Server) {
    let line = "tpcc prepare -w 1 -c 2 -D killed";
    // The first moments, the middle, the last parts, the indexes.
    for wanted in [0, 2, 30, 55, ALL_PARTS] {
        let mut loading = server.begin(line);
        let begun = Instant::now();
        while parts(server, "killed") < wanted && !loading.has_ended() {
            assert!(begun.elapsed() < DEADLINE, "the load does not get on");
        }
        loading.signal(Signal::KILL);
        let ended = loading.wait();
        // A quick machine may be done with the indexes before it is seen that the parts are in.
        let killed = ended.status.is_none() || wanted == ALL_PARTS && ended.status == Some(0);
        assert!(killed, "it was to be killed at {wanted} parts: {ended}");
    }
    let resumed = server.run(&format!("{line} --json")).good().json();
    assert!(resumed["chunks_resumed"].as_u64() >= Some(55), "{resumed}");
    let checked = server.run("tpcc check -D killed").good();
    assert!(checked.out.contains("12 of 12"), "{checked}");
    server.run("tpcc cleanup -D killed").good();
}
