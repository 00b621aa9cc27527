//! Sizing to the machine, and instances under limits.

use crate::{
    documents::{JSON, fields},
    support::{Rig, keys},
};
use serde_json::Value;

const QUICK: &str = "--set innodb-flush-method=nosync";

fn option<'a>(sized: &'a Value, name: &str) -> &'a Value {
    let options = sized["options"].as_array().unwrap();
    options.iter().find(|option| option["name"] == name).unwrap()
}

#[test]
fn a_server_is_sized_to_a_part_of_the_machine_with_reasons() {
    let rig = Rig::new();
    let sized = rig.run("server size --memory 4G --cpus 1 --connections 300 --json").good().json();
    assert_eq!(keys(&sized), fields(JSON, "## `myrig.server-size/1`"));
    assert_eq!(keys(&sized["options"][0]), fields(JSON, "### An entry of `options`"));
    assert_eq!(keys(&sized["memory"]), fields(JSON, "### `memory`"));
    assert_eq!(keys(&sized["resources"]), fields(JSON, "### `resources`"));
    assert_eq!(option(&sized, "innodb_buffer_pool_size")["value"], "2G");
    assert_eq!(option(&sized, "max_connections")["value"], "300");
    let half = rig.run("server size --memory 4G --share 50% --json").good().json();
    let pool = |sized: &Value| sized["memory"]["buffer_pool_bytes"].as_u64().unwrap();
    assert!(pool(&half) < pool(&sized));

    let told = rig.run("server size --memory 4G --measure-disk").good();
    assert!(told.out.lines().all(|line| line.chars().count() <= 80), "{told}");
    assert!(told.out.contains("\n[mysqld]\n") && told.out.contains("# measured: "), "{told}");
}

#[test]
fn what_is_printed_is_an_option_file_that_the_server_takes() {
    let rig = Rig::new();
    let told = rig.run("server size --memory 2G").good();
    let file = rig.dir().join("sized.cnf");
    std::fs::write(&file, &told.out).unwrap();
    rig.run(&format!("server init a {QUICK} --config {}", file.display())).good();
    rig.run("server start a").good();
    rig.run("server stop a").good();
}

#[test]
fn a_new_instance_is_sized_to_its_limits_and_its_limits_are_shown() {
    let rig = Rig::new();
    let line = format!("server init a {QUICK} --size auto --memory 1500M --cpus 0.5 --json");
    let Some(made) = limited(&rig, &line) else { return };
    let options = std::fs::read_to_string(made["options_file"].as_str().unwrap()).unwrap();
    assert!(options.contains("max-connections"), "{options}");
    assert!(options.contains("innodb-buffer-pool-size = 640M"), "half of it: {options}");
    let running = rig.run("server start a --json").good().json();
    let limits = &running["limits"];
    assert_eq!((&limits["cpus"], &limits["memory_bytes"]), (&0.5.into(), &(1500 << 20).into()));
    assert_eq!((&limits["held"], &limits["killed_by_memory"]), (&true.into(), &false.into()));
    assert!(limits["memory_peak_bytes"].as_u64().unwrap() > 0, "{limits}");
    let told = rig.run("server status a").good();
    assert!(told.out.contains("0.5 cores, 1500 MB"), "{told}");
    assert!(told.out.contains("held back in"), "{told}");
    rig.run("server change a --set innodb_buffer_pool_size=2G").ends(3).says(&["running"]);
    rig.run("server stop a").good();
    rig.run("server change a --set innodb_buffer_pool_size=2G").ends(3).says(&[
        "innodb_buffer_pool_size = 2G",
        "memory limit is 1500 MB",
        "or less",
    ]);
    let grown = rig.run("server change a --memory 3G --size auto --json").good().json();
    assert_eq!(grown["size"]["memory_bytes"], 3_u64 << 30);
    let options = std::fs::read_to_string(grown["options_file"].as_str().unwrap()).unwrap();
    assert!(options.contains("innodb-buffer-pool-size = 1536M"), "{options}");
    assert!(options.contains("innodb-flush-method = nosync"), "{options}");
}

#[test]
fn a_listing_for_a_larger_machine_is_made_to_fit() {
    let rig = Rig::new();
    let file = rig.dir().join("large.cnf");
    let listing = "[mysqld]\ninnodb_buffer_pool_size = 900T\ninnodb_log_buffer_size=2047M\n";
    std::fs::write(&file, listing).unwrap();
    let file = file.display();
    rig.run(&format!("server init a {QUICK} --config {file}")).ends(3).says(&["900T"]);
    let config = rig.run(&format!("server config {file} --fit")).good();
    assert!(config.err.contains("innodb_buffer_pool_size: 900T made "), "{config}");
    assert!(!config.out.contains("900T"), "{config}");
    rig.run(&format!("server init a {QUICK} --config {file} --fit")).good();
    rig.run("server start a").good();
    rig.run("server stop a").good();
}

#[test]
fn instances_made_together_share_the_machine() {
    let rig = Rig::new();
    let made = rig.run(&format!("server init a b {QUICK} --size auto --json")).good().json();
    let pool = |server: &Value| -> String {
        let text = std::fs::read_to_string(server["options_file"].as_str().unwrap()).unwrap();
        let line = text.lines().find(|line| line.starts_with("innodb-buffer-pool-size"));
        line.unwrap().to_owned()
    };
    assert_eq!(pool(&made["servers"][0]), pool(&made["servers"][1]));
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let rig = Rig::new();
    let refusals: [(&str, u8, &[&str]); 7] = [
        ("server size --share 0%", 2, &["--share", "50%"]),
        ("server size --share 150%", 2, &["--share"]),
        ("server size --memory 100M", 3, &["100 MB are too little"]),
        ("server size --cpus 0", 2, &["0 is no number of processors"]),
        ("server init a --size big", 2, &["--size", "auto"]),
        ("server init a --set innodb_buffer_pool_size=900T", 3, &["900T", "--size auto"]),
        ("server init a --cpus 8000", 3, &["8000 cores is beyond this machine", "--cpus"]),
    ];
    for (line, status, words) in refusals {
        rig.run(line).ends(status.into()).says(words);
    }
    assert_eq!(rig.run("server status --json").good().json()["servers"], serde_json::json!([]));
}

/// What a command says that limits something; none, said aloud, where nobody may.
fn limited(rig: &Rig, line: &str) -> Option<Value> {
    let answer = rig.run(line);
    if answer.err.contains("cgroup") {
        println!("SKIPPED: instance sizes: {}", answer.err.trim());
        return None;
    }
    Some(answer.good().json())
}
