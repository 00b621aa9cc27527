//! Where a process runs: its processors, and the NUMA nodes that its memory comes from.
//!
//! Both are properties of a thread that its children inherit, through `exec` too. So a thread
//! places itself, starts the server, and nothing has to run inside the child before its program
//! does; it is what numactl(8) does in a process of its own.

mod halves;
mod kernel;

pub use halves::Halves;

use crate::{cpu_set::CpuSet, root::Root, topology::Topology};
use serde::{Deserialize, Serialize};
use std::{fmt, io, str::FromStr};

/// Where memory is allocated, in the kernel's terms (set_mempolicy(2)).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MemoryPolicy {
    /// On these nodes and no others (`numactl --membind`).
    Bind(CpuSet),
    /// Page by page in turn on these nodes (`numactl --interleave`).
    Interleave(CpuSet),
    /// On this node as long as it has room (`numactl --preferred`).
    Preferred(u32),
}

/// A text that is no memory policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no memory policy; there are bind:NODES, interleave:NODES and preferred:NODE, such \
     as interleave:0-3"
)]
pub struct MemoryPolicyError(String);

impl MemoryPolicy {
    /// The nodes it names.
    pub fn nodes(&self) -> CpuSet {
        match self {
            Self::Bind(nodes) | Self::Interleave(nodes) => nodes.clone(),
            // A set of one number is not empty.
            Self::Preferred(node) => CpuSet::of([*node]).expect("one node"),
        }
    }
}

impl FromStr for MemoryPolicy {
    type Err = MemoryPolicyError;

    fn from_str(text: &str) -> Result<Self, MemoryPolicyError> {
        let refuse = || MemoryPolicyError(text.to_owned());
        let (kind, nodes) = text.split_once(':').ok_or_else(refuse)?;
        let set = || nodes.parse::<CpuSet>().map_err(|_| refuse());
        match kind {
            "bind" => Ok(Self::Bind(set()?)),
            "interleave" => Ok(Self::Interleave(set()?)),
            "preferred" => Ok(Self::Preferred(nodes.trim().parse().map_err(|_| refuse())?)),
            _ => Err(refuse()),
        }
    }
}

impl fmt::Display for MemoryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bind(nodes) => write!(f, "bind:{nodes}"),
            Self::Interleave(nodes) => write!(f, "interleave:{nodes}"),
            Self::Preferred(node) => write!(f, "preferred:{node}"),
        }
    }
}

impl TryFrom<String> for MemoryPolicy {
    type Error = MemoryPolicyError;

    fn try_from(text: String) -> Result<Self, MemoryPolicyError> {
        text.parse()
    }
}

impl From<MemoryPolicy> for String {
    fn from(policy: MemoryPolicy) -> Self {
        policy.to_string()
    }
}

/// Where a process is to run. What is none is left as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// The processors that it may run on (`numactl --physcpubind`).
    #[serde(default)]
    pub cpus: Option<CpuSet>,
    /// Where its memory comes from.
    #[serde(default)]
    pub memory: Option<MemoryPolicy>,
}

/// A placement that this machine has no room for, or that was not kept to.
#[derive(Debug, thiserror::Error)]
pub enum PlacementError {
    /// Processors that are not there, or not online.
    #[error("processors {missing} do not exist here; online are {online}")]
    NoCpus {
        /// Those that were asked for in vain.
        missing: CpuSet,
        /// Those that are.
        online: CpuSet,
    },
    /// NUMA nodes that are not there.
    #[error("NUMA node {missing} does not exist here; there are {present}")]
    NoNodes {
        /// Those that were asked for in vain.
        missing: CpuSet,
        /// Those that are.
        present: CpuSet,
    },
    /// A node of memory alone, where processors are wanted.
    #[error("NUMA node {0} has no processors that are online")]
    NodeWithoutCpus(u32),
    /// The kernel says no.
    #[error("the kernel refuses to place the server on {what}: {source}")]
    Refused {
        /// What it was to be placed on.
        what: String,
        /// Why not.
        source: io::Error,
    },
    /// A thread runs elsewhere.
    #[error("a thread of process {pid} may run on {found} instead of {wanted}")]
    NotKept {
        /// The process.
        pid: u32,
        /// Where it may run.
        found: String,
        /// Where it should.
        wanted: CpuSet,
    },
}

impl Placement {
    /// Whether anything is asked for.
    pub fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// On the processors of a node and with its memory only (`numactl -N n -m n`).
    ///
    /// # Errors
    /// There is no such node, or it has no processors.
    pub fn on_node(number: u32, topology: &Topology) -> Result<Self, PlacementError> {
        let nodes = CpuSet::of([number]);
        let placement = Self { cpus: None, memory: nodes.map(MemoryPolicy::Bind) };
        placement.check(topology)?;
        let cpus = topology.node(number).and_then(|node| node.cpus.clone());
        let cpus = cpus.ok_or(PlacementError::NodeWithoutCpus(number))?;
        Ok(Self { cpus: Some(cpus), ..placement })
    }

    /// Refuses processors and nodes that this machine does not have.
    ///
    /// # Errors
    /// The first that is missing.
    pub fn check(&self, topology: &Topology) -> Result<(), PlacementError> {
        if let Some(missing) = self.cpus.as_ref().and_then(|cpus| cpus.without(&topology.online)) {
            return Err(PlacementError::NoCpus { missing, online: topology.online.clone() });
        }
        let Some(policy) = &self.memory else { return Ok(()) };
        let present = CpuSet::of(topology.nodes.iter().map(|node| node.number));
        // A topology has a node at least.
        let Some(present) = present else { return Ok(()) };
        match policy.nodes().without(&present) {
            Some(missing) => Err(PlacementError::NoNodes { missing, present }),
            None => Ok(()),
        }
    }

    /// Places the calling thread; what it starts from now on inherits that.
    ///
    /// # Errors
    /// The kernel refuses, because the thread is confined to other processors already, or because
    /// it knows no NUMA.
    pub fn take(&self) -> Result<(), PlacementError> {
        if let Some(cpus) = &self.cpus {
            let refused =
                |source| PlacementError::Refused { what: format!("processors {cpus}"), source };
            kernel::run_on(cpus).map_err(refused)?;
        }
        if let Some(policy) = &self.memory {
            let refused =
                |source| PlacementError::Refused { what: format!("memory {policy}"), source };
            kernel::allocate_from(policy).map_err(refused)?;
        }
        Ok(())
    }

    /// Sees to it that every thread of a process keeps to its processors.
    ///
    /// # Errors
    /// One does not.
    pub fn is_kept_by(&self, pid: u32, root: &Root) -> Result<(), PlacementError> {
        let Some(wanted) = &self.cpus else { return Ok(()) };
        for thread in root.names(format!("proc/{pid}/task")) {
            // A thread may end between the two looks.
            let Some(status) = root.text(format!("proc/{pid}/task/{thread}/status")) else {
                continue;
            };
            let found = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
            let found = found.unwrap_or_default().trim();
            if found.parse() != Ok(wanted.clone()) {
                let (found, wanted) = (found.to_owned(), wanted.clone());
                return Err(PlacementError::NotKept { pid, found, wanted });
            }
        }
        Ok(())
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cpus = self.cpus.as_ref().map(|cpus| format!("processors {cpus}"));
        let memory = self.memory.as_ref().map(|policy| format!("memory {policy}"));
        let parts: Vec<String> = cpus.into_iter().chain(memory).collect();
        match parts.is_empty() {
            true => f.write_str("anywhere"),
            false => f.write_str(&parts.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests;
