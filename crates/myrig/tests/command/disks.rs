//! `myrig disk list` and `myrig disk bench`.

use crate::{
    documents::{JSON, fields, is},
    support::{Rig, keys, until},
};
use rustix::process::Signal;
use serde_json::Value;
use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
};

/// What takes no time worth speaking of.
const SMALL: &str = "--size 8M --block-size 64K --bytes 16M --jobs 2 --depth 4";

/// A directory with nothing in it, on whatever the temporary files are on.
fn empty(rig: &Rig) -> String {
    let dir = rig.dir().join("measured");
    fs::create_dir_all(&dir).unwrap();
    dir.display().to_string()
}

fn is_empty(dir: &str) {
    assert_eq!(fs::read_dir(dir).unwrap().count(), 0, "something was left in {dir}");
}

fn rounds(measured: &Value) -> &Vec<Value> {
    measured["paths"][0]["rounds"].as_array().unwrap()
}

fn has_fio() -> bool {
    let mut fio = Command::new("fio");
    fio.arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[test]
fn devices_are_listed_with_their_limits() {
    let rig = Rig::new();
    let listed = rig.run("disk list --all --json");
    if !Path::new("/sys/block").is_dir() {
        listed.ends(3).says(&["/sys/block"]);
        return;
    }
    let listed = listed.good().json();
    is(&listed, "myrig.disk-list/1");
    let of_device = fields(JSON, "### `devices`");
    for device in listed["devices"].as_array().unwrap() {
        assert_eq!(keys(device), of_device);
        assert!(device["size_bytes"].as_u64().unwrap() > 0, "{device}");
    }
    rig.run("disk list").good();
}

#[test]
fn reads_are_measured_kept_as_the_limit_and_leave_nothing_behind() {
    let rig = Rig::new();
    let dir = empty(&rig);
    let line = format!("disk bench {dir} {SMALL} --block-size 128K --fio never --json");
    let line = line.replacen("--block-size 64K ", "", 1);
    let measured = rig.run(&line).good().json();
    is(&measured, "myrig.disk-bench/1");
    is_empty(&dir);
    let [round] = &rounds(&measured)[..] else { panic!("{measured}") };
    assert_eq!(round["ours"]["read"]["bytes"], 16 << 20);
    assert_eq!((&round["ours"]["write"], &round["fio"]), (&Value::Null, &Value::Null));
    assert_eq!(measured["paths"][0]["size_bytes"], 8 << 20);
    let is_direct = round["ours"]["fallbacks"].as_array().unwrap().is_empty();
    let kept = rig.home().join("disk-limits.json");
    assert_eq!(kept.exists(), is_direct, "{measured}");
    // What is no limit is not kept for one.
    let _none = fs::remove_file(&kept);
    for pattern in ["--random", "--buffered", "--mix 50"] {
        let line = format!("disk bench {dir} {SMALL} --fio never --json {pattern}");
        let measured = rig.run(&line).good().json();
        assert_eq!(measured["limits_kept"].as_array().unwrap().len(), 0, "{pattern}");
    }
    assert!(!kept.exists());
    is_empty(&dir);
}

#[test]
fn writes_end_with_a_sync_and_are_told_as_text_too() {
    let rig = Rig::new();
    let dir = empty(&rig);
    let line = format!("disk bench {dir} {SMALL} --write --io plain --rounds 2 --fio never");
    let told = rig.run(&line).good().out;
    for words in ["sequential writes of 64 KiB", "myrig write", "fsync"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let measured = rig.run(&format!("{line} --json")).good().json();
    assert_eq!(rounds(&measured).len(), 2);
    for round in rounds(&measured) {
        assert_eq!(round["ours"]["write"]["bytes"], 16 << 20);
        assert_eq!(round["ours"]["reader"], "plain");
    }
    is_empty(&dir);
}

#[test]
fn fio_measures_the_same_where_it_is_installed() {
    let rig = Rig::new();
    let dir = empty(&rig);
    if !has_fio() {
        println!("SKIPPED: fio beside our own measurement, because it is not installed");
        rig.run(&format!("disk bench {dir} {SMALL} --fio always")).ends(3).says(&["fio"]);
        return;
    }
    for pattern in ["--read", "--write", "--random --mix 70"] {
        let line = format!("disk bench {dir} {SMALL} --fio always --json {pattern}");
        let measured = rig.run(&line).good().json();
        assert!(measured["fio_version"].as_str().unwrap().starts_with("fio-"));
        let fio = &rounds(&measured)[0]["fio"];
        let bytes = |flow: &Value| flow["bytes"].as_u64().unwrap_or(0);
        assert_eq!(bytes(&fio["read"]) + bytes(&fio["write"]), 16 << 20, "{pattern}: {fio}");
    }
    is_empty(&dir);
}

#[test]
fn ctrl_c_deletes_the_file_that_was_made() {
    let rig = Rig::new();
    let dir = empty(&rig);
    let running = rig.start(&format!("disk bench {dir} --size 8M --duration 1h --fio never"));
    until("the file is there", || fs::read_dir(&dir).unwrap().count() > 0);
    running.signal(Signal::INT);
    running.wait().ends(3).says(&["interrupted"]);
    is_empty(&dir);
}

#[test]
fn what_a_killed_command_left_is_deleted_by_the_next_one() {
    let rig = Rig::new();
    let dir = empty(&rig);
    let running = rig.start(&format!("disk bench {dir} --size 8M --duration 1h --fio never"));
    until("the file is there", || fs::read_dir(&dir).unwrap().count() > 0);
    running.signal(Signal::KILL);
    running.wait();
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
    rig.run(&format!("disk bench {dir} {SMALL} --fio never")).good();
    is_empty(&dir);
}

#[test]
fn what_is_there_is_read_and_never_written() {
    let rig = Rig::new();
    let file = rig.dir().join("precious");
    fs::write(&file, vec![7; 1 << 20]).unwrap();
    let path = file.display().to_string();
    let small = "--block-size 64K --bytes 2M --jobs 2 --fio never";
    rig.run(&format!("disk bench {path} {small}")).good();
    rig.run(&format!("disk bench {path} {small} --write")).ends(2).says(&["left as it is"]);
    let twice = format!("--destroy-data {path} --destroy-data {path}");
    rig.run(&format!("disk bench {path} {small} --mix 50 {twice}")).ends(2).says(&["directory"]);
    assert!(fs::read(&file).unwrap() == vec![7; 1 << 20]);
    rig.run(&format!("disk bench {path} --block-size 1000")).ends(3).says(&["4K"]);
    rig.run(&format!("disk bench {path} --block-size 1M --jobs 2")).ends(3).says(&["too little"]);
    rig.run("disk bench /none").ends(3).says(&["/none"]);
    rig.run("disk bench").ends(2);
    let dir = empty(&rig);
    rig.run(&format!("disk bench {dir} --size 8000T")).ends(3).says(&["--size"]);
    rig.run(&format!("disk bench {dir} --mix 100")).ends(2);
    rig.run(&format!("disk bench {dir} --read --write")).ends(2);
    is_empty(&dir);
}

#[test]
fn a_device_is_written_to_when_that_is_said_and_not_otherwise() {
    let rig = Rig::new();
    let image = rig.dir().join("image");
    File::create(&image).unwrap().set_len(32 << 20).unwrap();
    let made = Command::new("losetup").args(["--find", "--show"]).arg(&image).output().unwrap();
    if !made.status.success() {
        println!("SKIPPED: writing to a device, because there is no loop device to be had");
        return;
    }
    let device = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let small = "--block-size 64K --bytes 2M --jobs 3 --fio never";
    let outcome = std::panic::catch_unwind(|| {
        rig.run(&format!("disk bench {device} {small}")).good();
        let write = format!("disk bench {device} {small} --write");
        rig.run(&write).ends(3).says(&["--destroy-data"]);
        let other = format!("{write} --destroy-data /dev/null");
        rig.run(&other).ends(3).says(&["--destroy-data"]);
        assert!(fs::read(&image).unwrap().iter().all(|byte| *byte == 0), "it was written to");
        let said = format!("{write} --destroy-data {device}");
        rig.run(&said).good();
        assert!(fs::read(&image).unwrap().iter().any(|byte| *byte != 0));
        // What holds something takes it twice.
        fs::write(&image, [b"XFSB".to_vec(), vec![0; (32 << 20) - 4]].concat()).unwrap();
        rig.run(&said).ends(3).says(&["twice"]);
        rig.run(&format!("{said} --destroy-data {device}")).good();
    });
    Command::new("losetup").args(["--detach", &device]).status().unwrap();
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}
