//! Several instances: made, placed, started, changed and stopped together.

use crate::support::{Rig, keys};
use serde_json::Value;

const SMALL: &str = "--set innodb-buffer-pool-size=32M --set innodb-flush-method=nosync";

fn states(servers: &Value) -> Vec<(&str, &str)> {
    let servers = servers["servers"].as_array().unwrap();
    let state = |server| {
        let server: &Value = server;
        (server["name"].as_str().unwrap(), server["state"].as_str().unwrap())
    };
    servers.iter().map(state).collect()
}

#[test]
fn instances_are_made_started_and_stopped_together() {
    let rig = Rig::new();
    let data = rig.home().join("device");
    std::fs::create_dir_all(&data).unwrap();
    let data = data.display();
    let made =
        rig.run(&format!("server init a b {SMALL} --spread --data {data} --json")).good().json();
    assert_eq!(states(&made), [("a", "stopped"), ("b", "stopped")]);
    let (a, b) = (&made["servers"][0], &made["servers"][1]);
    assert_ne!(a["port"], b["port"]);
    assert_ne!(a["placement"]["cpus"], b["placement"]["cpus"], "each has processors of its own");
    assert_eq!(keys(&a["size"]), ["cpus", "memory_bytes"]);

    let running = rig.run("server start --all --json").good().json();
    assert_eq!(states(&running), [("a", "running"), ("b", "running")]);
    // One that is running already does not keep the others from being told.
    let again = rig.run("server start a b --json").ends(3).json();
    assert!(again["servers"][1]["error"].as_str().unwrap().contains("running already"), "{again}");
    rig.run("server change a --set max_connections=7").ends(3).says(&["running", "stop"]);

    let stopped = rig.run("server stop a b --json").good().json();
    assert_eq!(states(&stopped), [("a", "stopped"), ("b", "stopped")]);
    rig.nothing_runs();
    let told = rig.run("server status").good();
    assert_eq!(told.out.matches("processors").count(), 2, "{told}");
    let changed =
        rig.run("server change a --anywhere --set max_connections=7 --json").good().json();
    assert_eq!(changed["placement"]["cpus"], Value::Null);
    for name in ["a", "b"] {
        rig.run(&format!("server remove {name}")).good();
        assert!(!rig.home().join("device").join(name).exists());
    }
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_made() {
    let rig = Rig::new();
    let refusals: [(&str, u8, &[&str]); 9] = [
        ("server init a a", 2, &["named twice"]),
        ("server init a --cpu-set 9000", 2, &["--cpu-set", "0-3,8"]),
        ("server init a --cpu-set 4000-4001", 3, &["4000-4001 do not exist", "online are"]),
        ("server init a --numa-node 77", 2, &["node 77 does not exist"]),
        ("server init a --memory-policy everywhere", 2, &["interleave:0-3"]),
        ("server init a --cpus 0", 3, &["0 is no number of processors"]),
        ("server init a --memory 1K", 3, &["too little"]),
        ("server init a b --port 65535", 2, &["--port", "not so many"]),
        ("server start --all", 3, &["no instance", "init"]),
    ];
    for (line, status, words) in refusals {
        rig.run(line).ends(status.into()).says(words);
    }
    rig.run("server change a").ends(3).says(&["no instance `a`"]);
    assert_eq!(rig.run("server status --json").good().json()["servers"], serde_json::json!([]));
}

#[test]
fn a_change_of_nothing_is_wrong_usage() {
    let rig = Rig::new();
    rig.run(&format!("server init a {SMALL}")).good();
    rig.run("server change a").ends(2).says(&["nothing to change", "--set"]);
    rig.run("server change a --unset sync_binlog").ends(3).says(&["sync_binlog", "not set"]);
    rig.run("server change a --set port=1").ends(3).says(&["port"]);
}
