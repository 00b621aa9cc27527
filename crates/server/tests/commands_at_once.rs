//! Two commands on one instance, and commands that are killed half-way.
//!
//! A command that is killed needs a process of its own: this test program runs itself again with
//! the name of one test, `a_command_to_be_killed`, and tells it in the environment what to do.

#![allow(clippy::unwrap_used)]

mod support;

use std::{
    env, fs,
    path::Path,
    process::{Child, Command, Stdio},
};

use server::{Error, Flavour, Home, InitOptions, Installation, Instance, Status, Stopped, scratch};
use support::*;

on_both!(
    a_second_command_is_refused_while_one_is_at_work,
    of_two_inits_of_one_name_one_wins,
    a_killed_init_leaves_nothing_that_looks_like_an_instance,
    a_killed_start_leaves_an_orphan_that_can_be_stopped,
    a_server_outlives_the_command_that_started_it,
);

async fn a_second_command_is_refused_while_one_is_at_work(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    let mut second = instance.clone();
    let run_record = instance.dir().join("run.json");
    let options = start();
    let starting = instance.start(&options);
    tokio::pin!(starting);
    drive_until("the server is launched", starting.as_mut(), || run_record.exists()).await;
    assert!(matches!(second.status(), Status::Starting { .. }), "{}", second.status());
    for error in [
        second.start(&start()).await.unwrap_err(),
        second.stop(DEADLINE).await.unwrap_err(),
        second.clone().remove().await.unwrap_err(),
    ] {
        let pid = std::process::id().to_string();
        assert!(matches!(error, Error::Busy { .. }), "{error}");
        let error = error.to_string();
        assert!(error.contains("`start`") && error.contains(&pid), "{error}");
    }
    let serving = starting.await.unwrap();
    assert_eq!(second.stop(DEADLINE).await.unwrap(), Stopped::Ended { pid: serving.pid });
}

async fn of_two_inits_of_one_name_one_wins(installation: Installation) {
    let place = Place::new();
    let (one, other) = tokio::join!(
        place.init(&installation, server::Settings::new()),
        place.init(&installation, server::Settings::new()),
    );
    let error = match (one, other) {
        (Ok(_), Err(error)) | (Err(error), Ok(_)) => error,
        both => panic!("{both:?}"),
    };
    assert!(matches!(error, Error::Busy { .. } | Error::Exists(_)), "{error}");
    assert_eq!(Instance::list(&place.home).unwrap().len(), 1);
}

async fn a_killed_init_leaves_nothing_that_looks_like_an_instance(installation: Installation) {
    let place = Place::new();
    let mut command = run_apart("init", &place, &installation);
    let log = place.home.servers().join(".init-a/log/init.log");
    until("the server initialises", || fs::read(&log).is_ok_and(|log| !log.is_empty())).await;
    kill(&mut command);
    assert_eq!(Instance::list(&place.home).unwrap().len(), 0);

    // The next init clears what is left, the server included, and is not disturbed by it.
    let mut instance = place.instance(&installation).await;
    instance.start(&start()).await.unwrap();
    let drafts = fs::read_dir(place.home.servers()).unwrap().flatten();
    assert_eq!(drafts.filter(|entry| entry.path().is_dir()).count(), 1);
    assert!(!any_server_below(&place.home.servers().join(".init-a")));
}

async fn a_killed_start_leaves_an_orphan_that_can_be_stopped(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    let mut command = run_apart("start", &place, &installation);
    until("the server is launched", || instance.dir().join("run.json").exists()).await;
    kill(&mut command);
    let status = instance.status();
    let Status::Orphaned { pid } = status else { panic!("{status}") };
    assert_eq!(instance.stop(DEADLINE).await.unwrap(), Stopped::Ended { pid });
    assert!(!any_server_below(place.path()));
    instance.start(&start()).await.unwrap();
}

async fn a_server_outlives_the_command_that_started_it(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    let mut command = run_apart("start", &place, &installation);
    assert!(command.wait().unwrap().success());
    let status = instance.status();
    let Status::Running(serving) = status else { panic!("{status}") };
    // Field 5 of stat: its own process group, where no Ctrl-C of ours arrives.
    let stat = fs::read_to_string(format!("/proc/{}/stat", serving.pid)).unwrap();
    let group = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().nth(2).unwrap();
    assert_eq!(group, serving.pid.to_string());
    let ended = instance.stop(DEADLINE).await.unwrap();
    assert_eq!(ended, Stopped::Ended { pid: serving.pid });
}

const VERB: &str = "SERVER_TEST_VERB";
const HOME: &str = "SERVER_TEST_HOME";
const FLAVOUR: &str = "SERVER_TEST_FLAVOUR";

fn run_apart(verb: &str, place: &Place, installation: &Installation) -> Child {
    let flavour = installation.release().flavour;
    let name = Flavour::NAMES.iter().find(|(_, it)| *it == flavour).unwrap().0;
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "a_command_to_be_killed", "--nocapture"])
        .envs([(VERB, verb), (FLAVOUR, name), (HOME, place.path().to_str().unwrap())])
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn kill(command: &mut Child) {
    command.kill().unwrap();
    command.wait().unwrap();
}

/// Does nothing in the test program itself.
#[tokio::test]
async fn a_command_to_be_killed() {
    let Ok(verb) = env::var(VERB) else { return };
    let flavour: Flavour = env::var(FLAVOUR).unwrap().parse().unwrap();
    let home = Home::at(Path::new(&env::var(HOME).unwrap())).unwrap();
    if verb == "init" {
        let installation = scratch::installation(flavour).await.unwrap();
        let options = InitOptions::default();
        Instance::init(&home, &name("a"), &installation, &options).await.unwrap();
    } else {
        Instance::open(&home, &name("a")).unwrap().start(&start()).await.unwrap();
    }
}
