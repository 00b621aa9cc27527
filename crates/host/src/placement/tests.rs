#![allow(clippy::unwrap_used)]
use super::*;
use crate::topology::Node;
use proptest::prelude::*;
use std::{process::Command, thread};

fn set(text: &str) -> CpuSet {
    text.parse().unwrap()
}

/// Two sockets, and a node of memory alone.
fn two_sockets() -> Topology {
    let node = |number, cpus: &str| Node { number, cpus: cpus.parse().ok(), memory_bytes: 1 << 30 };
    Topology {
        online: set("0-7"),
        nodes: vec![node(0, "0-3"), node(1, "4-7"), node(2, "")],
        memory_bytes: 3 << 30,
    }
}

#[test]
fn what_the_machine_does_not_have_is_refused_by_name() {
    let topology = two_sockets();
    let told = |cpus: Option<&str>, memory: Option<&str>| {
        let memory = memory.map(|it| it.parse().unwrap());
        let placement = Placement { cpus: cpus.map(set), memory };
        placement.check(&topology).map_err(|error| error.to_string())
    };
    assert_eq!(told(Some("0-7"), Some("interleave:0-2")), Ok(()));
    let error = told(Some("6-9"), None).unwrap_err();
    assert!(error.contains("8-9 do not exist") && error.contains("0-7"), "{error}");
    let error = told(None, Some("bind:3")).unwrap_err();
    assert!(error.contains("node 3") && error.contains("0-2"), "{error}");
}

#[test]
fn a_node_is_its_processors_and_its_memory() {
    let topology = two_sockets();
    let placement = Placement::on_node(1, &topology).unwrap();
    assert_eq!(placement.to_string(), "processors 4-7, memory bind:1");
    assert!(matches!(Placement::on_node(9, &topology), Err(PlacementError::NoNodes { .. })));
    let error = Placement::on_node(2, &topology).unwrap_err();
    assert!(matches!(error, PlacementError::NodeWithoutCpus(2)));
}

#[test]
fn policies_read_back_and_others_are_refused_with_the_known_ones() {
    for text in ["bind:0", "interleave:0-3", "preferred:1"] {
        assert_eq!(text.parse::<MemoryPolicy>().unwrap().to_string(), text);
    }
    for text in ["", "bind", "bind:", "local:0", "preferred:0-1", "interleave:x"] {
        let error = text.parse::<MemoryPolicy>().unwrap_err().to_string();
        assert!(error.contains("interleave:0-3"), "{error}");
    }
}

/// Runs `sleep` from a thread that has placed itself, and tells its number.
fn placed(placement: &Placement) -> std::process::Child {
    let placement = placement.clone();
    let start = move || {
        placement.take().unwrap();
        Command::new("sleep").arg("600").spawn().unwrap()
    };
    thread::spawn(start).join().unwrap()
}

#[test]
fn a_child_inherits_the_placement_of_the_thread_that_starts_it() {
    let root = Root::real();
    let topology = Topology::of(&root);
    let last = topology.online.iter().next_back().unwrap();
    let node = topology.nodes[0].number;
    let cpus = CpuSet::of([last]).unwrap();
    let memory = MemoryPolicy::Bind(CpuSet::of([node]).unwrap());
    let placement = Placement { cpus: Some(cpus.clone()), memory: Some(memory) };
    let mut child = placed(&placement);
    let pid = child.id();
    let kept = placement.is_kept_by(pid, &root);
    let policies = root.text(format!("proc/{pid}/numa_maps")).unwrap_or_default();
    let elsewhere = Placement { cpus: CpuSet::of([last + 1]), memory: None };
    let not_kept = elsewhere.is_kept_by(pid, &root);
    child.kill().unwrap();
    child.wait().unwrap();
    kept.unwrap();
    assert!(matches!(not_kept, Err(PlacementError::NotKept { .. })));
    // Kernels without NUMA have no such file.
    if !policies.is_empty() {
        assert!(policies.contains(&format!("bind:{node}")), "{policies}");
    }
}

#[test]
fn a_processor_that_is_not_there_is_refused_by_the_kernel() {
    let nowhere = Placement { cpus: CpuSet::of([8191]), memory: None };
    let error = thread::spawn(move || nowhere.take()).join().unwrap().unwrap_err();
    assert!(error.to_string().contains("8191"), "{error}");
}

proptest! {
    #[test]
    fn any_text_gives_an_answer(text in "[a-z]{0,11}:?[0-9,-]{0,6}") {
        if let Ok(policy) = text.parse::<MemoryPolicy>() {
            prop_assert_eq!(policy.to_string().parse::<MemoryPolicy>(), Ok(policy));
        }
    }
}
