//! Snapshots by command: a loaded server, its snapshot, harm done, restored, checked.

use crate::{
    documents::is,
    support::{Disk, Rig, Server, mysql_basedir, until},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
};

/// Larger than the data set, its snapshot when copied and a second instance of it.
const DEVICE_BYTES: u64 = 3 << 30;

#[test]
fn mariadb_on_a_file_system_that_copies() {
    Story::begin(Rig::new(), None).told("copy");
}

#[test]
fn mysql_on_a_file_system_that_copies() {
    if let Some(basedir) = mysql_basedir() {
        Story::begin(Rig::new(), Some(&basedir)).told("copy");
    }
}

#[test]
fn mariadb_on_a_file_system_that_shares_blocks() {
    if let Some(rig) = on_xfs() {
        Story::begin(rig, None).told("reflink");
    }
}

#[test]
fn mysql_on_a_file_system_that_shares_blocks() {
    let Some(basedir) = mysql_basedir() else { return };
    if let Some(rig) = on_xfs() {
        Story::begin(rig, Some(&basedir)).told("reflink");
    }
}

/// A rig whose home is on an XFS that the command itself has made, on a loop device.
fn on_xfs() -> Option<Rig> {
    let rig = Rig::new();
    let (image, point) = (rig.dir().join("image"), rig.dir().join("disk"));
    File::create(&image).unwrap().set_len(DEVICE_BYTES).unwrap();
    let made = Command::new("losetup").args(["--find", "--show"]).arg(&image).output().unwrap();
    if !made.status.success() {
        println!("SKIPPED: snapshots on XFS, because there is no loop device to be had");
        return None;
    }
    let device = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let formatted = rig.run(&format!(
        "disk format {device} --destroy-data {device} --fs xfs --mount {} --json",
        point.display()
    ));
    // It goes on living until it is unmounted, and no longer.
    Command::new("losetup").args(["--detach", &device]).status().unwrap();
    let formatted = formatted.good().json();
    is(&formatted, "myrig.disk-format/1");
    assert_eq!((&formatted["loses"], &formatted["done"]), (&json!([]), &json!(true)));
    Some(rig.with_home(point.join("home")))
}

struct Story {
    server: Server,
}

impl Story {
    fn begin(rig: Rig, basedir: Option<&Path>) -> Self {
        let server = Server::start(rig, basedir, "");
        server.run("tpcc prepare --warehouses 1").good();
        Self { server }
    }

    fn run(&self, line: &str) -> Value {
        self.server.rig.run(&format!("{line} --json")).good().json()
    }

    fn refused(&self, line: &str, words: &[&str]) {
        self.server.rig.run(line).ends(3).says(words);
    }

    fn snapshots(&self) -> PathBuf {
        self.server.rig.home().join("snapshots")
    }

    fn told(self, method: &str) {
        self.refused("server snapshot s", &["is running already", "`stop`"]);
        self.refused("server restore s", &["no snapshot `s`"]);
        self.run("server stop s");
        self.take(method);
        self.comes_back_after_a_crash(method);
        self.becomes_another_instance();
        self.is_refused_when_damaged();
        self.goes();
    }

    fn take(&self, method: &str) {
        let free = self.free_bytes();
        let taken = self.run("server snapshot s --as one --workload tpcc --note first");
        is(&taken, "myrig.snapshot/1");
        assert_eq!((&taken["method"], &taken["workload"]), (&json!(method), &json!("tpcc")));
        let size = taken["size_bytes"].as_u64().unwrap();
        assert!(size > 100 << 20, "{taken}");
        let taken_bytes = free.saturating_sub(self.free_bytes());
        if method == "reflink" {
            assert!(taken_bytes < size / 5, "{taken_bytes} of {size} were not shared");
            assert!(is_shared(&self.snapshots().join("one").join(self.table())));
        }
        self.refused("server snapshot s --as one", &["already", "--remove"]);
        let listed = self.run("server snapshots");
        is(&listed, "myrig.snapshots/1");
        assert_eq!(listed["snapshots"][0]["name"], "one");
        assert_eq!(listed["snapshots"].as_array().unwrap().len(), 1, "no draft is left");
    }

    /// A file of the data set, in its part.
    fn table(&self) -> &'static str {
        "data/tpcc/item.ibd"
    }

    fn free_bytes(&self) -> u64 {
        let home = self.server.rig.home();
        File::open(home).unwrap().sync_all().unwrap();
        let fill = self.run(&format!("disk fill {}", home.display()));
        fill["available_bytes"].as_u64().unwrap()
    }

    fn comes_back_after_a_crash(&self, method: &str) {
        self.run("server start s");
        let load = "tpcc run --connections 2 --duration 2s --ramp-up 0s --no-check";
        self.server.rig.run(&format!("{load} --instance s"));
        let process = Pid::from_raw(self.server.pid().try_into().unwrap()).unwrap();
        kill_process(process, Signal::KILL).unwrap();
        until("it has crashed", || self.run("server status s")["state"] == "crashed");
        self.refused("server snapshot s --as two", &["crashed", "recovery"]);
        let restored = self.run("server restore one");
        is(&restored, "myrig.restore/1");
        assert_eq!((&restored["method"], &restored["made"]), (&json!(method), &json!(false)));
        assert_eq!(self.run("server status s")["state"], "stopped");
        let data = self.run("server status s")["data_dir"].as_str().unwrap().to_owned();
        let table = Path::new(&data).join("tpcc/item.ibd");
        assert_eq!(is_shared(&table), method == "reflink");
        if method == "reflink" {
            assert_eq!(self.run("server restore one --copy")["method"], "copy");
            assert!(!is_shared(&table));
        }
        self.check("s");
    }

    fn becomes_another_instance(&self) {
        let restored = self.run("server restore one --into t --verify size");
        assert_eq!((&restored["made"], &restored["verify"]), (&json!(true), &json!("size")));
        let (old, new) = (self.run("server status s"), self.run("server status t"));
        assert_ne!(old["port"], new["port"]);
        self.check("t");
        let uuid = |facts: &Value| {
            fs::read_to_string(Path::new(facts["data_dir"].as_str().unwrap()).join("auto.cnf"))
        };
        if let (Ok(old), Ok(new)) = (uuid(&old), uuid(&new)) {
            assert_ne!(old, new, "two servers with one identity");
        }
        self.run("server remove t");
    }

    /// Starts an instance, checks its data, stops it.
    fn check(&self, name: &str) {
        self.run(&format!("server start {name}"));
        let checked = self.run(&format!("tpcc check --instance {name}"));
        assert_eq!(checked["good"], true);
        self.run(&format!("server stop {name}"));
    }

    fn is_refused_when_damaged(&self) {
        let table = self.snapshots().join("one").join(self.table());
        let file = File::options().read(true).write(true).open(&table).unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, 70_000).unwrap();
        file.write_all_at(&[!byte[0]], 70_000).unwrap();
        self.refused("server restore one", &["damaged", self.table(), "CRC-32C"]);
        file.set_len(70_000).unwrap();
        self.refused("server restore one --verify size", &[self.table(), "70000 bytes"]);
        let listed = self.run("server snapshots");
        assert_eq!(listed["snapshots"][0]["state"], "damaged");
        // What was there before is there still.
        self.check("s");
    }

    fn goes(&self) {
        self.run("server snapshot --remove one");
        assert_eq!(fs::read_dir(self.snapshots()).unwrap().count(), 0);
        self.refused("server snapshot --remove one", &["no snapshot `one`"]);
    }
}

/// Whether the kernel says that all extents of a file belong to others, too (FIEMAP).
fn is_shared(file: &Path) -> bool {
    let told = Command::new("filefrag").arg("-v").arg(file).output().unwrap();
    let text = String::from_utf8(told.stdout).unwrap();
    let mut extents = text.lines().filter(|line| line.contains("..")).peekable();
    assert!(extents.peek().is_some(), "{text}");
    extents.all(|extent| extent.contains("shared"))
}

#[test]
fn a_snapshot_goes_to_a_standby_drive_and_needs_room_there() {
    let rig = Rig::new();
    let Some(disk) = Disk::mount(&rig, "300m") else { return };
    let to = disk.path().display().to_string();
    rig.run("server init s --set innodb-log-file-size=8M --set innodb-buffer-pool-size=32M").good();
    disk.fill_but(1 << 20);
    let line = format!("server snapshot s --to {to}");
    rig.run(&line).ends(3).says(&["needs", "are missing"]);
    assert_eq!(fs::read_dir(&to).unwrap().count(), 1, "only what filled it is there");
    disk.make_room();
    let taken = rig.run(&format!("{line} --json")).good().json();
    assert_eq!(taken["dir"], json!(disk.path().join("s")));

    rig.run("server remove s").good();
    let restored = rig.run("server restore s --json").good().json();
    assert_eq!((&restored["instance"], &restored["made"]), (&json!("s"), &json!(true)));
    let facts = rig.run("server start s --json").good().json();
    assert_eq!(facts["state"], "running");
    rig.run("server restore s").ends(3).says(&["running"]);
    rig.run("server stop s").good();

    drop(disk);
    let listed = || rig.run("server snapshots --json").good().json();
    until("the drive is gone", || listed()["snapshots"][0]["state"] == "absent");
    rig.run("server restore s").ends(3).says(&["no snapshot `s`"]);
    rig.run("server snapshot ../s").ends(2);
    rig.run("server snapshot s --as ../x").ends(2).says(&["cannot name a snapshot"]);
}

#[test]
fn ctrl_c_ends_a_snapshot_and_leaves_nothing_of_it() {
    let rig = Rig::new();
    rig.run("server init s --set innodb-log-file-size=8M --set innodb-buffer-pool-size=32M").good();
    // A hole that takes no room, and minutes to compute the checksum of.
    let hole = rig.home().join("servers/s/data/hole");
    File::create(&hole).unwrap().set_len(1 << 40).unwrap();
    let running = rig.start("server snapshot s");
    let snapshots = rig.home().join("snapshots");
    until("it is under way", || snapshots.join(".taking-s/data/hole").exists());
    assert_eq!(
        rig.run("server snapshots --json").good().json()["snapshots"][0]["state"],
        "unfinished"
    );
    rig.run("server start s").ends(3).says(&["busy", "`snapshot`"]);
    running.signal(Signal::INT);
    running.wait().ends(3).says(&["interrupted", "nothing is left"]);
    assert_eq!(fs::read_dir(&snapshots).unwrap().count(), 0);
    fs::remove_file(&hole).unwrap();
    rig.run("server snapshot s").good();
}
