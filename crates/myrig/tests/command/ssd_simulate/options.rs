//! Drives with a write buffer, and with spare space that is split by stream.

use super::{DRIVE, SMALL, factor, fits, is_simulated, made::Made, trace};
use crate::support::Rig;
use serde_json::{Value, json};

/// A text whose lines are one.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[test]
fn a_write_buffer_lowers_what_is_programmed_and_not_what_was_written() {
    let rig = Rig::new();
    let line = format!("ssd simulate --load zipf=1.2 {SMALL} --json");
    let told = rig.run(&line).good().json();
    let with = rig.run(&format!("{line} --write-buffer 4M")).good().json();
    is_simulated(&with);
    let [none, buffered] = [&told["drives"][0], &with["drives"][0]];
    assert_eq!(none["write_buffer_bytes"], 0);
    assert_eq!(buffered["write_buffer_bytes"], 4 << 20);
    let count = |drive: &Value, what: &str| drive["counters"][what].as_u64().unwrap();
    assert_eq!(count(none, "programmed_pages"), count(none, "host_pages"));
    assert_eq!(count(buffered, "host_pages"), count(none, "host_pages"));
    assert!(count(buffered, "programmed_pages") < count(none, "programmed_pages"), "{buffered}");
    assert!(factor(buffered) < factor(none), "{buffered}");
    let uniform = format!("ssd simulate --load uniform {SMALL} --write-buffer 4M");
    let told = rig.run(&format!("{uniform} --json")).good().json();
    assert_eq!(told["drives"][0]["closed_form"], Value::Null, "no formula knows of buffers");
    let text = rig.run(&uniform).good().out;
    fits(&text);
    assert!(unwrapped(&text).contains("a write buffer of 4 MiB"), "{text}");
}

#[test]
fn a_trace_is_replayed_through_a_write_buffer() {
    let rig = Rig::new();
    trace(&rig, Made::default());
    let line = format!("ssd simulate made.trace {DRIVE} --json");
    let none = rig.run(&line).good().json();
    // The log is as large as half of it, and written round and round.
    let with = rig.run(&format!("{line} --write-buffer 8M")).good().json();
    is_simulated(&with);
    assert_eq!(with["input"], none["input"], "the trace is what it was");
    assert!(factor(&with["drives"][0]) < 0.8 * factor(&none["drives"][0]), "{with}");
    let refused = rig.run(&format!("ssd simulate made.trace {DRIVE} --write-buffer 1K"));
    refused.ends(2).says(&["--write-buffer 1 KiB", "0 is none"]);
}

#[test]
fn spare_space_that_is_split_comes_to_its_closed_form() {
    let rig = Rig::new();
    let line = "ssd simulate --load hot-cold=0.9/0.1 --capacity 64M --block 128K \
                --over-provisioning 28% --gc-separation off --placement hints";
    let shared = rig.run(&format!("{line} --streams 2 --json")).good().json();
    let split = rig.run(&format!("{line} --spare-split optimal --json")).good().json();
    is_simulated(&split);
    let [shared, split] = [&shared["drives"][0], &split["drives"][0]];
    assert_eq!([&shared["spare_split"], &shared["closed_form"]], [&Value::Null, &Value::Null]);
    assert_eq!(split["streams"], 2);
    let shares = split["spare_split"].as_array().unwrap();
    assert!(shares[1].as_f64() > Some(0.4), "hot pages are a tenth and get more: {split}");
    assert!(factor(split) < 0.8 * factor(shared), "{split}");
    // Of 656 blocks two are open and two free, which the closed form does not know.
    let closed_form = split["closed_form"].as_f64().unwrap();
    assert!((factor(split) / closed_form - 1.0).abs() < 0.08, "{split}");
    let text = rig.run(&format!("{line} --spare-split 0.4,0.6")).good().out;
    fits(&text);
    assert!(unwrapped(&text).contains("spare space split 0.400/0.600 by stream"), "{text}");
    let named = rig.run(&format!("{line} --spare-split 0.4,0.6 --json")).good().json();
    assert_eq!(named["drives"][0]["spare_split"], json!([0.4, 0.6]));
}

#[test]
fn splits_that_cannot_be_are_refused_with_a_way_out() {
    let rig = Rig::new();
    for (options, words) in [
        ("--spare-split 0.7,0.2", "they must add up to 1"),
        ("--spare-split 0.7,0.3 --gc-separation on", "GC separation must be off or per stream"),
        ("--spare-split 0.7,0.3 --streams 5", "name as many streams as shares"),
        ("--spare-split 0.7,0.3 --victim fifo", "the victim must be greedy"),
        ("--spare-split 0,1", "each must be from 0.001 to 1"),
        ("--spare-split optimal", "known of --load hot-cold only"),
        ("--spare-split best", "write a share for each stream"),
    ] {
        let off = if options.contains("gc-separation") { "" } else { "--gc-separation off" };
        let line = format!("ssd simulate --load uniform {SMALL} {off} {options}");
        rig.run(&line).ends(2).says(&["--spare-split", words]);
    }
}
