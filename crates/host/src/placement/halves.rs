//! Two equal halves of a machine's processors, and their exchange under what runs on them.

use super::{PlacementError, kernel};
use crate::{cpu_set::CpuSet, root::Root, topology::Topology};
use std::collections::BTreeMap;

/// Two halves of a machine's processors: whole cores, as many of each node in one as in the other,
/// so that who changes halves keeps its caches' size and the distance to its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halves {
    /// The processors of either half.
    sets: [CpuSet; 2],
    /// Each processor's counterpart in the other half.
    counterparts: BTreeMap<u32, u32>,
}

impl Halves {
    /// The halves of a machine; a core that is left over is in neither. None where there is but
    /// one processor.
    pub fn of(topology: &Topology, root: &Root) -> Option<Self> {
        let of_nodes = topology.nodes.iter().filter_map(|node| node.cpus.as_ref());
        let by_node: Vec<_> = of_nodes.flat_map(|cpus| pairs(cores(cpus, root))).collect();
        let everywhere = || pairs(cores(&topology.online, root));
        let of_threads = || pairs(topology.online.iter().map(|cpu| vec![cpu]).collect());
        // A machine of one core a node has no halves within its nodes; one of a single core has
        // its threads.
        let found = [by_node, everywhere(), of_threads()].into_iter().find(|it| !it.is_empty())?;
        let sets = [
            CpuSet::of(found.iter().map(|(first, _)| *first))?,
            CpuSet::of(found.iter().map(|(_, second)| *second))?,
        ];
        let there = found.iter().copied();
        let back = found.iter().map(|(first, second)| (*second, *first));
        Some(Self { sets, counterparts: there.chain(back).collect() })
    }

    /// The processors of either half.
    pub fn sets(&self) -> &[CpuSet; 2] {
        &self.sets
    }

    /// Where a thread that keeps to one half goes in the other; none for one that may run in both.
    pub fn counterpart(&self, cpus: &CpuSet) -> Option<CpuSet> {
        let is_in = |half: &CpuSet| cpus.without(half).is_none();
        self.sets.iter().any(is_in).then_some(())?;
        CpuSet::of(cpus.iter().filter_map(|cpu| self.counterparts.get(&cpu).copied()))
    }

    /// Moves every thread of a process that keeps to a half to the other one. What a thread starts
    /// later inherits its new half.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn exchange(&self, pid: u32, root: &Root) -> Result<(), PlacementError> {
        self.relocate(pid, root, |cpus| self.counterpart(cpus))
    }

    /// Has every thread of a process that keeps to a half keep to the half `wanted`, 0 or 1: also
    /// one that was started while the others were moved, and was left behind.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn gather(&self, pid: u32, wanted: usize, root: &Root) -> Result<(), PlacementError> {
        let half = &self.sets[wanted % 2];
        self.relocate(pid, root, |cpus| {
            cpus.without(half).is_some().then(|| self.counterpart(cpus)).flatten()
        })
    }

    fn relocate(
        &self,
        pid: u32,
        root: &Root,
        to: impl Fn(&CpuSet) -> Option<CpuSet>,
    ) -> Result<(), PlacementError> {
        for thread in threads(pid, root) {
            let refused =
                |source| PlacementError::Refused { what: "the other half".to_owned(), source };
            let moved = kernel::processors_of(thread).and_then(|cpus| {
                let other = cpus.and_then(|cpus| to(&cpus));
                other.map_or(Ok(()), |other| kernel::run_thread_on(thread, &other))
            });
            match moved {
                // A thread may end between the two looks.
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                moved => moved.map_err(refused)?,
            }
        }
        Ok(())
    }
}

/// The threads of a process.
fn threads(pid: u32, root: &Root) -> Vec<u32> {
    let names = root.names(format!("proc/{pid}/task"));
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

/// Processors by the core that they are threads of.
fn cores(cpus: &CpuSet, root: &Root) -> Vec<Vec<u32>> {
    let mut cores: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for cpu in cpus.iter() {
        let path = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        let siblings: Option<CpuSet> = root.text(path).and_then(|text| text.parse().ok());
        let first = siblings.and_then(|siblings| siblings.iter().next());
        cores.entry(first.unwrap_or(cpu)).or_default().push(cpu);
    }
    cores.into_values().collect()
}

/// The first half of the cores beside the second, processor by processor.
fn pairs(cores: Vec<Vec<u32>>) -> Vec<(u32, u32)> {
    let (first, second) = cores.split_at(cores.len() / 2);
    let beside = first.iter().zip(second);
    beside.flat_map(|(one, other)| one.iter().copied().zip(other.iter().copied())).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{testing::tree, topology::Node};

    fn machine(online: &str, nodes: &[&str]) -> Topology {
        let node = |(number, cpus): (u32, &&str)| Node {
            number,
            cpus: Some(cpus.parse().unwrap()),
            memory_bytes: 0,
        };
        let nodes = (0..).zip(nodes).map(node).collect();
        Topology { online: online.parse().unwrap(), nodes, memory_bytes: 0 }
    }

    fn told(topology: &Topology, root: &Root) -> Option<[String; 2]> {
        Halves::of(topology, root).map(|halves| halves.sets.map(|set| set.to_string()))
    }

    #[test]
    fn halves_are_equal_and_a_processor_left_over_is_in_neither() {
        let (_dir, root) = tree(&[]);
        let of = |online: &str| told(&machine(online, &[online]), &root);
        assert_eq!(of("0-1").unwrap(), ["0", "1"]);
        assert_eq!(of("0-7").unwrap(), ["0-3", "4-7"]);
        assert_eq!(of("0-2").unwrap(), ["0", "1"]);
        assert_eq!(of("3"), None);
    }

    #[test]
    fn each_node_gives_to_both_and_no_core_is_shared_out() {
        let siblings: Vec<(String, String)> = (0..8)
            .map(|cpu| {
                let file = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
                (file, format!("{},{}\n", cpu % 4, cpu % 4 + 4))
            })
            .collect();
        let files: Vec<_> = siblings.iter().map(|(file, text)| (&**file, &**text)).collect();
        let (_dir, root) = tree(&files);
        let one_node = machine("0-7", &["0-7"]);
        assert_eq!(told(&one_node, &root).unwrap(), ["0-1,4-5", "2-3,6-7"]);
        let two_nodes = machine("0-7", &["0-1,4-5", "2-3,6-7"]);
        assert_eq!(told(&two_nodes, &root).unwrap(), ["0,2,4,6", "1,3,5,7"]);
        let one_core = machine("0,4", &["0,4"]);
        assert_eq!(told(&one_core, &root).unwrap(), ["0", "4"], "its two threads");
    }

    #[test]
    fn nodes_of_one_core_each_are_halves_themselves() {
        let (_dir, root) = tree(&[]);
        assert_eq!(told(&machine("0-1", &["0", "1"]), &root).unwrap(), ["0", "1"]);
    }

    #[test]
    fn a_thread_goes_to_the_counterpart_of_its_processors_and_back() {
        let (_dir, root) = tree(&[]);
        let halves = Halves::of(&machine("0-7", &["0-7"]), &root).unwrap();
        let other = |cpus: &str| halves.counterpart(&cpus.parse().unwrap());
        assert_eq!(other("1").unwrap().to_string(), "5");
        assert_eq!(other("4-5").unwrap().to_string(), "0-1");
        assert_eq!(other("3-4"), None, "it may run in both");
    }

    #[test]
    fn the_threads_of_a_process_change_halves_and_those_of_both_stay() {
        let root = Root::real();
        let topology = Topology::of(&root);
        let Some(halves) = Halves::of(&topology, &root) else {
            println!("SKIPPED: this machine has one processor");
            return;
        };
        let place = |cpus: &CpuSet| {
            let mut sleeper = std::process::Command::new("sleep");
            let wanted = cpus.clone();
            let child = std::thread::spawn(move || {
                kernel::run_on(&wanted).unwrap();
                sleeper.arg("60").spawn().unwrap()
            });
            child.join().unwrap()
        };
        let moved = |from: &CpuSet, relocate: &dyn Fn(u32)| {
            let mut child = place(from);
            relocate(child.id());
            let found = kernel::processors_of(child.id()).unwrap().unwrap();
            child.kill().unwrap();
            child.wait().unwrap();
            found
        };
        let [first, second] = &halves.sets;
        let exchange = |pid| halves.exchange(pid, &root).unwrap();
        let gather = |pid| halves.gather(pid, 1, &root).unwrap();
        assert_eq!(&moved(first, &exchange), second);
        assert_eq!(moved(&topology.online, &exchange), topology.online);
        assert_eq!(&moved(first, &gather), second);
        assert_eq!(&moved(second, &gather), second, "it is there already");
        assert_eq!(moved(&topology.online, &gather), topology.online);
    }
}
