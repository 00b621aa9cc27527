//! `myrig host` on made trees and on this machine: what it says, what it changes, and the way back,
//! also when it is killed in the middle.

use crate::{
    documents::{JSON, fields},
    support::{Ended, Rig, Running, keys, until},
};
use rustix::process::{Signal, geteuid};
use serde_json::Value;
use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::Command,
};

/// A machine that a profile has something to do on.
const FILES: &[(&str, &str)] = &[
    ("proc/sys/kernel/random/boot_id", "one"),
    ("proc/self/mountinfo", "27 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"),
    ("proc/sys/vm/swappiness", "60"),
    ("proc/sys/kernel/numa_balancing", "1"),
    ("proc/interrupts", " CPU0 CPU1\n 40: 0 0 PCI-MSI eth0-TxRx-0\n 41: 0 0 PCI-MSI eth0-TxRx-1\n"),
    ("proc/irq/40/smp_affinity_list", "0-1"),
    ("proc/irq/41/smp_affinity_list", "0-1"),
    ("sys/class/net/eth0/device/numa_node", "-1"),
    ("sys/devices/system/cpu/online", "0-1"),
    ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave"),
    ("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never"),
    ("sys/block/sda/dev", "8:0"),
    ("sys/block/sda/sda1/dev", "8:1"),
    ("sys/block/sda/queue/read_ahead_kb", "4096"),
];

struct Tree {
    rig: Rig,
}

impl Tree {
    fn new() -> Self {
        let tree = Self { rig: Rig::new() };
        for (path, text) in FILES {
            tree.write(path, text);
        }
        tree
    }

    fn path(&self, path: &str) -> PathBuf {
        self.rig.dir().join("tree").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap().trim().to_owned()
    }

    fn begin(&self, line: &str) -> Running {
        self.rig.start(&format!("host {}", self.rooted(line)))
    }

    fn run(&self, line: &str) -> Ended {
        self.begin(line).wait()
    }

    /// The root before a command's `--`.
    fn rooted(&self, line: &str) -> String {
        let root = format!("--root {}", self.path("").display());
        match line.split_once(" -- ") {
            Some((options, command)) => format!("{options} {root} -- {command}"),
            None => format!("{line} {root}"),
        }
    }

    fn is_as_before(&self) {
        for (path, text) in FILES {
            let brackets = ['[', ']'];
            let old = text.trim();
            let chosen = old.split(' ').find(|word| word.starts_with('[')).unwrap_or(old);
            assert_eq!(self.text(path), chosen.trim_matches(brackets), "{path}");
        }
        assert!(!self.journal().exists());
    }

    fn journal(&self) -> PathBuf {
        self.rig.home().join("host/journal.jsonl")
    }
}

fn is(value: &Value, schema: &str, entries: &str, heading: &str) {
    assert_eq!(value["schema"], schema);
    assert_eq!(keys(value), fields(JSON, &format!("## `{schema}`")));
    assert_eq!(keys(&value[entries][0]), fields(JSON, heading));
}

#[test]
fn a_check_says_what_would_be_better_and_which_setting_makes_it_so() {
    let tree = Tree::new();
    let shown = tree.run("check --data / --nic eth0 --cpus 1").good();
    for line in ["advice    governor", "cpu.governor = \"performance\"", "sda: read-ahead", "eth0"]
    {
        assert!(shown.out.contains(line), "`{line}` is not in {shown}");
    }
    let value = tree.run("check --strict --json").ends(1).json();
    is(&value, "myrig.host-check/1", "items", "### An entry of `items`");
    assert!(value["advice"].as_u64() > Some(2), "{value}");
    assert!(!tree.rig.home().exists(), "looking makes nothing");
}

#[test]
fn a_machine_is_tuned_and_put_back() {
    let tree = Tree::new();
    let plan = tree.run("apply database --data / --plan --json").good().json();
    is(&plan, "myrig.host-apply/1", "steps", "### An entry of `steps`");
    assert_eq!(plan["changed"], false);
    tree.is_as_before_but_brackets();

    let applied = tree.run("apply database --data / --set vm.swappiness=10").good();
    assert!(applied.out.contains("powersave → performance   (2 places)"), "{applied}");
    assert_eq!(tree.text("proc/sys/vm/swappiness"), "10");
    assert_eq!(tree.text("sys/block/sda/queue/read_ahead_kb"), "128");
    assert!(applied.out.contains("no-op"), "{applied}");
    let again = tree.run("apply hammerdb --set vm.swappiness=5").ends(3);
    again.says(&["tuned already", "database", "myrig host revert"]);

    let value = tree.run("revert --json").good().json();
    is(&value, "myrig.host-revert/1", "steps", "### An entry of `steps` of a revert");
    tree.is_as_before();
    assert!(tree.run("revert").good().out.contains("Nothing to put back"));
}

impl Tree {
    /// As before, and never written: a choice still shows its brackets.
    fn is_as_before_but_brackets(&self) {
        for (path, text) in FILES {
            assert_eq!(self.text(path), text.trim(), "{path}");
        }
    }
}

#[test]
fn what_somebody_else_has_changed_is_left_until_it_is_forced_or_forgotten() {
    for (option, swappiness) in [("--force", "60"), ("--forget", "33")] {
        let tree = Tree::new();
        tree.run("apply database").good();
        tree.write("proc/sys/vm/swappiness", "33");
        let left = tree.run("revert").ends(1);
        assert!(left.out.contains("33 is not ours (1, before 60)"), "{left}");
        assert_eq!(tree.text("proc/sys/kernel/numa_balancing"), "1", "the rest is put back");
        tree.run(&format!("revert {option}")).good();
        assert_eq!(tree.text("proc/sys/vm/swappiness"), swappiness);
        assert!(!tree.journal().exists());
    }
}

#[test]
fn after_a_reboot_the_journal_is_said_to_be_stale() {
    let tree = Tree::new();
    tree.run("apply database").good();
    tree.write("proc/sys/kernel/random/boot_id", "two");
    assert!(tree.run("revert").good().out.contains("before the last boot"));
    tree.run("apply database --set vm.swappiness=7").good();
    tree.write("proc/sys/kernel/random/boot_id", "three");
    let over = tree.run("apply database --set vm.swappiness=8").good();
    over.says(&["before the last boot"]);
}

#[test]
fn a_command_that_is_killed_in_the_middle_leaves_the_way_back() {
    let tree = Tree::new();
    // A pipe in the place of a file: whoever opens it waits for the other end, so that the command
    // stands still exactly where it is to be killed.
    let pipe = tree.path("proc/sys/vm/swappiness");
    fs::remove_file(&pipe).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let line = "apply --set cpu.governor=performance --set vm.swappiness=1 --set thp.enabled=never";
    let applying = tree.begin(line);
    let journal = || fs::read_to_string(tree.journal()).unwrap_or_default();
    // It looks before it begins, plans, and looks again when it is the setting's turn.
    fs::write(&pipe, "60\n").unwrap();
    until("it has looked for the first time", || tree.rig.home().join("host/lock").exists());
    fs::write(&pipe, "60\n").unwrap();
    until("it knows what it will change", || journal().contains("thp.enabled"));
    fs::write(&pipe, "60\n").unwrap();
    until("it has changed the governors", || journal().contains("{\"done\":1}"));
    assert_eq!(tree.text("sys/devices/system/cpu/cpufreq/policy1/scaling_governor"), "performance");
    applying.signal(Signal::KILL);
    assert_eq!(applying.wait().status, None);

    fs::remove_file(&pipe).unwrap();
    tree.write("proc/sys/vm/swappiness", "60");
    tree.run("apply database").ends(3).says(&["myrig host revert"]);
    tree.run("revert").good();
    tree.write("sys/kernel/mm/transparent_hugepage/enabled", "always");
    tree.is_as_before();
}

#[test]
fn a_command_runs_on_a_tuned_machine_which_is_put_back_whatever_happens() {
    let tree = Tree::new();
    let swappiness = tree.path("proc/sys/vm/swappiness");
    let ended = tree.run(&format!("apply database --for -- cat {}", swappiness.display())).good();
    assert_eq!(ended.out, "1\n", "standard output is the command's alone");
    ended.says(&["as it was before `database`"]);
    tree.is_as_before();
    tree.run("apply database --for -- false").ends(1);
    tree.is_as_before();
    tree.run("apply database --for -- /no/such/program").ends(3).says(&["/no/such/program"]);
    tree.is_as_before();
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let running = tree.begin("apply database --for -- sleep 600");
        until("it is tuned", || tree.text("proc/sys/vm/swappiness") == "1");
        until("the command runs", || children(running.pid()).contains("sleep"));
        running.signal(signal);
        running.wait().ends(status);
        tree.is_as_before();
    }
    tree.rig.nothing_runs();
}

/// The names of a process's children.
fn children(pid: u32) -> String {
    let pids = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let name = |pid| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    pids.split_whitespace().map(name).collect()
}

#[test]
fn who_is_not_root_is_told_before_anything_is_changed() {
    let tree = Tree::new();
    for path in ["proc/sys/vm/swappiness", "sys/kernel/mm/transparent_hugepage/enabled"] {
        fs::set_permissions(tree.path(path), fs::Permissions::from_mode(0o444)).unwrap();
    }
    fs::set_permissions(tree.rig.dir(), fs::Permissions::from_mode(0o777)).unwrap();
    let line = "apply --set vm.swappiness=1 --set cpu.governor=performance --set thp.enabled=never";
    let line = format!("host {}", tree.rooted(line));
    let mut command = tree.rig.command(&line);
    if geteuid().is_root() {
        command.uid(65_534);
    }
    let ended = Running::start(command, &line).wait().ends(3);
    ended.says(&["takes root", "nothing was changed", "vm.swappiness", "thp.enabled"]);
    tree.is_as_before_but_brackets();
    assert!(!tree.rig.home().exists());
}

#[test]
fn what_cannot_be_asked_for_is_wrong_usage() {
    let tree = Tree::new();
    for (line, words) in [
        ("apply fast", &["fast", "database, astream, gazelle, hammerdb"][..]),
        ("apply", &["PROFILE"]),
        ("apply --set vm.swapiness=1", &["vm.swapiness", "vm.swappiness"]),
        ("apply --set vm.swappiness=many", &["vm.swappiness", "many", "0 to 200"]),
        ("apply --set vm.swappiness", &["KEY=VALUE"]),
        ("apply astream --nic eth9", &["--nic eth9", "eth0"]),
        ("apply astream --nic eth0 --irq-cpus 0-7", &["2-7", "0-1"]),
        ("apply astream --irq-cpus 0", &["--nic"]),
        ("apply astream --cpus 5", &["5", "0-1"]),
        ("apply astream --cpus 3-1", &["3-1", "0-3,8"]),
        ("apply database --data /nowhere", &["--data /nowhere"]),
        ("apply database --for", &["COMMAND"]),
        ("apply --set vm.dirty-ratio=5 --set vm.dirty-bytes=99999", &["only one"]),
        ("revert --force --forget", &["--force", "--forget"]),
        ("check --nic eth9", &["--nic eth9"]),
    ] {
        if line.contains("dirty") {
            tree.write("proc/sys/vm/dirty_ratio", "20");
            tree.write("proc/sys/vm/dirty_bytes", "0");
        }
        let ended = tree.run(line).ends(2).says(words);
        assert!(ended.out.is_empty(), "{ended}");
    }
    let file = tree.rig.dir().join("my.toml");
    fs::write(&file, "[set]\nvm.swapiness = 1\n").unwrap();
    let ended = tree.run(&format!("apply {}", file.display())).ends(2);
    ended.says(&["my.toml", "vm.swappiness"]);
    assert!(!tree.rig.home().exists(), "nothing was made");
}

/// Files of this machine that are put back, whatever becomes of the test.
struct Kept(Vec<(PathBuf, String)>);

impl Kept {
    fn of(paths: &[&str]) -> Self {
        let text = |path: &&str| (PathBuf::from(path), choice(&fs::read_to_string(path).unwrap()));
        Self(paths.iter().map(text).collect())
    }

    fn is_as_before(&self) {
        for (path, old) in &self.0 {
            assert_eq!(choice(&fs::read_to_string(path).unwrap()), *old, "{}", path.display());
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        for (path, old) in &self.0 {
            if choice(&fs::read_to_string(path).unwrap_or_default()) != *old {
                let _refused = fs::write(path, old);
            }
        }
    }
}

fn choice(text: &str) -> String {
    let chosen = text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    chosen.unwrap_or(text.trim()).to_owned()
}

#[test]
fn this_machine_is_tuned_for_a_command_and_put_back() {
    if !geteuid().is_root() {
        println!("SKIPPED: tuning this machine, because only root may");
        return;
    }
    const PATHS: &[(&str, &str, &str)] = &[
        ("/proc/sys/vm/swappiness", "vm.swappiness", "61"),
        ("/proc/sys/vm/dirty_bytes", "vm.dirty-bytes", "2147483648"),
        ("/sys/kernel/mm/transparent_hugepage/defrag", "thp.defrag", "defer"),
    ];
    let there = PATHS.iter().filter(|(path, ..)| Path::new(path).exists());
    let there: Vec<_> = there.collect();
    let mut paths: Vec<&str> = there.iter().map(|(path, ..)| *path).collect();
    // The kernel keeps 0 out of the one, and writing the other brings it back.
    paths.retain(|path| !path.ends_with("dirty_bytes"));
    if there.len() < PATHS.len() {
        println!("SKIPPED: settings that this kernel lacks");
    }
    let ratio = "/proc/sys/vm/dirty_ratio";
    if Path::new(ratio).exists() {
        paths.push(ratio);
    }
    let (rig, kept) = (Rig::new(), Kept::of(&paths));
    let settings: String =
        there.iter().map(|(_, key, value)| format!(" --set {key}={value}")).collect();
    let files: String = there.iter().map(|(path, ..)| format!(" {path}")).collect();
    let ended = rig.run(&format!("host apply{settings} --for -- cat{files}")).good();
    let seen: Vec<String> = ended.out.lines().map(choice).collect();
    let wanted: Vec<&str> = there.iter().map(|(_, _, value)| *value).collect();
    assert_eq!(seen, wanted, "{ended}");
    kept.is_as_before();
    let shown = rig.run("host check --json").good().json();
    assert!(shown["items"].as_array().unwrap().len() > 30, "{shown}");
}
