//! `myrig ssd simulate`, on made-up loads, on traces and on a device while it is written.

mod looped;
mod made;
mod named;
mod options;

use crate::{
    documents::{JSON, fields, is},
    support::{Rig, keys},
};
use looped::Loop;
use made::{Made, trace};
use serde_json::Value;
use std::fs;
use streams::Rules;

/// Drives that are simulated in no time: small ones with small blocks.
const SMALL: &str = "--capacity 64M --block 256K --over-provisioning 28%";

/// The same for the traces of this file.
const DRIVE: &str = "--block 64K --over-provisioning 28%";

/// Columns of a terminal at which tables have to fit.
const COLUMNS: usize = 100;

fn fits(text: &str) {
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(COLUMNS), "{text}");
}

fn factor(drive: &Value) -> f64 {
    drive["factor"].as_f64().unwrap()
}

fn is_simulated(told: &Value) {
    is(told, "myrig.ssd-simulate/1");
    for drive in told["drives"].as_array().unwrap() {
        assert_eq!(keys(drive), fields(JSON, "### An entry of `drives` of a simulation"));
    }
}

#[test]
fn a_made_up_load_comes_to_its_closed_form() {
    let rig = Rig::new();
    let told = rig.run(&format!("ssd simulate --load uniform {SMALL} --json")).good().json();
    is_simulated(&told);
    let drive = &told["drives"][0];
    let closed_form = drive["closed_form"].as_f64().unwrap();
    // Of 328 blocks two are open, which a closed form for very many blocks does not know.
    assert!((factor(drive) / closed_form - 1.0).abs() < 0.05, "{drive}");
    assert_eq!(drive["steady"], true);
    let hot = format!("ssd simulate --load hot-cold=0.9/0.1 {SMALL} --streams 2");
    let told = rig.run(&format!("{hot} --json")).good().json();
    assert_eq!(told["drives"][0]["closed_form"], Value::Null, "moved pages apart are not in it");
    assert!(told["drives"][1]["effect"]["change"].as_f64().unwrap() < 0.0, "{told}");
    let text = rig.run(&hot).good().out;
    fits(&text);
    assert!(text.contains("none") && text.contains("hints"), "{text}");
}

#[test]
fn hints_are_compared_on_every_geometry() {
    let rig = Rig::new();
    trace(&rig, Made::default());
    let line = "ssd simulate made.trace --block 64K,128K --over-provisioning 15%,28%";
    let told = rig.run(&format!("{line} --json")).good().json();
    is_simulated(&told);
    let drives = told["drives"].as_array().unwrap();
    assert_eq!(drives.len(), 8);
    for pair in drives.chunks(2) {
        assert_eq!([&pair[0]["placement"], &pair[1]["placement"]], ["none", "hints"]);
        assert_eq!(pair[0]["effect"], Value::Null);
        let effect = &pair[1]["effect"];
        let change = factor(&pair[1]) / factor(&pair[0]) - 1.0;
        assert!((effect["change"].as_f64().unwrap() - change).abs() < 1e-9, "{effect}");
        assert!(effect["ci95"][1].as_f64().unwrap() < 0.0, "the log apart from the rows: {effect}");
    }
    let text = rig.run(line).good().out;
    fits(&text);
    assert!(text.contains("40000 writes") && text.contains("95% interval"), "{text}");
}

/// Thirteen seconds of sysbench's write-only mix on MariaDB 10.11, on XFS on a loop device of 320
/// MiB with the published hints, recorded on 2026-11-22 by `myrig ssd trace --files`.
const MARIADB: &[u8] = include_bytes!("ssd_simulate/mariadb.trace");

#[test]
fn hints_lower_the_write_amplification_of_a_trace_of_mariadb() {
    let rig = Rig::new();
    fs::write(rig.dir().join("mariadb.trace"), MARIADB).unwrap();
    let line = "ssd simulate mariadb.trace --block 256K,1M --over-provisioning 7%,28%";
    for fill in ["", "--fill 95%"] {
        let told = rig.run(&format!("{line} {fill} --json")).good().json();
        assert_eq!(told["input"]["summary"]["writes"], 44_363);
        assert_eq!(told["input"]["files"], 11);
        for drive in told["drives"].as_array().unwrap().iter().skip(1).step_by(2) {
            assert!(drive["effect"]["ci95"][1].as_f64().unwrap() < 0.0, "{drive}");
        }
    }
    let tuned = "ssd simulate mariadb.trace --block 1M --fill 95% --tune --tune-moves 1 --json";
    let told = rig.run(tuned).good().json();
    let drives = told["drives"].as_array().unwrap();
    let names = drives.iter().map(|drive| drive["placement"].as_str().unwrap());
    let sets: Vec<&str> = names.map(|name| name.split(':').next().unwrap()).collect();
    assert_eq!(sets, ["none", "hints", "astream", "mariadb", "proposed"]);
    let factors: Vec<f64> = drives.iter().map(factor).collect();
    assert!(factors[..4].iter().all(|other| factors[4] < *other), "{factors:?}");
    fits(rig.run(line).good().out.as_str());
}

#[test]
fn rules_place_files_as_their_hints_would() {
    let rig = Rig::new();
    trace(&rig, Made::default());
    fs::write(rig.dir().join("rules"), "^/data/ib_logfile short\n").unwrap();
    let line = format!(
        "ssd simulate made.trace {DRIVE} --placement hints --placement rules --placement \
         astream:/data --placement 2=1 --json"
    );
    let told = rig.run(&line).good().json();
    let factors: Vec<f64> = told["drives"].as_array().unwrap().iter().map(factor).collect();
    assert!(factors.iter().all(|factor| *factor == factors[0]), "{factors:?}");
    let none = rig.run(&format!("ssd simulate made.trace {DRIVE} --placement no-such-file"));
    none.ends(3).says(&["--placement no-such-file", "nor a rule file"]);
    fs::write(rig.dir().join("rules"), "^/data/ib_logfile 7\n").unwrap();
    let bad = rig.run(&format!("ssd simulate made.trace {DRIVE} --placement rules"));
    bad.ends(2).says(&["--placement rules", "line 1"]);
}

#[test]
fn rules_are_proposed_that_can_be_read_and_help() {
    let rig = Rig::new();
    trace(&rig, Made { hint: 0, ..Made::default() });
    let line = format!("ssd simulate made.trace {DRIVE} --tune --tune-moves 1");
    let told = rig.run(&format!("{line} --rules-out proposed.rules --json")).good().json();
    is_simulated(&told);
    let proposal = &told["proposal"];
    assert_eq!(keys(proposal), fields(JSON, "### The `proposal`"));
    assert_eq!(keys(&proposal["classes"][0]), fields(JSON, "### An entry of `classes`"));
    let text = fs::read_to_string(rig.dir().join("proposed.rules")).unwrap();
    assert_eq!(proposal["rules"], text.as_str());
    let rules = Rules::parse(&text).unwrap();
    let [log, rows] =
        ["/data/ib_logfile0", "/data/t/rows.ibd"].map(|file| rules.lifetime(file.as_ref()));
    assert_ne!(log, rows, "{text}");
    let drives = told["drives"].as_array().unwrap();
    assert_eq!(drives[1]["placement"], "proposed");
    assert!(factor(&drives[1]) < 0.98 * factor(&drives[0]), "{drives:?}");
    let text = rig.run(&line).good().out;
    fits(&text);
    assert!(text.contains("median") && text.contains("ib_logfile[0-9]+"), "{text}");
}

#[test]
fn a_damaged_trace_is_used_only_when_that_is_asked_for() {
    let rig = Rig::new();
    let bytes = trace(&rig, Made::default());
    fs::write(rig.dir().join("cut.trace"), &bytes[..bytes.len() / 2]).unwrap();
    let refused = rig.run(&format!("ssd simulate cut.trace {DRIVE}"));
    refused.ends(3).says(&["cut.trace: cut off at byte", "--partial"]);
    let told = rig.run(&format!("ssd simulate cut.trace {DRIVE} --partial --json"));
    let told = told.good().json();
    let input = &told["input"];
    assert!(input["damage"].as_str().unwrap().starts_with("cut off at byte"), "{input}");
    assert_eq!(input["lost"], Value::Null);
    assert!(input["summary"]["writes"].as_u64().unwrap() > 0, "{input}");
    fs::write(rig.dir().join("other"), "no trace at all").unwrap();
    rig.run("ssd simulate other").ends(3).says(&["other: not a trace"]);
    rig.run("ssd simulate absent").ends(3).says(&["absent", "No such file"]);
}

#[test]
fn what_cannot_be_simulated_is_told_with_a_way_out() {
    let rig = Rig::new();
    trace(&rig, Made::default());
    for (options, words) in [
        ("--block 3K", "--block 3 KiB: it must be a multiple of a page (4 KiB)"),
        ("--page 5000", "--page: the size of a page must be a power of two"),
        ("--block 64M", "spare blocks"),
        ("--over-provisioning 0%", "spare space of 0"),
        ("--victim d-choices=0 --block 64K", "draw at least 1 block"),
    ] {
        rig.run(&format!("ssd simulate made.trace {options}")).ends(2).says(&[words]);
    }
    let small =
        rig.run("ssd simulate made.trace --capacity 8M --block 64K --over-provisioning 50%");
    small.ends(3).says(&["--capacity", "beyond the drive's end"]);
    trace(&rig, Made { writes: 0, ..Made::default() });
    let empty = rig.run(&format!("ssd simulate made.trace {DRIVE}"));
    empty.ends(3).says(&["holds no write"]);
    trace(&rig, Made { device_bytes: u64::MAX, ..Made::default() });
    rig.run("ssd simulate made.trace").ends(2).says(&["no drive is so large"]);
    let live = rig.run("ssd simulate --live /dev/null");
    live.ends(3).says(&["--live /dev/null", "not a block device"]);
    rig.run("ssd simulate --live /dev/null --every 0").ends(2).says(&["--every 0"]);
    rig.run("ssd simulate").ends(2);
    rig.run("ssd simulate --load zipf=0").ends(2).says(&["zipf"]);
    rig.run("ssd simulate --load uniform --capacity 8000T").ends(2).says(&["pages"]);
}

#[test]
fn lost_events_and_drives_that_are_not_steady_are_told() {
    let rig = Rig::new();
    trace(&rig, Made { lost: 7, ..Made::default() });
    let line = format!("ssd simulate made.trace {DRIVE} --max-passes 1 --json");
    let told = rig.run(&line).ends(1).json();
    assert_eq!(told["input"]["lost"], 7);
    let remarks = told["remarks"].to_string();
    assert!(remarks.contains("7 events were lost"), "{remarks}");
    assert!(remarks.contains("2 drives were not steady"), "{remarks}");
}

#[test]
fn drives_are_fed_with_what_a_device_is_written_now() {
    let rig = Rig::new();
    let Some(device) = Loop::make(&rig, 32 << 20) else { return };
    let line = format!(
        "ssd simulate --live {} --block 64K --placement none --placement hints --duration 3s \
         --every 1s --json",
        device.path()
    );
    let mut running = rig.start(&line);
    let piece = vec![7; 1 << 20];
    let mut pieces = 0;
    while !running.has_ended() {
        device.write((pieces % 32) << 20, &piece).unwrap();
        pieces += 1;
    }
    let ended = running.wait();
    if ended.status == Some(3) && ended.err.contains("CAP_BPF") {
        println!("SKIPPED: live drives, because this kernel does not let us watch the block layer");
        return;
    }
    let told = ended.good().json();
    is_simulated(&told);
    let written = |drive: &Value| drive["counters"]["host_pages"].as_u64().unwrap();
    let drives = told["drives"].as_array().unwrap();
    assert!(written(&drives[0]) > 0, "{pieces} MiB were written: {told}");
    assert_eq!(written(&drives[0]), written(&drives[1]));
    assert_eq!(told["input"]["status"]["lost"], 0);
    let intervals = told["intervals"].as_array().unwrap();
    assert!(intervals.len() >= 3, "{told}");
    let bytes: u64 = intervals.iter().map(|row| row["host_bytes"].as_u64().unwrap()).sum();
    assert!(bytes <= 4096 * written(&drives[0]), "rows are of what was written: {told}");
    assert!(bytes > 0, "{told}");
}
