//! Network cards and their interrupts.

use crate::{CpuSet, Root, Topology};

/// A network interface with hardware, or a virtual machine's share of it, behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nic {
    /// Its name: `eth0`.
    pub name: String,
    /// Receive queues.
    pub rx_queues: usize,
    /// Transmit queues.
    pub tx_queues: usize,
    /// The NUMA node that it is attached to, where it tells.
    pub node: Option<u32>,
    /// The interrupts of its queues, in the order of their numbers.
    pub interrupts: Vec<Interrupt>,
}

/// An interrupt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// Its number.
    pub number: u32,
    /// What the driver calls it: `enp4s0-TxRx-0`.
    pub action: String,
    /// Processors that may be interrupted, where the kernel tells.
    pub affinity: Option<CpuSet>,
}

/// Parts of an action's name that say that it serves the card, not a queue.
const NO_QUEUE: &[&str] = &[
    "config", "control", "event", "misc", "async", "mbox", "mailbox", "adminq", "mgmnt", "-aeq",
    "other", "link", "fw",
];

impl Nic {
    /// Names of the interfaces that have a device behind them.
    pub fn names(root: &Root) -> Vec<String> {
        let names = root.names("sys/class/net").into_iter();
        names.filter(|name| root.path(format!("sys/class/net/{name}/device")).is_dir()).collect()
    }

    /// The interface of that name; none where there is no such one.
    pub fn of(root: &Root, name: &str) -> Option<Self> {
        let home = format!("sys/class/net/{name}");
        // A name comes from outside, and must stay inside the directory.
        let plain = !name.is_empty() && !name.contains('/') && name != "." && name != "..";
        if !plain || !root.path(&home).is_dir() {
            return None;
        }
        let queues = root.names(format!("{home}/queues"));
        let count = |kind: &str| queues.iter().filter(|queue| queue.starts_with(kind)).count();
        let node = root.number::<i64>(format!("{home}/device/numa_node"));
        let node = node.or_else(|| root.number(format!("{home}/device/../numa_node")));
        Some(Self {
            name: name.to_owned(),
            rx_queues: count("rx-"),
            tx_queues: count("tx-"),
            // The kernel says -1 where the firmware does not tell.
            node: node.and_then(|node| u32::try_from(node).ok()),
            interrupts: interrupts(root, name, &home),
        })
    }

    /// Processors that suit its interrupts: online, apart from the server's, those of its own node
    /// first. Empty where the server has them all.
    pub fn suitable(&self, topology: &Topology, server: Option<&CpuSet>) -> Vec<u32> {
        let is_free = |cpu: &u32| server.is_none_or(|server| !server.contains(*cpu));
        let mut free: Vec<u32> = topology.online.iter().filter(is_free).collect();
        let near = self.node.and_then(|node| topology.node(node)?.cpus.as_ref());
        // The order among the near, and among the far, stays.
        free.sort_by_key(|cpu| near.is_some_and(|near| !near.contains(*cpu)));
        free
    }
}

/// Deals processors to so many interrupts, one each, in turns.
pub(crate) fn dealt(interrupts: usize, cpus: &[u32]) -> Vec<u32> {
    cpus.iter().copied().cycle().take(interrupts).collect()
}

/// The interrupts of an interface's queues: those of its device's messages, or named after it.
fn interrupts(root: &Root, name: &str, home: &str) -> Vec<Interrupt> {
    // The device of a virtio card is a child of the one that has the interrupts.
    let mut messages: Vec<u32> = Vec::new();
    for path in [format!("{home}/device/msi_irqs"), format!("{home}/device/../msi_irqs")] {
        messages.extend(root.names(path).iter().filter_map(|name| name.parse::<u32>().ok()));
    }
    let text = root.text("proc/interrupts").unwrap_or_default();
    let mut found: Vec<Interrupt> = Vec::new();
    for (number, action) in actions(&text) {
        let is_ours = messages.contains(&number) || is_named_after(action, name);
        let serves_a_queue = !NO_QUEUE.iter().any(|word| action.contains(word));
        if is_ours && serves_a_queue && found.iter().all(|known| known.number != number) {
            let affinity = root.text(format!("proc/irq/{number}/smp_affinity_list"));
            let affinity = affinity.and_then(|text| text.parse().ok());
            found.push(Interrupt { number, action: action.to_owned(), affinity });
        }
    }
    found.sort_by_key(|interrupt| interrupt.number);
    found
}

/// Number and last word of each line of `/proc/interrupts` that has a number.
fn actions(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.lines().filter_map(|line| {
        let (number, rest) = line.split_once(':')?;
        Some((number.trim().parse().ok()?, rest.split_whitespace().next_back()?))
    })
}

/// `eth1` is not the card of `eth10-TxRx-0`.
fn is_named_after(action: &str, name: &str) -> bool {
    let whole = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
    action.match_indices(name).any(|(at, _)| {
        whole(action[..at].chars().next_back()) && whole(action[at + name.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::tree;
    use proptest::prelude::*;

    const INTERRUPTS: &str = "           CPU0       CPU1\n\
 24:          1          0  IO-APIC   5-edge      ACPI:Ged\n\
 39:          0          1  PCI-MSIX-0000:00:03.0   0-edge      enp4s0-config\n\
 40:          0          1  PCI-MSIX-0000:00:03.0   1-edge      enp4s0-TxRx-0\n\
 41:          9          0  PCI-MSIX-0000:00:03.0   2-edge      mlx5_comp1@pci:0000:00:03.0\n\
 42:          9          0  PCI-MSIX-0000:00:05.0   2-edge      enp4s01-TxRx-0\n\
LOC:    8564315    8236817   Local timer interrupts\n";

    fn machine() -> (tempfile::TempDir, Root) {
        tree(&[
            ("proc/interrupts", INTERRUPTS),
            ("proc/irq/40/smp_affinity_list", "0-3"),
            ("sys/class/net/enp4s0/device/msi_irqs/39", "msix"),
            ("sys/class/net/enp4s0/device/msi_irqs/41", "msix"),
            ("sys/class/net/enp4s0/device/numa_node", "1"),
            ("sys/class/net/enp4s0/queues/rx-0/rps_cpus", "0"),
            ("sys/class/net/enp4s0/queues/tx-0/xps_cpus", "0"),
            ("sys/class/net/enp4s0/queues/tx-1/xps_cpus", "0"),
            ("sys/class/net/lo/mtu", "65536"),
            ("sys/devices/system/cpu/online", "0-7"),
            ("sys/devices/system/node/node0/cpulist", "0-3"),
            ("sys/devices/system/node/node1/cpulist", "4-7"),
        ])
    }

    #[test]
    fn a_card_has_queues_a_node_and_the_interrupts_of_its_queues() {
        let (_dir, root) = machine();
        assert_eq!(Nic::names(&root), ["enp4s0"], "lo has no device");
        let nic = Nic::of(&root, "enp4s0").unwrap();
        assert_eq!((nic.rx_queues, nic.tx_queues, nic.node), (1, 2, Some(1)));
        let numbers: Vec<_> = nic.interrupts.iter().map(|irq| irq.number).collect();
        assert_eq!(numbers, [40, 41], "no configuration, no other card");
        assert_eq!(nic.interrupts[0].affinity.as_ref().unwrap().to_string(), "0-3");
        for name in ["eth9", "", "..", "a/b"] {
            assert_eq!(Nic::of(&root, name), None);
        }
    }

    #[test]
    fn interrupts_go_apart_from_the_server_and_near_the_card() {
        let (_dir, root) = machine();
        let (nic, topology) = (Nic::of(&root, "enp4s0").unwrap(), Topology::of(&root));
        let suitable = |server: &str| {
            let server: CpuSet = server.parse().unwrap();
            nic.suitable(&topology, Some(&server))
        };
        assert_eq!(nic.suitable(&topology, None), [4, 5, 6, 7, 0, 1, 2, 3]);
        assert_eq!(suitable("0,4"), [5, 6, 7, 1, 2, 3]);
        assert_eq!(suitable("2-7"), [0, 1], "its own node is taken");
        assert_eq!(suitable("0-7"), [0; 0]);
        assert_eq!(dealt(5, &[61, 62, 63]), [61, 62, 63, 61, 62]);
        assert_eq!(dealt(2, &[61, 62, 63]), [61, 62]);
        assert_eq!(dealt(2, &[]), [0; 0]);
    }

    proptest! {
        #[test]
        fn any_table_of_interrupts_gives_an_answer(text in "[0-9a-z: \\n-]{0,80}") {
            let _all: Vec<_> = actions(&text).collect();
        }
    }
}
