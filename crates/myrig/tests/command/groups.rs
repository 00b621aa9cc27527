//! Loading and running on several instances side by side.

use crate::support::{Rig, until};
use client::Connection;
use rustix::process::Signal;
use serde_json::Value;
use server::{Home, Instance, Via};
use std::fs;

const SMALL: &str = "--set innodb-buffer-pool-size=64M --set innodb-flush-method=nosync \
                     --set innodb-flush-log-at-trx-commit=0";

/// Two running MariaDB instances, `a` and `b`.
fn two() -> Rig {
    let rig = Rig::new();
    rig.run(&format!("server init a b {SMALL}")).good();
    rig.run("server start a b").good();
    rig
}

fn float(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn two_instances_are_loaded_and_run_side_by_side_with_one_report() {
    let rig = two();
    let loaded = rig.run("tpcc prepare -w 1 --instance a,b --json").good().json();
    assert_eq!(loaded["schema"], "myrig.group-prepare/1");
    let names: Vec<_> =
        loaded["members"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(loaded["members"][0]["rows"], loaded["members"][1]["rows"]);

    let line = "tpcc run --instance a,b -c 2 --ramp-up 1s --duration 3s --label pair --json";
    let ended = rig.run(line).good();
    let group = ended.json();
    assert_eq!(
        (&group["schema"], &group["status"]["state"]),
        (&"myrig.group/1".into(), &"complete".into())
    );
    let members = group["members"].as_array().unwrap();
    let figures: Vec<f64> =
        members.iter().map(|member| float(&member["headline"][0]["value"])).collect();
    let together = float(&group["headline"][0]["value"]);
    assert!(figures.iter().all(|figure| *figure > 0.0), "{group}");
    assert!((together - figures.iter().sum::<f64>()).abs() < 1e-6 * together, "{group}");
    assert!(members.iter().all(|member| member["check_good"] == true), "{group}");

    // Each run is whole by itself, and says which instance it was on.
    for member in members {
        let run = rig.run(&format!("runs show {} --json", member["run"].as_str().unwrap()));
        let run = run.good().json();
        assert_eq!(run["settings"]["instance"], member["name"]);
        assert_eq!(run["client"]["connections"], 2);
    }
    let id = group["id"].as_str().unwrap();
    let page = fs::read_to_string(rig.home().join(format!("reports/{id}.html"))).unwrap();
    assert!(page.contains("<svg id=\"throughput\"") && page.contains("side by side"));
    let shown = rig.run("runs show").good();
    assert!(shown.out.contains("on 2 servers side by side"), "{shown}");
    let listed = rig.run("runs list").good();
    assert!(listed.out.contains("member 2 of") && listed.out.contains(id), "{listed}");
    let csv = rig.run(&format!("runs export {id} --format csv")).good();
    assert_eq!(csv.out.lines().count(), 3, "{csv}");
    rig.run(&format!("runs remove {id}")).good();
    assert_eq!(rig.run("runs list --json").good().json()["runs"], serde_json::json!([]));
}

#[test]
fn what_one_member_lacks_keeps_all_of_them_from_running() {
    let rig = two();
    rig.run("oltp prepare --instance a --tables 1 --table-size 100").good();
    let ended = rig.run("oltp run --instance a,b -c 1 --duration 2s --json");
    ended.ends(3).says(&["b"]);
    assert_eq!(rig.run("runs list --json").good().json()["runs"], serde_json::json!([]));
    for (line, words) in [
        ("oltp run --instance a,b -c 1,2", &["one instance"][..]),
        ("oltp check --instance a,b", &["--instance", "takes one"]),
        ("oltp run --instance a,a", &["named twice"]),
        ("oltp run --instance a --client-cpus 4000", &["--client-cpus", "4000 do not exist"]),
    ] {
        rig.run(line).ends(2).says(words);
    }
    rig.run("oltp run --instance a,zz").ends(3).says(&["no instance `zz`"]);
}

#[test]
fn a_group_that_is_interrupted_keeps_what_there_is() {
    let rig = two();
    rig.run("oltp prepare --instance a,b --tables 1 --table-size 100").good();
    let before = ["a", "b"].map(|name| commits(&rig, name));
    let line = "oltp run --instance a,b -c 1 --client-cpus 0 --ramp-up 0s --duration 1h --json";
    let running = rig.start(line);
    until("both are under load", || {
        ["a", "b"].iter().zip(before).all(|(name, before)| commits(&rig, name) > before + 20)
    });
    assert_eq!(cpus_of_load(running.pid()), ["0", "0"], "a thread a member, where it was told");
    running.signal(Signal::INT);
    let group = running.wait().ends(3).json();
    assert_eq!(group["status"]["state"], "partial", "{group}");
    assert!(group["status"]["reason"].as_str().unwrap().contains("interrupted"), "{group}");
    let stored = rig.run("runs show --json").good().json();
    assert_eq!(stored, group);
}

/// Where each thread of a load may run.
fn cpus_of_load(pid: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let cpus = tasks.filter_map(|task| {
        let read = |file| fs::read_to_string(task.path().join(file)).unwrap_or_default();
        let status = read("status");
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        read("comm").starts_with("load-").then(|| list.unwrap_or_default().trim().to_owned())
    });
    cpus.collect()
}

/// Transactions that an instance has committed.
fn commits(rig: &Rig, name: &str) -> i64 {
    let instance = Instance::open(&Home::at(rig.home()).unwrap(), &name.parse().unwrap()).unwrap();
    let target = instance.target(Via::Tcp).unwrap();
    let ask = async {
        let mut connection = Connection::connect(&target).await.unwrap();
        let row = connection.query_one("SHOW GLOBAL STATUS LIKE 'Com_commit'").await.unwrap();
        row.unwrap().int(1).unwrap()
    };
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(ask)
}
