//! Where an instance runs and keeps its data, and changing that, with real servers.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use host::{CpuSet, MemoryPolicy, Placement, Root, Size, Topology};
use server::{Change, Error, InitOptions, Installation, Instance, scratch::quick_settings};
use support::*;

on_both!(
    a_server_keeps_to_its_processors_and_nodes,
    data_can_lie_elsewhere,
    a_stopped_instance_can_be_changed,
);

fn options(installation: &Installation) -> InitOptions {
    let settings = quick_settings(installation.release().flavour);
    InitOptions { settings, ..InitOptions::default() }
}

async fn a_server_keeps_to_its_processors_and_nodes(installation: Installation) {
    let place = Place::new();
    let topology = Topology::of(&Root::real());
    let last = topology.online.iter().next_back().unwrap();
    let nodes = CpuSet::of(topology.nodes.iter().map(|node| node.number)).unwrap();
    let placement =
        Placement { cpus: CpuSet::of([last]), memory: Some(MemoryPolicy::Interleave(nodes)) };
    let mut options = options(&installation);
    options.placement = placement.clone();
    let mut instance =
        Instance::init(&place.home, &name("a"), &installation, &options).await.unwrap();
    let serving = instance.start(&start()).await.unwrap();
    // Threads that the server has made since the start, too.
    placement.is_kept_by(serving.pid, &Root::real()).unwrap();
    let maps = fs::read_to_string(format!("/proc/{}/numa_maps", serving.pid)).unwrap_or_default();
    assert!(maps.is_empty() || maps.contains("interleave"), "{maps}");
    instance.stop(DEADLINE).await.unwrap();

    let change = Change {
        placement: Some(Placement { cpus: CpuSet::of([last + 7]), memory: None }),
        ..Change::default()
    };
    let error = instance.change(&change).unwrap_err().to_string();
    assert!(error.contains("do not exist"), "{error}");
    assert_eq!(*instance.placement(), placement, "nothing has changed");
}

async fn data_can_lie_elsewhere(installation: Installation) {
    let place = Place::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let data = elsewhere.path().join("data");
    let mut options = options(&installation);
    options.data = Some(data.clone());
    let mut instance =
        Instance::init(&place.home, &name("a"), &installation, &options).await.unwrap();
    let serving = instance.start(&start()).await.unwrap();
    assert!(data.join("ibdata1").exists());
    let seen = Instance::open(&place.home, &name("a")).unwrap();
    assert_eq!(seen.status(), server::Status::Running(serving), "known by its real directory");
    instance.stop(DEADLINE).await.unwrap();

    let mut other = options.clone();
    other.port = None;
    let taken = Instance::init(&place.home, &name("b"), &installation, &other).await.unwrap_err();
    assert!(matches!(taken, Error::Data { .. }), "{taken}");
    assert!(data.join("ibdata1").exists(), "the refused init has left it alone");

    fs::rename(&data, elsewhere.path().join("unmounted")).unwrap();
    let gone = instance.start(&start()).await.unwrap_err().to_string();
    assert!(gone.contains("mount"), "{gone}");
    fs::rename(elsewhere.path().join("unmounted"), &data).unwrap();
    instance.remove().await.unwrap();
    assert!(!data.exists());
}

async fn a_stopped_instance_can_be_changed(installation: Installation) {
    let place = Place::new();
    let mut instance =
        Instance::init(&place.home, &name("a"), &installation, &options(&installation))
            .await
            .unwrap();
    let change = Change {
        settings: [("max_connections".to_owned(), "77".to_owned())].into(),
        unset: vec!["innodb_flush_method".into()],
        size: Some(Size { cpus: None, memory_bytes: None }),
        placement: None,
    };
    instance.start(&start()).await.unwrap();
    assert!(matches!(instance.change(&change), Err(Error::Running { .. })));
    instance.stop(DEADLINE).await.unwrap();
    instance.change(&change).unwrap();
    instance.start(&start()).await.unwrap();
    let target = instance.target(server::Via::Tcp).unwrap();
    let asked = "SELECT CONCAT(@@max_connections, ' ', @@innodb_flush_method)";
    assert_eq!(query(&target, asked).await, ["77 O_DIRECT"]);
    instance.stop(DEADLINE).await.unwrap();

    let again = Change { unset: vec!["innodb-flush-method".into()], ..Change::default() };
    let error = instance.change(&again).unwrap_err().to_string();
    assert!(error.contains("not set"), "{error}");
    let own = Change { settings: [("port".into(), "1".into())].into(), ..Change::default() };
    assert!(matches!(instance.change(&own), Err(Error::Setting { .. })));
    assert_eq!(
        Instance::open(&place.home, &name("a")).unwrap().settings()["max_connections"],
        "77"
    );
}
