//! Watching real servers: counters agree with the server's own, waits are what they were made to
//! be, and a server that goes away leaves a gap.

#![allow(clippy::unwrap_used)]

mod support;

use client::{Connection, Target};
use host::Root;
use rustix::process::{Pid, Signal, kill_process};
use server::{
    Flavour, Installation, Settings, Status, Via,
    watch::{Class, ClassShare, Plan, Remark, Track, Watched, Watcher},
};
use std::{
    cell::Cell,
    time::{Duration, Instant},
};
use support::*;
use tokio::time::sleep;

on_both!(what_is_done_to_a_server_is_seen,);

const EVERY: Duration = Duration::from_millis(400);

async fn what_is_done_to_a_server_is_seen(installation: Installation) {
    let place = Place::new();
    let durable: Settings = [
        ("innodb-flush-log-at-trx-commit", "1"),
        ("sync-binlog", "1"),
        ("log-bin", "master-bin"),
        ("innodb-flush-method", "fsync"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    let flavour = installation.release().flavour;
    let mut instance = place.init(&installation, durable).await.unwrap();
    instance.start(&start()).await.unwrap();
    let target = instance.target(Via::Socket).unwrap();
    query(&target, "CREATE DATABASE d").await;
    query(&target, "CREATE TABLE d.t (id INT PRIMARY KEY, x INT)").await;
    query(&target, "INSERT INTO d.t VALUES (1,0),(2,0),(3,0),(4,0),(5,0),(6,0),(7,0),(8,0)").await;

    commits_agree_and_wait_for_the_logs(&target, flavour).await;
    two_sessions_that_want_one_row_wait_for_it(&target).await;
    a_statement_that_computes_is_on_a_processor(&target).await;
    what_may_not_be_asked_is_said_once(&target, flavour).await;

    let Status::Running(serving) = instance.status() else { panic!("it runs") };
    an_answer_that_is_late_is_a_gap(&target, serving.pid).await;

    let seen = watched(&target, async {
        instance.stop(DEADLINE).await.unwrap();
        instance.start(&start()).await.unwrap();
        sleep(3 * EVERY).await;
    });
    a_restart_is_a_gap(&seen.await);
    instance.stop(DEADLINE).await.unwrap();
}

/// Watches while `load` goes on, and for a period after it.
async fn watched(target: &Target, load: impl Future<Output = ()>) -> Watched {
    let watcher = Watcher::open(target, Root::real()).await;
    let over = Cell::new(false);
    let load = async {
        load.await;
        over.set(true);
    };
    let plan = Plan { every: EVERY, measured_s: (0.0, 1e6) };
    tokio::join!(watcher.follow(Instant::now(), plan, || over.get(), |_, _| {}), load).0
}

fn track<'a>(seen: &'a Watched, name: &str) -> &'a Track {
    let found = seen.tracks.iter().find(|track| track.meter.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {:?}", seen.tracks))
}

fn classes(seen: &Watched) -> &[ClassShare] {
    &seen.waits.as_ref().unwrap().classes
}

fn sessions(seen: &Watched, these: &[Class]) -> f64 {
    let these = classes(seen).iter().filter(|share| these.contains(&share.class));
    these.map(|share| share.sessions).sum()
}

/// What a rate adds up to.
fn total(seen: &Watched, name: &str) -> f64 {
    let mut last_s = seen.axis_s[0];
    let mut total = 0.0;
    for (at_s, value) in seen.axis_s.iter().zip(&track(seen, name).values) {
        if let Some(value) = value {
            total += value * (at_s - last_s);
            last_s = *at_s;
        }
    }
    total
}

async fn counter(target: &Target, name: &str) -> f64 {
    let rows = query(target, &format!("SHOW GLOBAL STATUS LIKE '{name}'")).await;
    rows[0].split(' ').nth(1).unwrap().parse().unwrap()
}

async fn repeat(target: &Target, statements: &[String], length: Duration) {
    let mut connection = Connection::connect(target).await.unwrap();
    let begun = Instant::now();
    while begun.elapsed() < length {
        for sql in statements {
            connection.query(sql).await.unwrap();
        }
    }
    connection.close().await;
}

async fn commits_agree_and_wait_for_the_logs(target: &Target, flavour: Flavour) {
    let before = counter(target, "Com_commit").await;
    let load = |id: u32| {
        let update = format!("UPDATE d.t SET x = x + 1 WHERE id = {id}");
        let statements = ["BEGIN".to_owned(), update, "COMMIT".to_owned()];
        async move { repeat(target, &statements, 5 * EVERY).await }
    };
    let seen = watched(target, async {
        // So long that a sample comes before the first commit.
        sleep(EVERY.mul_f64(1.5)).await;
        tokio::join!(load(1), load(2), load(3), load(4), load(5), load(6));
        // So long that a sample comes after the last commit.
        sleep(EVERY.mul_f64(1.5)).await;
    });
    let seen = seen.await;
    let grown = counter(target, "Com_commit").await - before;
    let counted = total(&seen, "server.commits");
    assert!(grown > 0.0 && (counted - grown).abs() < 0.1, "{counted}, the server says {grown}");
    assert!(total(&seen, "redo.written") > 0.0 && total(&seen, "rows.updated") >= grown - 0.1);

    let logs = sessions(&seen, &[Class::Redo, Class::Binlog, Class::Commit]);
    assert!(logs > 0.05, "{logs} in {:?}", classes(&seen));
    let instruments = &seen.waits.as_ref().unwrap().instruments;
    let synced = |file: &str| instruments.iter().any(|(label, _)| label == file);
    let timed = flavour == Flavour::MySql;
    assert_eq!((synced("redo log, sync"), synced("binary log, sync")), (timed, timed));
    let expected = if timed { Remark::NoLatches } else { Remark::NoSchema };
    assert!(seen.remarks.contains(&expected), "{:?}", seen.remarks);
    assert!(!seen.remarks.contains(&Remark::NoThreads), "{:?}", seen.remarks);
    assert!(seen.cost.answer_ms.unwrap() > 0.0 && seen.cost.server_cpus.unwrap() >= 0.0);
}

async fn two_sessions_that_want_one_row_wait_for_it(target: &Target) {
    let mut holder = Connection::connect(target).await.unwrap();
    holder.run("BEGIN").await.unwrap();
    holder.run("UPDATE d.t SET x = 0 WHERE id = 1").await.unwrap();
    let seen = watched(target, async {
        let update = ["UPDATE d.t SET x = 1 WHERE id = 1".to_owned()];
        let waiter = repeat(target, &update, Duration::from_millis(1));
        let release = async {
            sleep(4 * EVERY).await;
            holder.run("COMMIT").await.unwrap();
        };
        tokio::join!(waiter, release);
        sleep(EVERY.mul_f64(1.5)).await;
    });
    let seen = seen.await;
    assert_eq!(classes(&seen)[0].class, Class::RowLock, "{:?}", classes(&seen));
    // One session for four of five and a half periods.
    let waited = sessions(&seen, &[Class::RowLock]);
    assert!((0.4..1.1).contains(&waited), "{:?}", classes(&seen));
    assert!(track(&seen, "lock.waiting").values.contains(&Some(1.0)));
    assert_eq!(classes(&seen).last().unwrap().class, Class::Idle, "the one that holds the lock");
}

async fn a_statement_that_computes_is_on_a_processor(target: &Target) {
    let compute = ["SELECT BENCHMARK(100000, SHA2('a', 256))".to_owned()];
    let seen = watched(target, repeat(target, &compute, 4 * EVERY)).await;
    let active: f64 =
        classes(&seen).iter().filter(|it| it.class != Class::Idle).map(|it| it.sessions).sum();
    let running = sessions(&seen, &[Class::Processor, Class::RunQueue]);
    assert!(running > 0.3 && running / active > 0.8, "{:?}", classes(&seen));
    assert!(track(&seen, "server.user").values.iter().flatten().any(|busy| *busy > 0.1));
    assert!(track(&seen, "cpu.user").values.iter().flatten().any(|busy| *busy > 0.1));
}

/// An account without privileges sees its own sessions alone, and the run goes on.
async fn what_may_not_be_asked_is_said_once(target: &Target, flavour: Flavour) {
    query(target, "CREATE USER 'plain'@'localhost' IDENTIFIED BY 'a-word-2'").await;
    let mut plain = target.clone();
    plain.user = "plain".into();
    plain.password = client::Secret::new("a-word-2");
    let seen = watched(&plain, sleep(2 * EVERY)).await;
    assert!(seen.remarks.contains(&Remark::NoMetrics), "{:?}", seen.remarks);
    assert!(!seen.remarks.contains(&Remark::NoServer), "{:?}", seen.remarks);
    assert!(track(&seen, "server.questions").values.iter().flatten().count() > 0);
    assert_eq!(seen.remarks.contains(&Remark::NoInstruments), flavour == Flavour::MySql);
    query(target, "DROP USER 'plain'@'localhost'").await;
}

/// A server that is halted for a while answers late, and is neither asked twice nor given up.
async fn an_answer_that_is_late_is_a_gap(target: &Target, pid: u32) {
    let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    let seen = watched(target, async {
        sleep(EVERY.mul_f64(1.5)).await;
        kill_process(pid, Signal::STOP).unwrap();
        sleep(3 * EVERY).await;
        kill_process(pid, Signal::CONT).unwrap();
        sleep(3 * EVERY).await;
    });
    let seen = seen.await;
    let connected = &track(&seen, "server.threads_connected").values;
    assert!(connected.contains(&None), "{connected:?}");
    assert!(connected.last().unwrap().is_some(), "{connected:?}");
    let machine = &track(&seen, "memory.available").values;
    assert!(machine.iter().all(Option::is_some), "the machine is read all the while");
    // Other remarks are of the server as it is.
    assert!(!seen.remarks.contains(&Remark::NoServer), "{:?}", seen.remarks);
}

fn a_restart_is_a_gap(seen: &Watched) {
    let questions = &track(seen, "server.questions").values;
    let gap = questions.iter().skip(1).position(Option::is_none);
    assert!(gap.is_some(), "{questions:?}");
    assert!(questions.last().unwrap().is_some(), "it is asked again: {questions:?}");
    assert!(questions.iter().flatten().all(|rate| *rate >= 0.0), "{questions:?}");
    let machine = &track(seen, "memory.available").values;
    assert!(machine.iter().all(Option::is_some), "the machine is read all the while");
    assert!(seen.axis_s.is_sorted(), "{:?}", seen.axis_s);
}
