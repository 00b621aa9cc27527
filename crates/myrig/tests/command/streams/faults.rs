//! Bad input, and what goes wrong while a daemon watches.

use super::{data, entry, has, rules, status};
use crate::{
    documents::is,
    support::{Rig, Running, until},
};
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Command,
};
use streams::Lifetime;

#[test]
fn what_cannot_be_is_told_before_any_daemon_is_started() {
    let rig = Rig::new();
    let dir = data(&rig, "d").display().to_string();
    let good = rules(&rig, "good", "/x 2\n").display().to_string();
    let bad = rules(&rig, "bad", "/x 2\n/a(b 3\n/c 7\n").display().to_string();
    let start = |words: &str| rig.run(&format!("streams start {words}"));
    start(&format!("-i {dir} -r {good} {good}")).ends(2).says(&["in the same order"]);
    start(&format!("-i {dir}")).ends(2).says(&["--rules"]);
    start(&format!("-r {good}")).ends(2).says(&["--directory"]);
    start(&format!("-i {dir} -r {good} --rules-for mysql")).ends(2);
    start(&format!("-i {dir} --rules-for oracle")).ends(2).says(&["mysql-8.0.20", "mariadb"]);
    let faults = start(&format!("-i {dir} -r {bad}")).ends(3);
    faults.says(&[&bad, "line 2, column 3", "line 3, column 4", "0 to 5"]);
    start(&format!("-i {dir} -r {dir}/none")).ends(3).says(&["none", "No such file"]);
    start(&format!("-i {dir}/none -r {good}")).ends(3).says(&[
        "/none",
        "no such directory",
        "--await-missing",
    ]);
    start(&format!("-i {good} -r {good}")).ends(3).says(&["not a directory"]);
    let json = start(&format!("-i {dir} -r {bad} --json")).ends(3).json();
    is(&json, "myrig.error/1");
    assert!(!rig.home().join("run/streams.pid").exists());
    rig.nothing_runs();
}

#[test]
fn a_directory_that_goes_away_is_waited_for() {
    let rig = Rig::new();
    let dir = data(&rig, "d");
    rig.run(&format!("streams start -i {} --rules-for mysql-8.0.20", dir.display())).good();
    fs::remove_dir_all(&dir).unwrap();
    until("it is missed", || status(&rig)["directories"][0]["missing"].is_string());
    let told = rig.run("streams status").good();
    assert!(told.out.contains("waited for: there is no such directory"), "{told}");
    data(&rig, "d");
    has(&dir.join("ib_logfile0"), Lifetime::None);
    rig.run("streams stop").good();
}

#[test]
fn a_directory_that_is_missing_at_the_start_is_waited_for_if_that_is_wanted() {
    let rig = Rig::new();
    let dir = rig.dir().join("above/d");
    let line = format!("streams start -i {} --rules-for mysql-8.0.20", dir.display());
    rig.run(&format!("{line} --await-missing")).good();
    assert!(status(&rig)["directories"][0]["missing"].is_string());
    data(&rig, "above/d");
    has(&dir.join("ib_logfile0"), Lifetime::None);
    until("it is there", || status(&rig)["directories"][0]["missing"].is_null());
    rig.run("streams stop").good();
    rig.nothing_runs();
}

#[test]
fn names_with_control_characters_do_nothing_to_the_terminal() {
    let rig = Rig::new();
    let dir = data(&rig, "d\u{1b}[31m");
    let file = rules(&rig, "r", "/ib_logfile short\n");
    let words = |verb: &str| {
        let mut command = rig.command(verb);
        command.arg(&dir);
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{verb}: {text:?}");
        text
    };
    words(&format!("streams start -r {} -i", file.display()));
    fs::write(dir.join("ib_logfile\u{7}1"), "").unwrap();
    has(&dir.join("ib_logfile\u{7}1"), Lifetime::Short);
    let told = rig.run("streams status").good().out;
    assert!(told.contains("  short    short    ib_logfile\u{fffd}1\n"), "{told}");
    assert!(told.chars().all(|c| c == '\n' || !c.is_control()), "{told:?}");
    words("streams check");
    rig.run("streams stop").good();
}

#[test]
fn files_of_others_are_told_and_harm_nobody() {
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: files of others, because only root can become somebody else");
        return;
    }
    let rig = Rig::new();
    // Everybody may go this way, and nobody may do everything there.
    let home = rig.dir().join("nobody");
    let data = home.join("data");
    fs::create_dir_all(&data).unwrap();
    fs::write(data.join("ib_logfile0"), "root's").unwrap();
    fs::write(data.join("ib_logfile1"), "nobody's").unwrap();
    let program = home.join("myrig");
    fs::copy(env!("CARGO_BIN_EXE_myrig"), &program).unwrap();
    for path in [&home, &data, &data.join("ib_logfile1")] {
        std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
    }
    fs::write(data.join("ib_logfile2"), "nobody may read").unwrap();
    fs::set_permissions(data.join("ib_logfile2"), Permissions::from_mode(0o600)).unwrap();

    let started = as_nobody(&home, &program, "start --rules-for mysql-8.0.20 -i", &data);
    started.ends(0);
    let shown =
        as_nobody(&home, &program, "status --json --pid-file", &home.join("run/streams.pid"));
    let shown = shown.ends(1).json();
    let error = |end: &str| entry(&shown, end)["error"].as_str().unwrap_or("").to_owned();
    assert!(error("ib_logfile0").contains("CAP_FOWNER"), "{shown}");
    assert_eq!(entry(&shown, "ib_logfile1")["real"], "none");
    assert!(error("ib_logfile2").contains("CAP_DAC_READ_SEARCH"), "{shown}");
    let failures = shown["figures"]["failures"].as_u64();
    assert!(failures >= Some(2), "{shown}");
    as_nobody(&home, &program, "stop --pid-file", &home.join("run/streams.pid")).ends(0);
    // Nobody may write there.
    let refused =
        as_nobody(&home, &program, "start --rules-for mysql --pid-file /run/no/a.pid -i", &data);
    refused.ends(3).says(&["--pid-file"]);
    rig.nothing_runs();
}

/// The command of a user without any privilege.
fn as_nobody(home: &Path, program: &Path, line: &str, path: &Path) -> crate::support::Ended {
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(program);
    command.arg("streams").args(line.split(' ')).arg(path);
    command.current_dir("/").env("HOME", home).env("MYRIG_HOME", home);
    Running::start(command, line).wait()
}
