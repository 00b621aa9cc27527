//! Processors, NUMA nodes and their memory.

use crate::{cpu_set::CpuSet, meminfo::field_bytes, root::Root};

/// A NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its number.
    pub number: u32,
    /// Its processors that are online; none for a node of memory alone.
    pub cpus: Option<CpuSet>,
    /// Its memory, bytes; 0 where it does not tell.
    pub memory_bytes: u64,
}

/// What a machine computes with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Processors online.
    pub online: CpuSet,
    /// Its NUMA nodes in the order of their numbers; at least one.
    pub nodes: Vec<Node>,
    /// Memory, bytes; 0 where it does not tell.
    pub memory_bytes: u64,
}

impl Topology {
    /// Reads the machine at `root`. One that tells of no processors has number 0, and one that
    /// tells of no nodes has a single one.
    pub fn of(root: &Root) -> Self {
        let online = root.text("sys/devices/system/cpu/online").and_then(|it| it.parse().ok());
        let online: CpuSet = online
            .or_else(|| CpuSet::of(processors(&root.text("proc/cpuinfo").unwrap_or_default())))
            .or_else(|| CpuSet::of([0]))
            // A set of one number is not empty.
            .expect("processor 0");
        let memory_bytes = memory_bytes(root.text("proc/meminfo"));
        let mut nodes = nodes(root, &online);
        if nodes.is_empty() {
            nodes.push(Node { number: 0, cpus: Some(online.clone()), memory_bytes });
        }
        Self { online, nodes, memory_bytes }
    }

    /// The node of that number.
    pub fn node(&self, number: u32) -> Option<&Node> {
        self.nodes.iter().find(|node| node.number == number)
    }
}

fn nodes(root: &Root, online: &CpuSet) -> Vec<Node> {
    const NODES: &str = "sys/devices/system/node";
    let names = root.names(NODES);
    let numbers = names.iter().filter_map(|name| name.strip_prefix("node")?.parse().ok());
    let mut nodes: Vec<Node> = numbers
        .map(|number: u32| {
            let file = |name: &str| root.text(format!("{NODES}/node{number}/{name}"));
            let cpus: Option<CpuSet> = file("cpulist").and_then(|it| it.parse().ok());
            Node {
                number,
                cpus: cpus.and_then(|cpus| cpus.within(online)),
                memory_bytes: memory_bytes(file("meminfo")),
            }
        })
        .collect();
    nodes.sort_by_key(|node| node.number);
    nodes
}

fn processors(cpuinfo: &str) -> impl Iterator<Item = u32> {
    cpuinfo.lines().filter_map(|line| {
        let (name, number) = line.split_once(':')?;
        (name.trim() == "processor").then(|| number.trim().parse().ok())?
    })
}

fn memory_bytes(meminfo: Option<String>) -> u64 {
    meminfo.and_then(|text| field_bytes(&text, "MemTotal")).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::tree;

    #[test]
    fn two_sockets_are_read_from_sysfs() {
        let (_dir, root) = tree(&[
            ("sys/devices/system/cpu/online", "0-6\n"),
            ("sys/devices/system/node/node0/cpulist", "0-3\n"),
            ("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:  1024 kB\n"),
            ("sys/devices/system/node/node1/cpulist", "4-7\n"),
            ("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:  2048 kB\n"),
            ("sys/devices/system/node/has_cpu", "0-1\n"),
            ("proc/meminfo", "MemTotal:  3072 kB\nMemFree: 1 kB\n"),
        ]);
        let topology = Topology::of(&root);
        assert_eq!(topology.online.to_string(), "0-6");
        assert_eq!(topology.memory_bytes, 3 << 20);
        let second = topology.node(1).unwrap();
        assert_eq!(second.cpus.as_ref().unwrap().to_string(), "4-6", "7 is offline");
        assert_eq!(second.memory_bytes, 2 << 20);
        assert_eq!(topology.node(2), None);
    }

    #[test]
    fn a_machine_that_tells_little_has_one_node() {
        let (_dir, root) = tree(&[("proc/cpuinfo", "processor\t: 0\nx\t: y\nprocessor\t: 1\n")]);
        let topology = Topology::of(&root);
        assert_eq!(topology.online.to_string(), "0-1");
        assert_eq!(topology.nodes.len(), 1);
        let (_dir, root) = tree(&[]);
        assert_eq!(Topology::of(&root).online.to_string(), "0");
    }

    #[test]
    fn this_machine_has_processors_and_memory() {
        let topology = Topology::of(&Root::real());
        assert!(topology.memory_bytes > 1 << 20);
        assert!(topology.nodes.iter().any(|node| node.cpus.is_some()));
    }
}
