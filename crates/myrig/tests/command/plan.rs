//! Experiments planned, and refused, without anything being touched.

use crate::{
    documents::{JSON, fields, is},
    support::{Ended, Rig, Running, keys},
};
use std::fs;

/// A comparison that any machine could carry out.
const SMALL: &str = r#"
name = "small"
title = "A small one"
question = "Is it read?"

[server]
flavour = "mariadb"
settings.innodb-buffer-pool-size = "64M"
settings.max-connections = 100

[data]
workload = "tpcc"
warehouses = 1

[workload]
connections = 2
ramp-up = "1s"
duration = "3s"

[[variant]]
name = "a"

[[variant]]
name = "b"
server.settings.innodb-flush-log-at-trx-commit = 2

[compare]
"#;

fn rig() -> Rig {
    let rig = Rig::new();
    fs::write(rig.dir().join("small.toml"), SMALL).unwrap();
    rig
}

/// Nothing was made: no store, no instance, no report.
fn is_untouched(rig: &Rig) {
    assert!(!rig.home().exists(), "{:?}", fs::read_dir(rig.home()));
}

fn with(rig: &Rig, sets: &[&str], more: &str) -> Ended {
    let mut command = rig.command(&format!("run small.toml {more}"));
    command.args(sets.iter().flat_map(|set| ["--set", *set]));
    Running::start(command, &format!("run small.toml {sets:?} {more}")).wait()
}

#[test]
fn the_experiments_that_come_along_are_listed() {
    let rig = rig();
    let told = rig.run("run").good();
    for word in ["demo", "cloud-instances", "hammerdb-scaling", "laptop, about", "--plan"] {
        assert!(told.out.contains(word), "{word}: {told}");
    }
    assert!(told.out.lines().all(|line| line.chars().count() <= 80), "{told}");
    let listed = rig.run("run --json").good().json();
    is(&listed, "myrig.experiments/1");
    assert_eq!(listed["experiments"][0]["name"], "demo");
    is_untouched(&rig);
}

#[test]
fn a_plan_has_every_step_and_touches_nothing() {
    let rig = rig();
    let told = with(&rig, &[], "--plan").good();
    for word in [
        "A small one (small)",
        "MariaDB",
        "trial 2 of 2: b",
        "load tpcc, 1 warehouse",
        "innodb-flush-log-at-trx-commit = 2",
        "remove servers",
        "repeat.runs",
    ] {
        assert!(told.out.contains(word), "{word}: {told}");
    }
    assert!(told.out.lines().all(|line| line.chars().count() <= 80), "{told}");
    let plan = with(&rig, &["repeat.runs=2"], "--plan --json").good().json();
    is(&plan, "myrig.plan/1");
    assert_eq!(keys(&plan["steps"][0]), fields(JSON, "### An entry of a plan's `steps`"));
    assert_eq!((&plan["trials"], &plan["overrides"][0]), (&4.into(), &"repeat.runs=2".into()));
    assert_eq!(plan["obstacles"], serde_json::json!([]));
    is_untouched(&rig);
}

#[test]
fn a_plan_that_cannot_be_carried_out_is_printed_with_the_reasons() {
    let rig = rig();
    let told = rig.run("run cloud-instances --scale paper --plan").ends(3);
    for word in [
        "trial 12 of 12: 48-core, 488 GB (tuned)",
        "It cannot be carried out here:",
        "server.cores: 48 are more than",
    ] {
        assert!(told.out.contains(word), "{word}: {told}");
    }
    let plan = rig.run("run cloud-instances --scale paper --plan --json").ends(3).json();
    is(&plan, "myrig.plan/1");
    let refused = rig.run("run cloud-instances --scale paper").ends(3);
    refused.says(&["cannot be carried out", "server.memory: 488 GiB are more than"]);
    is_untouched(&rig);
}

#[test]
fn what_this_machine_cannot_do_is_refused_with_key_and_way_out() {
    let rig = rig();
    for (sets, words) in [
        (&["workload.duration=1s"][..], &["workload.duration", "2s or more"][..]),
        (&["workload.ramp-up=9s"], &["workload.duration", "workload.ramp-up"]),
        (&["workload.connections=98"], &["workload.connections", "max-connections = 100"]),
        (&["server.memory=900T"], &["server.memory", "another scale"]),
        (&["server.memory=64M"], &["server.settings", "memory limit"]),
        (&["server.cores=8000"], &["server.cores", "another scale"]),
        (&["server.cores=-1"], &["server.cores"]),
        (&["server.cpus=4000"], &["server.cpus", "4000"]),
        (&["server.cpus=x"], &["server.cpus"]),
        (&["server.settings.innodb_buffer_pool_size=900T"], &["server.settings", "900T"]),
        (&["server.flavour=percona"], &["server", "Percona", "server.basedir"]),
        (&["server.basedir=/nowhere"], &["/nowhere"]),
        (&["server.build=none"], &["none"]),
        (&["host.profile=none"], &["none"]),
        (&["data.warehouses=100000"], &["data: about", "--home"]),
        (&["measure.space=7"], &["measure.space"]),
        (&["measure.watch=7"], &["measure.watch"]),
        (&["compare.metrics=[\"NOPM\"]"], &["compare.metrics", "tpmC"]),
    ] {
        let planned = with(&rig, sets, "--plan").ends(3);
        let refused = with(&rig, sets, "").ends(3).says(words);
        // Lines are broken where they have to be.
        let told = planned.out.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(told.contains(word), "{word} is not in the plan: {planned}");
        }
        assert!(!refused.err.contains("--set:"), "{refused}");
        assert!(!refused.err.contains("- a: "), "what holds for all is told once: {refused}");
    }
    is_untouched(&rig);
}

#[test]
fn what_is_typed_wrongly_is_wrong_usage_and_what_is_written_wrongly_is_not() {
    let rig = rig();
    rig.run("run nowhere.toml").ends(2).says(&["nowhere.toml", "hammerdb-scaling"]);
    rig.run("run small.toml --scale paper").ends(2).says(&["--scale", "no scales"]);
    rig.run("run demo --scale lapdog").ends(2).says(&["is `laptop` meant?"]);
    let typed = with(&rig, &["workload.connection=3"], "");
    typed.ends(2).says(&["--set", "workload.connection", "is `connections` meant?"]);
    rig.run("run --plan").ends(2);
    rig.run("run demo --resume").ends(2);
    rig.run("run --resume --cleanup").ends(2);
    rig.run("run --cleanup --keep").ends(2);
    fs::write(rig.dir().join("wrong.toml"), SMALL.replace("[compare]", "[compar]")).unwrap();
    let written = rig.run("run wrong.toml --plan").ends(3);
    written.says(&["wrong.toml:27: `compar`: there is no such key; is `compare` meant?"]);
    fs::write(
        rig.dir().join("wrong.toml"),
        SMALL.replace("duration = \"3s\"", "duration = \"soon\""),
    )
    .unwrap();
    rig.run("run wrong.toml --plan").ends(3).says(&["workload.duration", "is no time"]);
    fs::write(rig.dir().join("binary.toml"), [0xff, 0xfe, 0]).unwrap();
    rig.run("run binary.toml").ends(3).says(&["UTF-8"]);
    is_untouched(&rig);
}
