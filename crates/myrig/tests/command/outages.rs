//! A server that dies in the middle of a run or of a load.

use crate::{
    documents::fields_of_run,
    support::{Rig, Running, Server, committed, keys, until},
};
use rustix::process::{Pid, Signal, kill_process};
use std::time::Instant;

const TAKEN: &str = "SELECT CAST(SUM(d_next_o_id) AS CHAR) FROM tpcc.district";

fn kill(server: &Server) {
    let pid = Pid::from_raw(server.pid().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    until("the crash is seen", || {
        server.rig.run("server status s --json").json()["state"] == "crashed"
    });
}

/// A run that is well under way.
fn measuring(server: &Server, options: &str) -> Running {
    let before = server.number(TAKEN);
    let running = server.begin(&format!("tpcc run -c 3 --ramp-up 0 --json {options}"));
    until("orders come in", || server.number(TAKEN) > before + 20);
    running
}

#[test]
fn a_server_that_dies_ends_or_interrupts_runs_and_loads_but_loses_nothing() {
    // What a crash must not lose is synced here, unlike in the servers that other tests share.
    let server = Server::own("--set innodb-flush-log-at-trx-commit=1");
    server.run("tpcc prepare -w 1 -c 2").good();
    a_run_whose_server_stays_away_is_partial(&server);
    server.rig.run("server start s").good();
    server.run("tpcc check").good();
    a_run_whose_server_comes_back_goes_on(&server);
    a_load_whose_server_dies_goes_on_later(&server);
    server.rig.run("server stop s").good();
    server.rig.nothing_runs();
}

fn a_run_whose_server_stays_away_is_partial(server: &Server) {
    let running = measuring(server, "--duration 1h --reconnect-give-up 2s --label dead");
    kill(server);
    let begun = Instant::now();
    let ended = running.wait().ends(3);
    assert!(begun.elapsed().as_secs() < 20, "{ended}");
    let record = ended.json();
    assert_eq!(record["status"]["state"], "partial");
    let outage = &record["outages"][0];
    assert_eq!(keys(outage), fields_of_run("outages"));
    let errors = record["errors"].as_array().unwrap();
    assert!(!errors.is_empty(), "transactions were under way when the server died");
    assert!(errors.iter().all(|error| keys(error) == fields_of_run("errors")), "{errors:?}");
    assert_eq!((&outage["connections"], &outage["until_s"]), (&3.into(), &().into()), "{outage}");
    assert!(record["headline"][0]["value"].as_f64() > Some(0.0), "what was measured is kept");
    let warnings = record["warnings"].to_string();
    assert!(warnings.contains("not checked"), "{warnings}");
    let id = record["id"].as_str().unwrap();
    assert_eq!(server.rig.run(&format!("runs export {id}")).good().json(), record);
    let shown = server.rig.run(&format!("runs show {id}")).good();
    assert!(shown.out.contains("Outage") && shown.out.contains("Partial run"), "{shown}");
}

fn a_run_whose_server_comes_back_goes_on(server: &Server) {
    let before = server.number(TAKEN);
    let running = measuring(server, "--duration 15s --label back");
    kill(server);
    server.rig.run("server start s").good();
    let ended = running.wait().good();
    let record = ended.json();
    assert_eq!(record["status"]["state"], "complete");
    assert!(record["outages"][0]["until_s"].as_f64() > Some(0.0), "{}", record["outages"]);
    assert_eq!(record["check"]["good"], true);
    let total = &record["transactions"][0]["total"];
    let (least, in_doubt) = (committed(&record, "New-Order"), total["in_doubt"].as_u64().unwrap());
    let taken = u64::try_from(server.number(TAKEN) - before).unwrap();
    assert!((least..=least + in_doubt).contains(&taken), "{taken} taken, counted {total}");
}

fn a_load_whose_server_dies_goes_on_later(server: &Server) {
    let line = "tpcc prepare -w 1 -c 2 -D other";
    let loading = server.begin(line);
    let exists = "SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.tables \
                  WHERE table_schema = 'other' AND table_name = 'order_line'";
    until("tables are there", || server.number(exists) == 1);
    let parts = "SELECT CAST(COUNT(*) AS CHAR) FROM other.myrig_tpcc_chunk";
    until("parts are in", || server.number(parts) > 3);
    kill(server);
    loading.wait().ends(3).says(&["lost", "127.0.0.1", "goes on"]);
    server.rig.run("server start s").good();
    server.run("tpcc run -D other").ends(3).says(&["half loaded"]);
    let resumed = server.run(&format!("{line} --json")).good().json();
    assert!(resumed["chunks_resumed"].as_u64() > Some(3), "{resumed}");
    server.run("tpcc check -D other").good();
}

#[test]
fn no_server_at_all_is_said_with_the_address() {
    let rig = Rig::new();
    for verb in ["prepare", "run", "check", "cleanup"] {
        // The port of the discard service, on which nothing listens.
        let words = ["cannot connect to 127.0.0.1:9", "refused"];
        rig.run(&format!("tpcc {verb} --host 127.0.0.1 --port 9")).ends(3).says(&words);
    }
    assert!(!rig.home().join("runs.sqlite").exists(), "no run, no record");
    let error = rig.run("tpcc check --port 9 --json").ends(3).json();
    assert_eq!((&error["schema"], &error["status"]), (&"myrig.error/1".into(), &3.into()));
}
