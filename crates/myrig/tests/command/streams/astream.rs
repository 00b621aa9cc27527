//! `myrig astream`, by upstream's command lines.

use super::{data, has, rules};
use crate::support::{Rig, Running};
use std::{fs, os::unix::fs::symlink, process::Command};
use streams::Lifetime;

#[test]
fn the_procedure_starts_and_stops_it_by_its_own_name() {
    let rig = Rig::new();
    let (one, two) = (data(&rig, "d1"), data(&rig, "d2"));
    let (r1, r2) = (rig.dir().join("rule1.txt"), rig.dir().join("rule2.txt"));
    fs::write(&r1, format!("^{}/ib_logfile 2\n", one.display())).unwrap();
    fs::write(&r2, format!("^{}/ib_logfile 4", two.display())).unwrap();
    let link = rig.dir().join("astream");
    symlink(env!("CARGO_BIN_EXE_myrig"), &link).unwrap();
    let run = |words: &[&str]| {
        let command: Command = rig.command("");
        let mut by_name = Command::new(&link);
        by_name.args(words).current_dir(rig.dir());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => by_name.env(name, value),
                None => by_name.env_remove(name),
            };
        }
        Running::start(by_name, &format!("astream {}", words.join(" "))).wait()
    };
    let start = ["-i", "d1", "d2", "-r", "rule1.txt", "rule2.txt", "-l", "1"];
    let started = run(&start).good();
    assert_eq!((started.out.as_str(), started.err.as_str()), ("", ""), "it is silent");
    has(&one.join("ib_logfile0"), Lifetime::Short);
    has(&two.join("ib_logfile0"), Lifetime::Long);
    let again = run(&start).ends(255);
    assert!(again.out.contains("error: astream daemon is running"), "{again}");
    let stopped = run(&["stop"]).good();
    assert_eq!(stopped.out, "the astream daemon has been stopped\n");
    let none = run(&["stop"]).ends(255);
    assert!(none.out.contains("no astream daemon is running"), "{none}");
    rig.nothing_runs();
}

#[test]
fn mistakes_are_told_as_astream_tells_them() {
    let rig = Rig::new();
    data(&rig, "d");
    rules(&rig, "r", "/x s 2 9\n");
    for (line, words) in [
        ("", "usage: astream [options]"),
        ("-i d -r r r", "please input one pair"),
        ("-i none -r r", "error: the monitored directory none don't exist"),
        ("-i d -r none", "error: the rule file none don't exist"),
        ("-i d -r r -l 5", "error: invalid log level"),
        ("-i d -r r", "line 1, column 8"),
    ] {
        let refused = rig.run(&format!("astream {line}")).ends(255);
        assert!(refused.out.contains(words), "{line}: {refused}");
    }
    assert!(rig.run("astream --help").good().out.starts_with("usage: astream"));
}
