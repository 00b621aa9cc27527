//! docs/server.md, command by command, on a loop device.

use crate::support::{Ended, Rig, Running};
use std::{fs::File, path::PathBuf, process::Command};

const PAGE: &str = include_str!("../../../../docs/server.md");
const LISTING: &str = "../server/tests/listings/astream-1.cnf";

/// Room for two data sets of a warehouse; nothing is written to what is never used.
const DEVICE_BYTES: u64 = 4 << 30;

/// What the page has at its own scale, and what a test machine has.
const SMALLER: [(&str, &str); 11] = [
    ("/data", "DISK"),
    ("/bak", "BACKUP"),
    ("0-60", "0"),
    ("67-127", "0"),
    ("interleave:0-3", "interleave:0"),
    ("-w 4050 -c 100", "-w 1 -c 2"),
    ("tpcc-4050", "tpcc-1"),
    ("--connections 330", "--connections 2"),
    ("--ramp-up 10m --duration 720m", "--ramp-up 1s --duration 2s"),
    // Two warehouses do not fill a drive.
    ("60%..70%", "1%..99%"),
    ("--fit", "--fit --set innodb_buffer_pool_size=64M --set innodb_log_buffer_size=16M"),
];

/// A loop device, given back with whatever is mounted of it.
struct Loop {
    device: String,
    point: PathBuf,
}

impl Loop {
    fn attach(rig: &Rig) -> Option<Self> {
        let image = rig.dir().join("image");
        File::create(&image).unwrap().set_len(DEVICE_BYTES).unwrap();
        let made = Command::new("losetup").args(["--find", "--show"]).arg(&image).output().unwrap();
        if !made.status.success() {
            println!("SKIPPED: docs/server.md, because there is no loop device to be had");
            return None;
        }
        let device = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        Some(Self { device, point: rig.dir().join("disk") })
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        // A servant of a failed test may still be at work on it.
        let _ = Command::new("umount").arg("--lazy").arg(&self.point).output();
        let _ = Command::new("losetup").args(["--detach", &self.device]).output();
    }
}

/// The commands of the page, in order.
fn commands() -> Vec<String> {
    let page = PAGE.replace("\\\n", "");
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines);
    lines.filter_map(|line| Some(line.strip_prefix("myrig ")?.to_owned())).collect()
}

/// The words of a line; a quoted one is one word.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(place, part)| match place % 2 {
        0 => part.split_whitespace().map(String::from).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

fn run(rig: &Rig, line: &str) -> Ended {
    let mut command = rig.command("");
    command.args(words(line));
    Running::start(command, line).wait()
}

#[test]
fn the_page_on_servers_is_carried_out_as_it_stands() {
    let rig = Rig::new();
    let Some(device) = Loop::attach(&rig) else { return };
    std::fs::copy(LISTING, rig.dir().join("my-1.cnf")).unwrap();
    std::fs::create_dir(rig.dir().join("backup")).unwrap();
    let commands = commands();
    assert!(commands.len() > 20, "{commands:?}");
    let mut told = Vec::new();
    for mut line in commands {
        for (from, to) in SMALLER {
            line = line.replace(from, to);
        }
        let (disk, backup) = (device.point.display(), rig.dir().join("backup"));
        let line = line
            .replace("/dev/nvme0n1", &device.device)
            .replace("DISK", &disk.to_string())
            .replace("BACKUP", &backup.display().to_string());
        told.push(run(&rig, &line).good().out);
    }
    let all = told.join("");
    for words in ["every byte verified", "on 2 servers side by side", "baseline", "removed"] {
        assert!(all.contains(words), "{words} in\n{all}");
    }
    rig.nothing_runs();
}
