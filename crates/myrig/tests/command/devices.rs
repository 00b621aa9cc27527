//! `myrig disk`, as far as it needs no device of its own (snapshots make and fill those).

use crate::{
    documents::is,
    support::{Disk, Rig},
};
use std::fs;

#[test]
fn a_device_is_filled_to_a_share_judged_and_emptied() {
    let rig = Rig::new();
    let Some(disk) = Disk::mount(&rig, "64m") else { return };
    let path = disk.path().display().to_string();
    let run = |words: &str| rig.run(&format!("disk fill {path} {words} --json"));
    let empty = run("").good().json();
    is(&empty, "myrig.disk-fill/1");
    assert_eq!(empty["file_system"], "tmpfs");
    assert_eq!(run("--between 60%..70%").ends(1).json()["good"], false);

    let filled = run("--to 65% --between 60%..70%").good().json();
    assert_eq!(filled["written_bytes"], filled["used_bytes"]);
    assert!(filled["used_percent"].as_f64().unwrap() <= 65.0, "{filled}");
    run("--limit 50%").ends(1);
    rig.run(&format!("disk fill {path} --to 95%")).ends(2).says(&["--to 95 %", "--limit"]);
    let removed = run("--remove").good().json();
    assert_eq!(removed["removed_bytes"], filled["written_bytes"]);
    assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 0);
}

#[test]
fn what_must_not_be_formatted_is_not() {
    let rig = Rig::new();
    let file = rig.dir().join("image");
    fs::write(&file, "precious").unwrap();
    let file = file.display().to_string();
    let twice = format!("--destroy-data {file} --destroy-data {file}");
    rig.run(&format!("disk format {file} {twice}")).ends(3).says(&["no block device"]);
    rig.run("disk format /dev/none").ends(3).says(&["/dev/none"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    rig.run("disk fill").ends(2);
    rig.run(&format!("disk fill {} --to 200%", rig.dir().display())).ends(2).says(&["65%"]);
}
