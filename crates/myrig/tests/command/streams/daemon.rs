//! What a daemon does from its start to its end.

use super::{Image, data, entry, has, real, rules, status};
use crate::{
    documents::{JSON, fields, is},
    metrics::{asked_for_of_all, there},
    serve::http::Client,
    support::{Rig, Running, keys, until},
};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    collections::BTreeSet, fs, net::TcpListener, os::unix::net::UnixDatagram, path::Path,
    time::Duration,
};
use streams::Lifetime;

#[test]
fn hints_are_kept_on_ext4_and_xfs_from_the_start_to_new_rules_and_the_end() {
    for kind in ["ext4", "xfs"] {
        let rig = Rig::new();
        let Some(disk) = Image::mount(&rig, kind) else { return };
        whole_life(&rig, &disk.mount);
        rig.nothing_runs();
    }
}

fn whole_life(rig: &Rig, dir: &Path) {
    fs::write(dir.join("redo0"), "there before").unwrap();
    let file = rules(rig, "r", "# redo\n\n/redo short\n/sub/deep/u 4\n");
    let line = format!("streams start -i {} -r {} --json", dir.display(), file.display());
    let started = rig.run(&line).good().json();
    is(&started, "myrig.streams-start/1");
    assert_eq!(real(&dir.join("redo0")), Lifetime::Short, "hints are there when it is ready");

    fs::write(dir.join("redo1"), "created").unwrap();
    has(&dir.join("redo1"), Lifetime::Short);
    fs::create_dir_all(dir.join("sub/deep")).unwrap();
    fs::write(dir.join("sub/deep/u1"), "nested").unwrap();
    has(&dir.join("sub/deep/u1"), Lifetime::Long);
    fs::write(dir.join("other"), "").unwrap();
    fs::rename(dir.join("other"), dir.join("redo2")).unwrap();
    has(&dir.join("redo2"), Lifetime::Short);

    let shown = status(rig);
    is(&shown, "myrig.streams-status/1");
    assert_eq!(keys(&shown["figures"]), fields(JSON, "### The `figures` of a status"));
    let of_directory = fields(JSON, "### An entry of a status's `directories`");
    assert_eq!(keys(&shown["directories"][0]), of_directory);
    let deep = entry(&shown, "sub/deep/u1");
    assert_eq!(keys(deep), fields(JSON, "### An entry of a status's `files`"));
    assert_eq!((&deep["wanted"], &deep["real"]), (&"long".into(), &"long".into()));
    assert_eq!((deep["line"].as_u64(), &shown["pid"]), (Some(4), &started["pid"]));
    let text = rig.run("streams status").good().out;
    assert!(text.contains("  short    short    redo1\n"), "{text}");

    // Rules with a fault are not taken, and that is told; then the new ones are.
    fs::write(&file, "/redo 3\n/u 9\n").unwrap();
    let pid = started["pid"].as_u64().unwrap().try_into().unwrap();
    let hang_up = || kill_process(Pid::from_raw(pid).unwrap(), Signal::HUP).unwrap();
    hang_up();
    until("the fault is told", || status(rig)["rules_error"].is_string());
    let told = rig.run("streams status").ends(1).out;
    let told: Vec<&str> = told.split_whitespace().collect();
    assert!(told.join(" ").contains("line 2, column 4"), "{told:?}");
    assert_eq!(real(&dir.join("redo0")), Lifetime::Short, "the earlier rules hold");
    let log = fs::read_to_string(rig.home().join("run/streams.log")).unwrap();
    assert!(log.contains("error the new rules are not taken"), "{log}");
    fs::write(&file, "/redo 3\n").unwrap();
    hang_up();
    has(&dir.join("redo0"), Lifetime::Medium);
    has(&dir.join("sub/deep/u1"), Lifetime::NotSet);
    until("nothing is wrong any more", || status(rig)["rules_error"].is_null());

    let stopped = rig.run("streams stop --json").good().json();
    is(&stopped, "myrig.streams-stop/1");
    assert_eq!(stopped["stopped"], started["pid"]);
    assert_eq!(real(&dir.join("redo0")), Lifetime::Medium, "what is set stays");
    for left in ["streams.pid", "streams.sock"] {
        assert!(!rig.home().join("run").join(left).exists(), "{left} was left");
    }
}

#[test]
fn a_log_that_was_renamed_is_begun_anew_at_a_hangup() {
    let rig = Rig::new();
    let dir = data(&rig, "d");
    let log = rig.dir().join("own.log");
    let file = rules(&rig, "r", "/ib_logfile short\n");
    let mut start = rig.command("streams start --json --log own.log -r");
    start.current_dir(rig.dir()).arg(&file).arg("-i").arg(&dir);
    let started = start.output().unwrap();
    assert!(started.status.success(), "{started:?}");
    let before = || fs::read_to_string(rig.dir().join("own.log.1")).unwrap();
    fs::rename(&log, rig.dir().join("own.log.1")).unwrap();
    assert!(before().contains("keeping the hints of 1 files"), "{}", before());
    let pid = i32::try_from(status(&rig)["pid"].as_u64().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::HUP).unwrap();
    until("the log is there again", || {
        fs::read_to_string(&log).is_ok_and(|text| text.contains("new rules"))
    });
    assert!(!before().contains("new rules"), "{}", before());
    rig.run("streams stop").good();
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains("info  ended"), "{text}");
}

#[test]
fn two_names_of_a_file_whose_rules_disagree_are_told() {
    let rig = Rig::new();
    let dir = data(&rig, "d");
    fs::hard_link(dir.join("ib_logfile0"), dir.join("cold")).unwrap();
    let file = rules(&rig, "r", "/ib_logfile short\n/cold long\n");
    rig.run(&format!("streams start -i {} -r {}", dir.display(), file.display())).good();
    let shown = status(&rig);
    let cold = entry(&shown, "/cold");
    assert_eq!(keys(&cold["overruled"]), fields(JSON, "### The `overruled` of a status's file"));
    assert_eq!((&cold["wanted"], &cold["line"]), (&"short".into(), &2.into()));
    assert_eq!(cold["overruled"]["own"], "long");
    assert!(cold["overruled"]["by"].as_str().unwrap().ends_with("/ib_logfile0"), "{cold}");
    assert!(entry(&shown, "/ib_logfile0")["overruled"].is_null());
    let text = rig.run("streams status").good().out;
    assert!(text.contains("links    1 names"), "{text}");
    rig.run("streams stop").good();
    let log = fs::read_to_string(rig.home().join("run/streams.log")).unwrap();
    assert_eq!(log.matches("is the same file").count(), 1, "{log}");
}

#[test]
fn there_is_one_daemon_at_a_place_and_a_killed_one_is_in_nobodys_way() {
    let rig = Rig::new();
    let dir = data(&rig, "d");
    let nobody = rig.run("streams status --json").ends(1).json();
    is(&nobody, "myrig.streams-status/1");
    assert_eq!(nobody["running"], false);
    let none = rig.run("streams stop").ends(1);
    assert!(none.out.contains("no daemon runs"), "{none}");

    let line = format!("streams start -i {} --rules-for mariadb", dir.display());
    rig.run(&line).good();
    let pid = status(&rig)["pid"].as_u64().unwrap();
    let second = rig.run(&line).ends(3);
    second.says(&[&format!("as process {pid}"), "myrig streams stop", "--pid-file"]);
    rig.run(&format!("{line} --foreground")).ends(3).says(&[&format!("process {pid}")]);
    // Elsewhere there may be another.
    let other = format!("--pid-file {}", rig.dir().join("other/a.pid").display());
    rig.run(&format!("{line} {other}")).good();
    rig.run(&format!("streams stop {other}")).good();

    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), Signal::KILL).unwrap();
    until("the kernel has cleared it away", || !rig.run("streams status").out.contains("kept"));
    assert!(rig.home().join("run/streams.pid").exists(), "it was killed");
    rig.run("streams stop").ends(1);
    // Its number may be another's by now, who is to be left alone.
    let own = format!("{}\n1\n", std::process::id());
    fs::write(rig.home().join("run/streams.pid"), own).unwrap();
    rig.run("streams stop").ends(1);
    rig.run(&line).good();
    assert_ne!(status(&rig)["pid"].as_u64(), Some(pid));
    rig.run("streams stop").good();
    rig.nothing_runs();
}

#[test]
fn under_systemd_it_says_when_it_is_ready_and_when_it_ends() {
    let rig = Rig::new();
    let dir = data(&rig, "d");
    let path = rig.dir().join("notify");
    let heard = UnixDatagram::bind(&path).unwrap();
    heard.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut command = rig.command("streams start --foreground --rules-for mysql-8.0.20 -i");
    command.arg(&dir).env("NOTIFY_SOCKET", &path).env("JOURNAL_STREAM", "8:1");
    let running = Running::start(command, "streams start --foreground");
    let next = || {
        let mut message = [0; 4096];
        let length = heard.recv(&mut message).unwrap();
        String::from_utf8_lossy(&message[..length]).into_owned()
    };
    let ready = next();
    assert!(ready.starts_with("READY=1\nSTATUS=keeping the hints of 1 files"), "{ready}");
    has(&dir.join("ib_logfile0"), Lifetime::None);
    running.signal(Signal::HUP);
    let words = [next(), next()];
    assert!(words[0].contains("reading the rules"), "{words:?}");
    running.signal(Signal::TERM);
    assert_eq!(next(), "STOPPING=1");
    let ended = running.wait().good();
    assert!(ended.err.contains("<6>"), "the journal is told weights: {ended}");
}

#[test]
fn metrics_are_served_and_the_dashboard_finds_its_own() {
    let rig = Rig::new();
    let dir = data(&rig, "d");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let start = format!("streams start -i {} --rules-for astream", dir.display());
    rig.run(&format!("{start} --metrics-addr {port}")).good();
    let scraped = Client::new(&format!("127.0.0.1:{port}")).get("/metrics").body;
    assert!(scraped.contains("myrig_streams_files{hint=\"short\"} 1\n"), "{scraped}");
    let asked = asked_for_of_all().into_iter();
    let asked: BTreeSet<String> = asked.filter(|name| name.starts_with("myrig_streams")).collect();
    assert!(asked.len() > 4);
    let there = there(&scraped);
    let missing: Vec<_> = asked.difference(&there).collect();
    assert!(missing.is_empty(), "the dashboard asks for what is not there: {missing:?}");
    let taken = format!("{start} --metrics-addr {port} --pid-file {}/b.pid", rig.dir().display());
    rig.run(&taken).ends(3).says(&["did not come up", "--metrics-addr"]);
    rig.run("streams stop").good();
}
