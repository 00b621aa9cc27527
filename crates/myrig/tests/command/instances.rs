//! `myrig server`: the life of an instance, and what can befall it.

use crate::support::{Ended, Rig, arguments, below, keys, mysql_basedir, until};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
};

const SMALL: &str = "--set innodb-buffer-pool-size=32M --set innodb-flush-method=nosync";

/// A rig with the small, stopped MariaDB instance `a`.
fn stopped() -> Rig {
    let rig = Rig::new();
    rig.run(&format!("server init a {SMALL}")).good();
    rig
}

/// The state of `a` and its process, if any.
fn state(rig: &Rig) -> (String, Option<u64>) {
    let status = rig.run("server status a --json").good().json();
    (status["state"].as_str().unwrap().to_owned(), status["pid"].as_u64())
}

fn kill(pid: u64) {
    let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

fn lives_from_init_to_removal(basedir: Option<&Path>) {
    let rig = Rig::new();
    let basedir = basedir.map(|dir| format!("--basedir {}", dir.display())).unwrap_or_default();
    let made = rig.run(&format!("server init a {SMALL} {basedir} --json")).good().json();
    assert_eq!((&made["state"], &made["pid"]), (&"stopped".into(), &().into()));
    rig.run(&format!("server init a {basedir}")).ends(3).says(&["exists already", "remove"]);

    let running = rig.run("server start a --json").good().json();
    assert_eq!(running["state"], "running");
    assert_eq!(running["port"], made["port"], "the port is kept");
    let password = fs::read_to_string(made["password_file"].as_str().unwrap()).unwrap();
    let pid = running["pid"].as_u64().unwrap().try_into().unwrap();
    assert!(arguments(pid).contains(made["data_dir"].as_str().unwrap()));
    assert!(!arguments(pid).contains(password.trim()), "the password is in the arguments");

    rig.run("server start a").ends(3).says(&["running already", "stop"]);
    rig.run("server remove a").ends(3).says(&["running already", "stop"]);
    let all = rig.run("server status --json").good().json();
    assert_eq!(all["servers"].as_array().unwrap().len(), 1);
    assert_eq!(all["servers"][0], running);

    let stopped = rig.run("server stop a --json").good().json();
    assert_eq!((&stopped["state"], &stopped["pid"]), (&"stopped".into(), &().into()));
    rig.nothing_runs();
    rig.run("server stop a").good().says(&["it was not running"]);
    let removed = rig.run("server remove a --json").good().json();
    assert_eq!(keys(&removed), ["name", "schema", "state"]);
    rig.run("server status a").ends(3).says(&["no instance `a`", "init"]);
    let none = rig.run("server status").good();
    assert!(none.out.contains("myrig server init"), "{none}");
}

#[test]
fn a_mariadb_instance_lives_from_init_to_removal() {
    lives_from_init_to_removal(None);
}

#[test]
fn a_mysql_instance_lives_from_init_to_removal() {
    if let Some(basedir) = mysql_basedir() {
        lives_from_init_to_removal(Some(&basedir));
    }
}

#[test]
fn of_two_starts_at_once_one_is_refused() {
    let rig = stopped();
    let both = [rig.start("server start a"), rig.start("server start a")];
    let mut ended = both.map(|running| running.wait());
    ended.sort_by_key(|ended| ended.status);
    let [first, second]: [Ended; 2] = ended;
    first.good();
    let second = second.ends(3);
    let words = ["is busy", "running already"];
    assert!(words.iter().any(|words| second.err.contains(words)), "{second}");
    rig.run("server stop a").good();
    rig.nothing_runs();
}

#[test]
fn a_server_started_by_hand_is_an_orphan_that_can_be_adopted() {
    let rig = stopped();
    let started = rig.run("server start a --json").good().json();
    let line = fs::read(format!("/proc/{}/cmdline", started["pid"])).unwrap();
    rig.run("server stop a").good();

    let words: Vec<_> = line.split(|byte| *byte == 0).filter(|word| !word.is_empty()).collect();
    let words: Vec<_> = words.into_iter().map(|word| String::from_utf8_lossy(word)).collect();
    let mut by_hand = Command::new(words[0].as_ref());
    by_hand.args(words[1..].iter().map(AsRef::as_ref)).current_dir(rig.dir());
    by_hand.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut by_hand = by_hand.spawn().unwrap();

    until("the orphan is seen", || state(&rig).0 == "orphaned");
    rig.run("server start a").ends(3).says(&["no finished start accounts for it", "stop"]);
    rig.run("tpcc check --instance a").ends(3).says(&["myrig server start a --adopt"]);
    rig.run("server start a --adopt").good();
    assert_eq!(state(&rig), ("running".to_owned(), Some(by_hand.id().into())));
    // It is our child, so that it must be waited for before it is gone.
    let stopping = rig.start("server stop a");
    by_hand.wait().unwrap();
    stopping.wait().good();
    rig.nothing_runs();
}

#[test]
fn a_killed_server_has_crashed_and_starts_again() {
    let rig = stopped();
    rig.run("server start a").good();
    let (_, pid) = state(&rig);
    kill(pid.unwrap());
    until("the crash is seen", || state(&rig).0 == "crashed");
    rig.run("tpcc check --instance a").ends(3).says(&["has crashed", "myrig server start a"]);
    rig.run("server start a").good();
    assert_eq!(state(&rig).0, "running");
    rig.run("server stop a --kill").good();
    assert_eq!(state(&rig).0, "stopped", "whoever asked for a kill knows of it");
    rig.nothing_runs();
}

#[test]
fn a_stopped_instance_says_how_it_is_started() {
    let rig = stopped();
    for verb in ["prepare", "run", "check", "cleanup"] {
        let words = ["instance `a` is stopped", "myrig server start a"];
        rig.run(&format!("tpcc {verb} --instance a")).ends(3).says(&words);
    }
}

#[test]
fn a_port_in_use_is_named_with_the_way_out() {
    let rig = stopped();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let words = [&format!("port {port}"), "in use", "--port"];
    rig.run(&format!("server start a --port {port}")).ends(3).says(&words);
    rig.nothing_runs();
    drop(taken);
    rig.run(&format!("server start a --port {port}")).good();
}

#[test]
fn an_interrupted_start_leaves_no_process() {
    let rig = stopped();
    let starting = rig.start("server start a");
    let data = rig.home().join("servers/a/data");
    until("the server's process is there", || !below(&data).is_empty());
    starting.signal(Signal::INT);
    starting.wait().ends(3).says(&["interrupted"]);
    until("the server is gone", || below(rig.dir()).is_empty());
    rig.run("server start a").good();
}

#[test]
fn a_server_that_cannot_start_shows_the_end_of_its_log() {
    let rig = Rig::new();
    rig.run(&format!("server init a {SMALL} --set no-such-setting=1"))
        .ends(3)
        .says(&["no-such-setting"]);
    rig.nothing_runs();
    assert_eq!(rig.run("server status --json").good().json()["servers"], serde_json::json!([]));
}

#[test]
fn a_missing_server_program_is_named_with_the_way_out() {
    let rig = Rig::new();
    let missing = "--mysqld /nonexistent/mariadbd";
    rig.run(&format!("server init a {missing}")).ends(3).says(&["/nonexistent", "--mysqld"]);
    rig.run(&format!("demo {missing}")).ends(3).says(&["/nonexistent", "mysqld"]);
    rig.run("server init a --basedir /nonexistent").ends(3).says(&["/nonexistent"]);
    rig.nothing_runs();
}

#[test]
fn a_home_that_cannot_be_written_is_named_with_the_way_out() {
    let rig = Rig::new();
    let file = rig.dir().join("file");
    fs::write(&file, "").unwrap();
    let rig = rig.with_home(file.join("home"));
    let home = rig.home().to_str().unwrap().to_owned();
    for line in ["server init a", "demo", "runs list"] {
        rig.run(line).ends(3).says(&[&home, "--home"]);
    }
    rig.nothing_runs();
}
