//! What goes wrong with real servers, and that each case is told, marked and mended.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::{fs, net::TcpListener, path::Path, process::Command, time::Duration};

use server::{
    Error, Home, InitOptions, Installation, Instance, StartOptions, Status, Stopped, Via,
};
use support::*;

on_both!(
    a_server_that_dies_at_the_start_is_noticed_at_once_and_quoted,
    a_server_that_is_not_ready_in_time_is_killed,
    a_taken_port_is_named_and_so_is_the_way_out,
    a_crash_is_recognised_and_recovered,
    a_server_shut_down_by_somebody_else_has_not_crashed,
    a_server_run_by_hand_is_an_orphan_that_can_be_adopted_or_stopped,
    a_changed_password_is_told_and_the_server_ended,
    a_setting_that_the_server_refuses_leaves_no_instance,
    a_full_disk_at_init_is_told,
);

async fn a_server_that_dies_at_the_start_is_noticed_at_once_and_quoted(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    let options = fs::read_to_string(instance.options_file()).unwrap();
    fs::write(instance.options_file(), format!("{options}no-such-option = 1\n")).unwrap();
    let begun = std::time::Instant::now();
    let error = instance.start(&start()).await.unwrap_err();
    assert!(begun.elapsed() < DEADLINE / 2, "long before the deadline");
    assert!(matches!(error, Error::Died { .. }), "{error}");
    let error = error.to_string();
    assert!(error.contains("no-such-option") && error.contains("exit status"), "{error}");
    assert_eq!(instance.status(), Status::Stopped);

    fs::write(instance.options_file(), options).unwrap();
    instance.start(&start()).await.unwrap();
}

async fn a_server_that_is_not_ready_in_time_is_killed(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    let options = StartOptions { deadline: Duration::ZERO, ..start() };
    let error = instance.start(&options).await.unwrap_err();
    assert!(matches!(error, Error::NotReady { .. }), "{error}");
    assert!(!any_server_below(place.path()));
    assert_eq!(instance.status(), Status::Stopped);

    // A start that is given up on the way leaves no process either.
    {
        let run_record = instance.dir().join("run.json");
        let options = start();
        let starting = instance.start(&options);
        tokio::pin!(starting);
        drive_until("the server is launched", starting.as_mut(), || run_record.exists()).await;
        assert!(any_server_below(place.path()));
    }
    assert!(!any_server_below(place.path()));
    instance.start(&start()).await.unwrap();
}

async fn a_taken_port_is_named_and_so_is_the_way_out(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    let port = instance.port();
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let error = instance.start(&start()).await.unwrap_err();
    assert!(matches!(error, Error::PortInUse { .. }), "{error}");
    let error = error.to_string();
    assert!(error.contains(&port.to_string()) && error.contains("--port"), "{error}");
    assert_eq!(instance.status(), Status::Stopped);

    // Taken in the instant after the look: then the server's own words are understood.
    drop(listener);
    let other = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let taken = other.local_addr().unwrap().port();
    let options = fs::read_to_string(instance.options_file()).unwrap();
    let swapped = options.replace(&format!("port = {port}"), &format!("port = {taken}"));
    fs::write(instance.options_file(), swapped).unwrap();
    let error = instance.start(&start()).await.unwrap_err();
    assert!(matches!(error, Error::PortInUse { .. }), "{error}");
    assert!(!any_server_below(place.path()));
}

async fn a_crash_is_recognised_and_recovered(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    let target = instance.target(Via::Socket).unwrap();
    let serving = instance.start(&start()).await.unwrap();
    query(&target, "CREATE DATABASE kept").await;
    let again = instance.start(&start()).await.unwrap_err();
    assert!(matches!(again, Error::Running { pid, .. } if pid == serving.pid), "{again}");

    kill(serving.pid);
    let gone = || !matches!(instance.status(), Status::Running(_));
    until("the server is gone", gone).await;
    assert_eq!(instance.status(), Status::Crashed { pid: Some(serving.pid) });

    // The number passes to another process: still a crash, and that process is left alone.
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    let pid_file = instance.dir().join("mysqld.pid");
    fs::write(&pid_file, format!("{}\n", other.id())).unwrap();
    assert_eq!(instance.status(), Status::Crashed { pid: Some(other.id()) });
    assert_eq!(instance.stop(DEADLINE).await.unwrap(), Stopped::HadCrashed);
    assert!(other.try_wait().unwrap().is_none(), "another's process is not signalled");
    other.kill().unwrap();
    other.wait().unwrap();
    fs::write(&pid_file, "4000000000\n").unwrap();

    instance.start(&start()).await.unwrap();
    assert_eq!(query(&target, "SHOW DATABASES LIKE 'kept'").await, ["kept"]);
    let ended = instance.kill(DEADLINE).await.unwrap();
    assert!(!any_server_below(place.path()));
    assert!(matches!(ended, Stopped::Ended { .. }));
    assert_eq!(instance.status(), Status::Stopped);
    instance.start(&start()).await.unwrap();
    assert_eq!(query(&target, "SHOW DATABASES LIKE 'kept'").await, ["kept"]);
}

async fn a_server_shut_down_by_somebody_else_has_not_crashed(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    instance.start(&start()).await.unwrap();
    query(&instance.target(Via::Tcp).unwrap(), "SHUTDOWN").await;
    let gone = || !matches!(instance.status(), Status::Running(_));
    until("the server is gone", gone).await;
    assert_eq!(instance.status(), Status::Stopped);
}

async fn a_server_run_by_hand_is_an_orphan_that_can_be_adopted_or_stopped(
    installation: Installation,
) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    assert!(matches!(instance.adopt(DEADLINE).await.unwrap_err(), Error::NotRunning(_)));
    let serving = instance.start(&start()).await.unwrap();
    // As a start leaves it that is killed before its server answers.
    let record = instance.dir().join("run.json");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace("true", "false")).unwrap();
    assert_eq!(instance.status(), Status::Orphaned { pid: serving.pid });
    // As a start leaves it that is killed before it has written down anything.
    fs::remove_file(&record).unwrap();
    assert_eq!(instance.status(), Status::Orphaned { pid: serving.pid });
    let error = instance.start(&start()).await.unwrap_err();
    assert!(matches!(error, Error::Orphaned { .. }), "{error}");
    let error = instance.clone().remove().await.unwrap_err();
    assert!(matches!(error, Error::Orphaned { .. }), "{error}");

    assert_eq!(instance.adopt(DEADLINE).await.unwrap().pid, serving.pid);
    assert_eq!(instance.status(), Status::Running(serving.clone()));
    let error = instance.clone().remove().await.unwrap_err();
    assert!(matches!(error, Error::Running { .. }), "{error}");

    fs::remove_file(&record).unwrap();
    let ended = instance.stop(DEADLINE).await.unwrap();
    assert_eq!(ended, Stopped::Ended { pid: serving.pid });
    assert!(!any_server_below(place.path()));
}

async fn a_changed_password_is_told_and_the_server_ended(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    fs::write(instance.password_file(), "wrong\n").unwrap();
    let error = instance.start(&start()).await.unwrap_err();
    assert!(matches!(error, Error::Refused { .. }), "{error}");
    assert!(error.to_string().contains("root.password"), "{error}");
    assert!(!any_server_below(place.path()));
}

async fn a_setting_that_the_server_refuses_leaves_no_instance(installation: Installation) {
    let place = Place::new();
    let error = place.init(&installation, setting("no_such_setting", "1")).await.unwrap_err();
    assert!(matches!(error, Error::Init { .. }), "{error}");
    assert!(error.to_string().contains("no-such-setting"), "{error}");
    assert_eq!(Instance::list(&place.home).unwrap().len(), 0);
    let error = Instance::open(&place.home, &name("a")).unwrap_err();
    assert!(matches!(error, Error::NoInstance { .. }), "{error}");
    let entries = fs::read_dir(place.home.servers()).unwrap().flatten();
    assert_eq!(entries.filter(|entry| entry.path().is_dir()).count(), 0, "no draft is left");
}

async fn a_full_disk_at_init_is_told(installation: Installation) {
    let place = Place::new();
    let disk = place.path().join("disk");
    let Some(mount) = SmallDisk::mount(&disk) else {
        eprintln!("SKIPPED: only root can mount the small disk that this test fills");
        return;
    };
    let home = Home::at(mount.0).unwrap();
    let mut settings = server::scratch::quick_settings(installation.release().flavour);
    let mut options = InitOptions { settings: settings.clone(), ..InitOptions::default() };
    let error = Instance::init(&home, &name("a"), &installation, &options).await.unwrap_err();
    assert!(matches!(error, Error::Beyond(_)), "the redo log alone: {error}");
    // A redo log that has room leaves too little for the rest.
    settings.values_mut().filter(|value| *value == "32M").for_each(|value| *value = "16M".into());
    options.settings = settings;
    let error = Instance::init(&home, &name("a"), &installation, &options).await.unwrap_err();
    assert!(matches!(error, Error::DiskFull { .. }), "{error}");
    assert!(error.to_string().contains("--home"), "{error}");
    assert_eq!(Instance::list(&home).unwrap().len(), 0);
    assert!(!any_server_below(place.path()));
}

#[tokio::test]
async fn a_home_that_cannot_be_written_is_named() {
    let installation = mariadb().await;
    let place = Place::new();
    let file = place.path().join("file");
    fs::write(&file, "").unwrap();
    // Permission bits do not stop root; these places stop everybody.
    for path in [file.join("home"), "/proc/home".into()] {
        let home = Home::at(&path).unwrap();
        let options = InitOptions::default();
        let error = Instance::init(&home, &name("a"), &installation, &options).await.unwrap_err();
        assert!(matches!(error, Error::Home { .. }), "{error}");
        let error = error.to_string();
        assert!(error.contains(path.to_str().unwrap()) && error.contains("--home"), "{error}");
    }
}

#[tokio::test]
async fn a_home_with_too_long_a_path_is_refused_before_anything_is_made() {
    let installation = mariadb().await;
    let place = Place::new();
    let path = place.path().join("x".repeat(100));
    let home = Home::at(&path).unwrap();
    let options = InitOptions::default();
    let error = Instance::init(&home, &name("a"), &installation, &options).await.unwrap_err();
    assert!(matches!(error, Error::SocketPath { .. }), "{error}");
    assert!(!path.exists());
}

#[tokio::test]
async fn an_instance_with_a_damaged_record_does_not_hide_the_others() {
    let place = Place::new();
    place.instance(&mariadb().await).await;
    let broken = place.home.servers().join("broken");
    fs::create_dir(&broken).unwrap();
    fs::write(broken.join("instance.json"), "{").unwrap();
    let list = Instance::list(&place.home).unwrap();
    assert_eq!(list[0].as_ref().unwrap().name().as_str(), "a");
    assert!(list[1].as_ref().unwrap_err().to_string().contains("broken/instance.json"));
}

#[tokio::test]
async fn an_init_that_takes_too_long_is_ended() {
    let place = Place::new();
    let options = InitOptions { deadline: Duration::ZERO, ..InitOptions::default() };
    let made = Instance::init(&place.home, &name("a"), &mariadb().await, &options).await;
    let error = made.unwrap_err();
    assert!(error.to_string().contains("not done within"), "{error}");
    assert!(!any_server_below(place.path()));
}

fn kill(pid: u32) {
    let sent = Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// A file system too small for any server.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(path: &'a Path) -> Option<Self> {
        fs::create_dir(path).unwrap();
        let options = ["-t", "tmpfs", "-o", "size=24m", "tmpfs"];
        let mounted = Command::new("mount").args(options).arg(path).status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(path))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}
