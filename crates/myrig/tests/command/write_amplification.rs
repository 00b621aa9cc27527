//! `myrig run` on a file system made for each trial: two servers at the same time, stream rules,
//! simulated drives; what is left when it is killed.

use crate::support::{Rig, below, until};
use rustix::process::{Signal, geteuid};
use serde_json::Value;
use std::{fs, path::Path, process::Command};

/// One variant of a second, so that the test is about the steps.
const SMALL: &str = r#"
name = "small"
[server]
flavour = "mariadb"
instances = 2
settings.innodb-buffer-pool-size = "32M"
settings.innodb-redo-log-capacity = "32M"
settings.log-bin = "mysql-bin"
[storage]
size = "900M"
fill = "70%"
[data]
workload = "tpcc"
warehouses = 1
[workload]
connections = 2
ramp-up = "1s"
duration = "4s"
[measure]
watch = false
flash = { every = "1s", simulate = [{ spare = "7%", block = "1M" }] }
[[variant]]
name = "streams"
streams.rules = ["^DIR/ib_logfile 2", "^DIR/ibdata1$ 3"]
"#;

/// Takes off what is mounted below a home, however the test ends.
struct Mounts<'a>(&'a Path);

impl Mounts<'_> {
    fn below(&self) -> Vec<String> {
        let table = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let points = table.lines().filter_map(|line| line.split(' ').nth(4));
        points.filter(|point| Path::new(point).starts_with(self.0)).map(str::to_owned).collect()
    }
}

impl Drop for Mounts<'_> {
    fn drop(&mut self) {
        for point in self.below() {
            for (pid, _) in below(self.0) {
                let _gone = Command::new("kill").args(["-9", &pid.to_string()]).status();
            }
            let _whatever_it_says = Command::new("umount").args(["--lazy", &point]).status();
        }
    }
}

/// Whether file systems can be made and mounted here; says so where not.
#[allow(clippy::print_stderr)]
fn can_mount() -> bool {
    let can = geteuid().is_root()
        && Path::new("/dev/loop-control").exists()
        && ["/sbin", "/usr/sbin"].iter().any(|dir| Path::new(dir).join("mkfs.xfs").exists());
    if !can {
        eprintln!("SKIPPED: XFS on a loop device takes root, loop devices and xfsprogs");
    }
    can
}

#[test]
fn two_servers_on_a_file_system_of_their_own_are_killed_gone_on_with_and_leave_nothing() {
    if !can_mount() {
        return;
    }
    let rig = Rig::new();
    let file = rig.dir().join("small.toml");
    fs::write(&file, SMALL).unwrap();
    let mounts = Mounts(rig.home());
    let mut running = rig.start(&format!("run {}", file.display()));
    let servers = rig.home().join("servers");
    let is_served = || !mounts.below().is_empty() && !below(&servers).is_empty();
    until("a server runs on the file system", || running.has_ended() || is_served());
    assert!(!running.has_ended(), "{}", running.wait());
    running.signal(Signal::KILL);
    running.wait();
    assert!(!mounts.below().is_empty(), "it outlives its experiment: --resume takes it up");

    let record = rig.run("run --resume --json").good().json();
    assert_eq!(record["status"]["state"], "complete");
    let trial = &record["trials"][0];
    assert_eq!((trial["number"].as_u64(), trial["check_good"].as_bool()), (Some(1), Some(true)));
    let names: Vec<&str> = array(trial, "figures").iter().map(|it| text(it, "name")).collect();
    for name in ["WAF", "WAF, hints ignored", "tpmC", "tpmC, server 1", "tpmC, server 2"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    assert_eq!(array(trial, "members").len(), 2);
    let remarks = trial["remarks"].to_string();
    assert!(remarks.contains("/dev/loop") && remarks.contains("after the load"), "{remarks}");
    let run = rig.run(&format!("runs show {} --json", text(trial, "run"))).good().json();
    let [honoured, ignored] = array(&run, "amplification") else { panic!("two drives: {run}") };
    assert_eq!(
        (&honoured["honours_hints"], &ignored["honours_hints"]),
        (&true.into(), &false.into())
    );
    for drive in [honoured, ignored] {
        let rows = array(drive, "rows");
        assert!(rows.len() >= 3, "{drive}");
        let sum = |key: &str| rows.iter().filter_map(|row| row[key].as_u64()).sum::<u64>();
        assert!(sum("host_bytes") > 0 && sum("media_bytes") >= sum("host_bytes"), "{drive}");
    }
    let host = |drive: &Value| drive["rows"][1]["host_bytes"].as_u64();
    assert_eq!(host(honoured), host(ignored), "both are fed the same writes");
    let verdict = text(&record, "verdict");
    let headline = "streams: WAF of the same writes with hints against without: ";
    assert!(verdict.starts_with(headline) && verdict.contains(" From run to run: "), "{verdict}");

    rig.run(&format!("runs remove {}", text(&record, "id"))).good();
    let left = rig.run("runs list --json").good().json();
    assert!(!left.to_string().contains("started_at"), "runs of its servers are gone, too: {left}");

    assert_eq!(mounts.below(), [""; 0]);
    assert_eq!(rig.run("run --cleanup --json").good().json()["removed"], Value::Array(Vec::new()));
    for dir in ["experiments", "servers", "snapshots"] {
        let left: Vec<_> = fs::read_dir(rig.home().join(dir))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name())
            .filter(|name| name != ".lock")
            .collect();
        assert!(left.is_empty(), "{dir}: {left:?}");
    }
}

#[test]
fn what_cannot_be_laid_out_is_told_before_anything_is_touched() {
    let rig = Rig::new();
    for (options, words) in [
        ("--set storage.size=200M", "storage: "),
        ("--set data.warehouses=40", "with the data of 2 servers"),
        ("--set measure.flash.simulate=[{block=\"128M\"}]", "simulate[1].spare"),
        ("--set measure.flash.log=true", "a disk in a file has no log"),
        ("--set storage.fill=95%", "storage.fill"),
        ("--scale paper", "/dev/nvme0n1"),
    ] {
        let plan = rig.run(&format!("run astream-waf --plan --json {options}")).ends(3).json();
        let obstacles = plan["obstacles"].to_string();
        assert!(obstacles.contains(words), "{words} in {obstacles}");
    }
    let file = rig.dir().join("destroys.toml");
    let text = SMALL.replace("size = \"900M\"", "device = \"/dev/x\"\ndestroy-data = [\"/dev/x\"]");
    fs::write(&file, text).unwrap();
    rig.run(&format!("run {} --plan", file.display())).ends(3).says(&["--destroy-data DEVICE"]);
    assert!(!rig.home().join("experiments").exists(), "nothing was touched");
}

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("no {key} in {value}"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no {key} in {value}"))
}
