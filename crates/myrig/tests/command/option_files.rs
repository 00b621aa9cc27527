//! Where account and address come from: the command line, then option files, then the
//! environment.

use crate::support::{Ended, Rig, Server};
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
};

fn server() -> &'static Server {
    let server = Server::mariadb();
    server.query("CREATE OR REPLACE USER 'reader'@'%' IDENTIFIED BY 'from the file'");
    server.query("GRANT SELECT ON *.* TO 'reader'@'%'");
    server
}

/// A file in the rig's HOME.
fn write(rig: &Rig, name: &str, text: &str, mode: u32) -> PathBuf {
    let path = rig.dir().join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

fn options(server: &Server) -> String {
    let port = server.fact("port");
    format!("[client]\nhost=127.0.0.1\nport={port}\nuser=reader\npassword='from the file'\n")
}

/// The account was let in, and there are no data sets in the database it named.
fn let_in(ended: Ended, database: &str) -> Ended {
    ended.ends(3).says(&[&format!("`{database}` holds no TPC-C data")])
}

#[test]
fn option_files_give_address_and_account() {
    let (server, rig) = (server(), Rig::new());
    write(&rig, ".my.cnf", &options(server), 0o600);
    let ended = let_in(rig.run("tpcc check -D mysql"), "mysql");
    assert!(!ended.err.contains("warning"), "{ended}");

    let other = format!("{}\n[myrig]\ndatabase=sys\n", options(server));
    let other = write(&rig, "other.cnf", &other, 0o600);
    write(&rig, ".my.cnf", "[client]\nuser=nobody\n", 0o600);
    let line = format!("tpcc check --defaults-file {}", other.display());
    let_in(rig.run(&line), "sys");
    let_in(rig.run(&format!("{line} -D mysql")), "mysql");
}

#[test]
fn the_command_line_is_stronger_than_option_files() {
    let (server, rig) = (server(), Rig::new());
    write(&rig, ".my.cnf", &options(server), 0o600);
    rig.run("tpcc check --user nobody").ends(3).says(&["Access denied", "nobody"]);
    let wrong = write(&rig, "password", "wrong\n", 0o600);
    let line = format!("tpcc check --password-file {}", wrong.display());
    rig.run(&line).ends(3).says(&["Access denied", "reader"]);
    rig.run("tpcc check --port 9").ends(3).says(&["127.0.0.1:9"]);
}

#[test]
fn the_environment_is_weaker_than_both() {
    let (server, rig) = (server(), Rig::new());
    let run = |line: &str, password: &str| {
        let mut command = rig.command(line);
        command.env("MYSQL_PWD", password).env("USER", "reader");
        crate::support::Running::start(command, line).wait()
    };
    let line = format!("tpcc check -D mysql --port {}", server.fact("port"));
    let_in(run(&line, "from the file"), "mysql");
    run(&line, "wrong").ends(3).says(&["Access denied"]);
    write(&rig, ".my.cnf", &options(server), 0o600);
    let_in(run(&line, "wrong"), "mysql");
}

#[test]
fn passwords_that_others_can_read_are_warned_of() {
    let (server, rig) = (server(), Rig::new());
    let file = write(&rig, "password", "from the file\n", 0o644);
    let line = format!(
        "tpcc check -D mysql --port {} --user reader --password-file {}",
        server.fact("port"),
        file.display()
    );
    let_in(rig.run(&line), "mysql").says(&["warning", "others can read", "chmod 600"]);
    write(&rig, ".my.cnf", &options(server), 0o666);
    let ended = rig.run(&format!("tpcc check --port {}", server.fact("port"))).ends(3);
    ended.says(&["warning", ".my.cnf", "anybody may write", "Access denied"]);
}

#[test]
fn files_that_make_no_sense_are_named_with_the_line() {
    let rig = Rig::new();
    let bad = write(&rig, "bad.cnf", "[client]\nuser=a\nport=many\n", 0o600);
    let words = [format!("{}:3", bad.display()), "port".to_owned()];
    let line = format!("tpcc check --defaults-file {}", bad.display());
    rig.run(&line).ends(3).says(&[&words[0], &words[1]]);
    rig.run("tpcc check --defaults-file /nonexistent").ends(3).says(&["/nonexistent"]);
    rig.run("tpcc check --password-file /nonexistent").ends(3).says(&["--password-file"]);
    let empty = write(&rig, "empty", "", 0o600);
    let line = format!("tpcc check --password-file {}", empty.display());
    rig.run(&line).ends(3).says(&["--password-file", "empty"]);
}
