//! An instance under limits on processor time and memory, with real servers and real cgroups.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::time::{Duration, Instant};

use client::{Connection, Target};
use host::{Root, Size, cgroup::can_limit};
use server::{
    Change, Error, InitOptions, Installation, Instance, ServerProcess, Status, Via,
    scratch::quick_settings,
};
use support::*;

on_both!(
    a_busy_server_gets_the_time_of_its_size_and_no_more,
    a_server_past_its_memory_limit_is_killed_and_told_of,
);

const HALF: Size = Size { cpus: Some(0.5), memory_bytes: None };

/// An instance of that size; none, said aloud, where this machine lets nobody limit anything.
async fn sized(place: &Place, installation: &Installation, size: Size) -> Option<Instance> {
    if let Err(error) = can_limit(&Root::real(), &size) {
        eprintln!("SKIPPED: instance sizes: {error}");
        return None;
    }
    let settings = quick_settings(installation.release().flavour);
    let options = InitOptions { settings, size, ..InitOptions::default() };
    Some(Instance::init(&place.home, &name("a"), installation, &options).await.unwrap())
}

async fn a_busy_server_gets_the_time_of_its_size_and_no_more(installation: Installation) {
    let place = Place::new();
    let Some(mut instance) = sized(&place, &installation, HALF).await else { return };
    instance.start(&start()).await.unwrap();
    let limits = instance.limits().unwrap();
    assert_eq!((limits.size, limits.broken), (HALF, None));

    let limited = processors_used(&instance).await;
    assert!((0.3..0.55).contains(&limited), "{limited} processors of 0.5");
    let limits = instance.limits().unwrap();
    assert_eq!(limits.broken, None, "threads made since the start are within, too");
    assert!(limits.usage.throttled_share().unwrap() > 0.2, "{limits:?}");
    instance.stop(DEADLINE).await.unwrap();
    assert_eq!(instance.limits(), None, "the group went with the server");

    let change = Change { size: Some(Size::UNLIMITED), ..Change::default() };
    instance.change(&change).unwrap();
    instance.start(&start()).await.unwrap();
    assert_eq!(instance.limits(), None);
    let unlimited = processors_used(&instance).await;
    assert!(unlimited > limited, "{unlimited} without a limit, {limited} with one");
}

/// Processors' worth of time that the server uses while two sessions keep it busy.
async fn processors_used(instance: &Instance) -> f64 {
    let target = instance.target(Via::Socket).unwrap();
    let process = ServerProcess::of(&target).await.unwrap();
    let measured = async {
        let before_s = process.cpu_s().unwrap();
        wait_for("use of the processor", || process.cpu_s().unwrap() > before_s + 0.2).await;
        let (before_s, since) = (process.cpu_s().unwrap(), Instant::now());
        tokio::time::sleep(Duration::from_secs(3)).await;
        (process.cpu_s().unwrap() - before_s) / since.elapsed().as_secs_f64()
    };
    tokio::select! {
        used = measured => used,
        () = busy(&target) => panic!("the server was not kept busy"),
        () = busy(&target) => panic!("the server was not kept busy"),
    }
}

/// Ten thousand million rows without a table; MySQL 9.7 no longer has BENCHMARK.
async fn busy(target: &Target) {
    let digits: Vec<String> = (0..10).map(|digit| format!("SELECT {digit} AS n")).collect();
    let tables: Vec<String> = ('a'..='j').map(|name| format!("d AS {name}")).collect();
    let query = format!(
        "WITH d AS ({}) SELECT SUM(a.n * j.n + SQRT(e.n)) FROM {}",
        digits.join(" UNION ALL "),
        tables.join(", ")
    );
    let mut connection = Connection::connect(target).await.unwrap();
    connection.query(&query).await.unwrap();
}

async fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < DEADLINE, "no {what} within {DEADLINE:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn a_server_past_its_memory_limit_is_killed_and_told_of(installation: Installation) {
    let place = Place::new();
    // Enough to start with: a MySQL 9 of 64 MB of pool takes about 400 MB.
    let roomy = Size { cpus: None, memory_bytes: Some(768 << 20) };
    let Some(mut instance) = sized(&place, &installation, roomy).await else { return };
    instance.start(&start()).await.unwrap();
    let target = instance.target(Via::Socket).unwrap();
    let mut connection = Connection::connect(&target).await.unwrap();
    connection.query("SET GLOBAL max_allowed_packet = 1073741824").await.unwrap();
    let mut connection = Connection::connect(&target).await.unwrap();
    connection.query("SELECT LENGTH(REPEAT('a', 1000000000))").await.unwrap_err();
    wait_for("crash", || matches!(instance.status(), Status::Crashed { .. })).await;
    let limits = instance.limits().unwrap();
    assert!(limits.killed_by_memory(), "{limits:?}");
    assert!(limits.usage.memory_peak_bytes.unwrap() <= 768 << 20, "{limits:?}");

    // It starts again, with counters that begin at 0.
    instance.start(&start()).await.unwrap();
    assert!(!instance.limits().unwrap().killed_by_memory());
    instance.stop(DEADLINE).await.unwrap();

    let tiny = Size { cpus: None, memory_bytes: Some(64 << 20) };
    let error = instance.change(&Change { size: Some(tiny), ..Change::default() }).unwrap_err();
    assert!(matches!(error, Error::Beyond(_)), "{error}");
    assert!(error.to_string().contains("innodb_buffer_pool_size = 64M"), "{error}");
    assert_eq!(instance.size(), roomy, "nothing has changed");
}
