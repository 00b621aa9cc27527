//! Rules by the names of files, while a device is written.

use super::{is_simulated, looped::Loop};
use crate::support::{Rig, until};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use rustix::process::Signal;
use serde_json::Value;
use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
};
use streams::{Lifetime, hint};

const PAGE: usize = 4096;
const LOG_PAGES: u64 = 512;
const ROW_PAGES: u64 = 5_000;

/// A file system that is unmounted when a test ends, however it ends.
struct Mounted(PathBuf);

impl Mounted {
    fn make(device: &Loop, point: PathBuf) -> Option<Self> {
        let run = |program: &str, arguments: &[&str]| {
            let done = Command::new(program).args(arguments).output();
            done.is_ok_and(|done| done.status.success())
        };
        fs::create_dir(&point).unwrap();
        let mounted = run("mkfs.ext4", &["-q", "-O", "^has_journal", device.path()])
            && run("mount", &[device.path(), point.to_str().unwrap()]);
        if !mounted {
            println!("SKIPPED: live drives by names, because no ext4 can be mounted");
            return None;
        }
        Some(Self(point))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _unmounted = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

/// A file that has all of its pages.
fn filled(path: &Path, pages: u64) -> File {
    let file = File::create(path).unwrap();
    file.write_all_at(&vec![1; PAGE * pages as usize], 0).unwrap();
    file.sync_all().unwrap();
    file
}

/// A log round and round, rows at random.
fn load(log: &File, rows: &File) {
    let mut random = StdRng::seed_from_u64(1);
    for batch in 0..50_u64 {
        for at in 0..400 {
            let page = |number: u64| number * PAGE as u64;
            log.write_all_at(&[2; PAGE], page((batch * 400 + at) % LOG_PAGES)).unwrap();
            rows.write_all_at(&[3; PAGE], page(random.random_range(0..ROW_PAGES))).unwrap();
        }
        log.sync_data().unwrap();
        rows.sync_data().unwrap();
    }
}

/// Whether a thread of a process has this name.
fn has_thread(pid: u32, name: &str) -> bool {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    let mut names = tasks.flatten().map(|task| fs::read_to_string(task.path().join("comm")));
    names.any(|comm| comm.is_ok_and(|comm| comm.trim() == name))
}

#[test]
fn rules_do_to_files_that_are_seen_what_hints_do_to_files_that_have_them() {
    let rig = Rig::new();
    let Some(device) = Loop::make(&rig, 32 << 20) else { return };
    fs::write(rig.dir().join("rules"), "/log$ short\n").unwrap();
    let line = format!(
        "ssd simulate --live {} --block 64K --over-provisioning 28% --fill 95% --placement none \
         --placement hints --placement rules --every 1s --json",
        device.path()
    );
    let refused = rig.run(&format!("{line} --duration 1s"));
    if refused.status == Some(3) && refused.err.contains("CAP_BPF") {
        println!("SKIPPED: live drives, because this kernel does not let us watch the block layer");
        return;
    }
    refused.ends(3).says(&["--placement rules", "no file system is mounted from"]);
    let Some(mounted) = Mounted::make(&device, rig.dir().join("mnt")) else { return };
    let log = filled(&mounted.0.join("log"), LOG_PAGES);
    hint::set(&log, Lifetime::Short).unwrap();
    let rows = filled(&mounted.0.join("rows"), ROW_PAGES);
    let mut running = rig.start(&line);
    let pid = running.pid();
    until("drives are fed", || running.has_ended() || has_thread(pid, "flash-live"));
    load(&log, &rows);
    running.signal(Signal::INT);
    let told = running.wait().good().json();
    is_simulated(&told);
    let [none, hints, rules] = [0, 1, 2].map(|at| &told["drives"][at]);
    assert_eq!(rules["placement"], "rules");
    let written = |drive: &Value| drive["counters"]["host_pages"].as_u64().unwrap();
    assert!(written(none) > 20_000, "{told}");
    assert_eq!(written(none), written(rules));
    let done = |drive: &Value| (drive["counters"].clone(), drive["wear"].clone());
    assert_ne!(done(none), done(rules), "the log is apart from the rows: {told}");
    if done(none) == done(hints) {
        println!("SKIPPED: names against hints, because this kernel's bios have no hints");
        return;
    }
    assert_eq!(done(hints), done(rules));
}
