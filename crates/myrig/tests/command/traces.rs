//! `myrig ssd trace` on a loop device, and on files that are none or not whole.

use crate::support::{Rig, Running, keys, until};
use rustix::process::Signal;
use serde_json::Value;
use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const MEGABYTE: usize = 1 << 20;

/// A loop device with XFS on it, given back when the test ends.
struct Loop {
    device: String,
    point: PathBuf,
}

impl Loop {
    fn mount(rig: &Rig) -> Option<Self> {
        let image = rig.dir().join("image");
        File::create(&image).unwrap().set_len(320 << 20).unwrap();
        let made = run("losetup", &["--find", "--show", image.to_str().unwrap()]);
        if !made.status.success() {
            println!("SKIPPED: ssd trace, because there is no loop device to be had");
            return None;
        }
        let device = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        let point = rig.dir().join("disk");
        let disk = Self { device, point };
        let formatted = run("mkfs.xfs", &["-q", &disk.device]);
        assert!(formatted.status.success(), "{formatted:?}");
        fs::create_dir(&disk.point).unwrap();
        let mounted = run("mount", &[&disk.device, disk.point.to_str().unwrap()]);
        assert!(mounted.status.success(), "{mounted:?}");
        Some(disk)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = run("umount", &["--lazy", self.point.to_str().unwrap()]);
        let _ = run("losetup", &["--detach", &self.device]);
    }
}

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

/// Writes a megabyte through the page cache and waits until it is on the device.
fn write(path: &Path) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(&vec![7; MEGABYTE]).unwrap();
    file.sync_all().unwrap();
}

fn row<'a>(summary: &'a Value, class: &str) -> &'a Value {
    let rows = summary["classes"].as_array().unwrap();
    rows.iter().find(|row| row["class"] == class).unwrap_or_else(|| panic!("no {class}: {summary}"))
}

/// Traces what `work` writes; none where that cannot be.
fn traced(rig: &Rig, disk: &Loop, options: &str, work: impl Fn(&Running)) -> Option<Value> {
    let trace = rig.dir().join("trace");
    let mut tracing = rig.start(&format!("ssd trace {} -o trace --json {options}", disk.device));
    let has_begun = || fs::metadata(&trace).is_ok_and(|metadata| metadata.len() > 0);
    until("the device is watched", || has_begun() || tracing.has_ended());
    if has_begun() {
        work(&tracing);
        tracing.signal(Signal::INT);
    }
    let ended = tracing.wait();
    if ended.status == Some(3) && ended.err.contains("does not let this user") {
        println!("SKIPPED: ssd trace, because {}", ended.err);
        return None;
    }
    Some(ended.good().json())
}

#[test]
fn a_device_is_traced_and_the_trace_says_the_same_when_it_is_read() {
    let rig = Rig::new();
    let Some(disk) = Loop::mount(&rig) else { return };
    let work = |_: &Running| {
        write(&disk.point.join("ib_logfile0"));
        write(&disk.point.join("t.ibd"));
        write(&disk.point.join("t.ibd"));
    };
    let Some(summary) = traced(&rig, &disk, "--files", work) else { return };
    assert_eq!(summary["schema"], "myrig.ssd-trace/1");
    assert_eq!(summary["lost"], 0, "{summary}");
    assert_eq!(row(&summary, "redo log")["written_bytes"], MEGABYTE, "{summary}");
    assert_eq!(row(&summary, "table")["written_bytes"], 2 * MEGABYTE, "{summary}");

    let shown = rig.run("ssd trace --show trace --json").good().json();
    assert_eq!(keys(&shown), keys(&summary));
    for key in ["device", "device_bytes", "events", "lost", "hints", "classes", "files", "seconds"]
    {
        assert_eq!(shown[key], summary[key], "{key}");
    }
    let text = rig.run("ssd trace --show trace").good().out;
    assert!(text.contains("none lost") && text.contains("redo log, not set"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");

    let lines = rig.run("ssd trace --show trace --events").good().out;
    assert_eq!(lines.lines().next(), Some("time_s\tkind\tsector\tsectors\thint\tfile"));
    assert_eq!(lines.lines().count() as u64 - 1, summary["events"].as_u64().unwrap());
    let lines = rig.run("ssd trace --show trace --events --json").good().out;
    let events: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let its = |event: &&Value| event["file"].as_str().is_some_and(|file| file.ends_with("/t.ibd"));
    let sectors = |event: &Value| event["sectors"].as_u64().unwrap();
    assert_eq!(events.iter().filter(its).map(sectors).sum::<u64>(), 2 * MEGABYTE as u64 / 512);
    cut_off(&rig, &summary);
}

/// The same trace without its end: what is there is shown, and that it is not all.
fn cut_off(rig: &Rig, whole: &Value) {
    let bytes = fs::read(rig.dir().join("trace")).unwrap();
    fs::write(rig.dir().join("cut"), &bytes[..bytes.len() - 5]).unwrap();
    let cut = rig.run("ssd trace --show cut --json").ends(1).says(&["cut: cut off at byte"]);
    let cut = cut.json();
    assert_eq!(cut["lost"], Value::Null);
    assert_eq!(cut["events"], whole["events"]);
    assert!(cut["damage"].as_str().unwrap().starts_with("cut off at byte"), "{cut}");
    let shown = rig.run("ssd trace --show cut").ends(1).out;
    assert!(shown.contains("it is not known how many were lost"), "{shown}");
}

#[test]
fn events_that_found_no_room_are_told_loudly() {
    let rig = Rig::new();
    let Some(disk) = Loop::mount(&rig) else { return };
    // While its reader stands still, the ring has room for 128 events.
    let work = |tracing: &Running| {
        tracing.signal(Signal::STOP);
        let file = File::create(disk.point.join("many")).unwrap();
        file.set_len(64 << 20).unwrap();
        for at in (0..64 << 20).step_by(64 << 10) {
            file.write_all_at(&[7; 4096], at).unwrap();
        }
        file.sync_all().unwrap();
        tracing.signal(Signal::CONT);
    };
    let Some(summary) = traced(&rig, &disk, "--ring 4K", work) else { return };
    let (events, lost) = (&summary["events"], summary["lost"].as_u64().unwrap());
    assert!(lost >= 1024 - 128, "{summary}");
    assert!(events.as_u64().unwrap() + lost >= 1024, "{summary}");
    let shown = rig.run("ssd trace --show trace").good().out;
    assert!(shown.contains("LOST"), "{shown}");
}

#[test]
fn what_cannot_be_traced_or_read_is_refused_with_the_reason() {
    let rig = Rig::new();
    fs::write(rig.dir().join("letter"), "Dear all").unwrap();
    rig.run("ssd trace /dev/null").ends(3).says(&["/dev/null is not a block device"]);
    rig.run("ssd trace /dev/nothing").ends(3).says(&["/dev/nothing: No such file"]);
    rig.run("ssd trace --show letter").ends(3).says(&["letter: not a trace of myrig's"]);
    rig.run("ssd trace --show nothing").ends(3).says(&["nothing: No such file"]);
    rig.run("ssd trace /dev/loop0 --ring 3M").ends(2).says(&["no power of two from 4K to 1G"]);
    rig.run("ssd trace").ends(2).says(&["DEVICE"]);
    rig.run("ssd trace /dev/loop0 --events").ends(2).says(&["cannot be used with"]);
    rig.run("ssd trace --events").ends(2).says(&["--show"]);
}

#[test]
fn a_user_who_may_not_is_told_what_it_takes() {
    let rig = Rig::new();
    let Some(disk) = Loop::mount(&rig) else { return };
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", env!("CARGO_BIN_EXE_myrig")];
    let asked = |verb: &[&str]| run("setpriv", &[&nobody[..], verb].concat());
    if !asked(&["--version"]).status.success() {
        println!("SKIPPED: ssd trace by another user, because this one cannot become it");
        return;
    }
    let refused = asked(&["ssd", "trace", &disk.device]);
    let words = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(3), "{words}");
    assert!(words.contains("run it as root, or with the capabilities CAP_BPF"), "{words}");
}
