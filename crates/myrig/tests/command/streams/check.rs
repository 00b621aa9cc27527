//! `myrig streams check`: how far a hint gets.

use super::Image;
use crate::{
    documents::{JSON, fields, is},
    support::{Rig, keys},
};
use serde_json::Value;
use std::fs;

/// The layer of a kind.
fn layer<'a>(checked: &'a Value, kind: &str) -> &'a Value {
    let layers = checked["layers"].as_array().unwrap();
    let mut found = layers.iter().filter(|layer| layer["layer"] == kind);
    found.next().unwrap_or_else(|| panic!("no {kind} in {checked}"))
}

#[test]
fn a_hint_is_followed_through_the_file_system_down_to_the_loop_device() {
    for kind in ["ext4", "xfs"] {
        let rig = Rig::new();
        let Some(disk) = Image::mount(&rig, kind) else { return };
        let path = disk.mount.display();
        let checked = rig.run(&format!("streams check {path} --json")).ends(1).json();
        is(&checked, "myrig.streams-check/1");
        for layer in checked["layers"].as_array().unwrap() {
            assert_eq!(keys(layer), fields(JSON, "### An entry of a check's `layers`"));
        }
        let call = layer(&checked, "call");
        assert_eq!((&call["hint"], &call["proof"]), (&"passes".into(), &"measured".into()));
        let device = layer(&checked, "device");
        assert_eq!(device["hint"], "stops", "a loop device hands no hint on");
        assert!(device["name"].as_str().unwrap().starts_with("loop"));
        let end = if on_writes() == "passes" { "device loop" } else { "file system" };
        assert!(checked["verdict"].as_str().unwrap().contains(end), "{checked}");
        let file_system = layer(&checked, "file system");
        assert_eq!(file_system["name"], kind);
        match checked["remark"].as_str() {
            None => {
                assert_eq!(file_system["proof"], "measured");
                assert_eq!(file_system["hint"], on_writes(), "{checked}");
            }
            Some(why) => println!("SKIPPED: hints read back from the bio on {kind}: {why}"),
        }
        let left: Vec<_> = fs::read_dir(&disk.mount).unwrap().flatten().collect();
        assert!(left.iter().all(|entry| entry.file_name() == "lost+found"), "{left:?}");
        let text = rig.run(&format!("streams check {path}")).ends(1).out;
        assert!(text.contains("What would help: "), "{text}");
    }
}

/// What Linux does with hints of files on ext4 and XFS, by its version.
fn on_writes() -> &'static str {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(['.', '-']).map(|word| word.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if ((5, 18)..(6, 9)).contains(&version) { "stops" } else { "passes" }
}

#[test]
fn memory_is_no_flash_and_what_is_not_there_is_told() {
    let rig = Rig::new();
    rig.run("streams check /none/at/all").ends(3).says(&["/none/at/all"]);
    let Some(memory) = crate::support::Disk::mount(&rig, "1M") else { return };
    let checked = rig.run(&format!("streams check {} --json", memory.path().display()));
    let checked = checked.ends(1).json();
    assert_eq!(
        (&checked["hint"], &layer(&checked, "file system")["hint"]),
        (&"stops".into(), &"stops".into())
    );
}

#[test]
fn built_in_rules_are_printed_and_can_be_used() {
    let rig = Rig::new();
    let dir = super::data(&rig, "d");
    for set in ["mysql-8.0.20", "mysql", "mysql-9", "mariadb", "astream"] {
        let line = format!("streams rules {set} {}", dir.display());
        let printed = rig.run(&format!("{line} --json")).good().json();
        is(&printed, "myrig.streams-rules/1");
        assert!(printed["rules"].as_array().unwrap().len() >= 4, "{printed}");
        let text = rig.run(&line).good().out;
        assert_eq!(printed["text"], text);
        let file = super::rules(&rig, "r", &text);
        rig.run(&format!("streams start -i {} -r {}", dir.display(), file.display())).good();
        rig.run("streams stop").good();
    }
}
