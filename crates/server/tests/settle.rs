//! Rest after a load, asked of real servers.

#![allow(clippy::unwrap_used)]

mod support;

use std::time::Duration;

use client::{Connection, Target};
use server::{
    Installation, ServerProcess, Via,
    settle::{PoolFilled, Quantity, Rest, State, Waited},
};
use support::*;

on_both!(a_server_is_waited_for_until_it_is_at_rest,);

async fn a_server_is_waited_for_until_it_is_at_rest(installation: Installation) {
    let place = Place::new();
    let mut instance = place.instance(&installation).await;
    instance.start(&start()).await.unwrap();
    let target = instance.target(Via::Socket).unwrap();
    query(&target, "CREATE DATABASE d").await;
    query(&target, "CREATE TABLE d.t (x INT)").await;
    query(&target, "INSERT INTO d.t VALUES (0)").await;
    let rest = Rest::of(&target).await.unwrap();
    let process = ServerProcess::of(&target).await.unwrap();
    let cpu_before_s = process.cpu_s().unwrap();

    at_once(&rest).await;
    an_old_snapshot_keeps_the_history(&rest, &target).await;
    a_running_statement_is_seen(&rest, &target).await;
    assert!(process.cpu_s().unwrap() > cpu_before_s);
    instance.stop(DEADLINE).await.unwrap();
    assert!(rest.wait(DEADLINE, || false, |_| {}).await.is_err());
    assert!(PoolFilled::wait(&target, DEADLINE, || false).await.is_err());
    // It was stopped with pages in its buffer pool, and reads them again.
    instance.start(&start()).await.unwrap();
    let filled = PoolFilled::wait(&target, DEADLINE, || false).await.unwrap();
    assert!(filled.is_over && filled.words.contains("complete"), "{filled:?}");
    instance.stop(DEADLINE).await.unwrap();
}

async fn wait(rest: &Rest, deadline: Duration) -> Waited {
    rest.wait(deadline, || false, |_| {}).await.unwrap()
}

fn state(waited: &Waited, quantity: Quantity) -> State {
    let at = Quantity::ALL.iter().position(|other| *other == quantity).unwrap();
    waited.states[at]
}

async fn at_once(rest: &Rest) {
    let waited = wait(rest, DEADLINE).await;
    assert!(waited.at_rest() && waited.length < Duration::from_secs(20), "{waited}");
    assert!(waited.last.iter().all(Option::is_some), "{waited:?}");
    // Who stops waiting gets what there is.
    let stopped = rest.wait(DEADLINE, || true, |_| {}).await.unwrap();
    assert!(!stopped.at_rest(), "{stopped}");
}

async fn an_old_snapshot_keeps_the_history(rest: &Rest, target: &Target) {
    let mut reader = Connection::connect(target).await.unwrap();
    reader.run("START TRANSACTION WITH CONSISTENT SNAPSHOT").await.unwrap();
    reader.query("SELECT x FROM d.t").await.unwrap();
    let mut writer = Connection::connect(target).await.unwrap();
    for _ in 0..3000 {
        writer.run("UPDATE d.t SET x = x + 1").await.unwrap();
    }
    let waited = wait(rest, Duration::from_secs(1)).await;
    assert_eq!(state(&waited, Quantity::History), State::Moving, "{waited}");
    assert!(waited.to_string().contains("Given up: "), "{waited}");
    reader.run("COMMIT").await.unwrap();
    // MySQL's purge sleeps on fewer than 5,000 records until there is a new one, and cuts the list
    // only now and then.
    writer.run("SET GLOBAL innodb_purge_rseg_truncate_frequency = 1").await.unwrap();
    writer.run("UPDATE d.t SET x = x + 1").await.unwrap();
    let waited = wait(rest, DEADLINE).await;
    assert_eq!(state(&waited, Quantity::History), State::Back, "{waited}");
    assert!(waited.at_rest(), "{waited}");
    reader.close().await;
    writer.close().await;
}

async fn a_running_statement_is_seen(rest: &Rest, target: &Target) {
    let mut sleeper = Connection::connect(target).await.unwrap();
    let mut killer = Connection::connect(target).await.unwrap();
    let row = sleeper.query_one("SELECT CONNECTION_ID()").await.unwrap().unwrap();
    let id = row.int(0).unwrap();
    let watch = async {
        let waited = wait(rest, Duration::from_secs(1)).await;
        assert_eq!(state(&waited, Quantity::RunningThreads), State::Moving, "{waited}");
        killer.run(&format!("KILL {id}")).await.unwrap();
    };
    let (killed, ()) = tokio::join!(sleeper.run("SELECT SLEEP(120)"), watch);
    assert!(killed.is_err());
    let waited = wait(rest, DEADLINE).await;
    assert_eq!(state(&waited, Quantity::RunningThreads), State::Back, "{waited}");
    killer.close().await;
}
