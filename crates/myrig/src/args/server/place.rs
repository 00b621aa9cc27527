//! What can be typed about the size and the place of an instance.

use super::super::bytes;
use crate::failure::Failure;
use clap::Args;
use host::{CpuSet, MemoryPolicy, Placement, Size, Topology};

/// How much of the machine an instance gets, and which part of it.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Size and place")]
pub(crate) struct PlaceArgs {
    /// Limit its processor time to so many processors' worth, 0.5 for half of one
    #[arg(long, value_name = "N")]
    pub(crate) cpus: Option<f64>,
    /// Limit its memory, page cache included
    #[arg(long, value_name = "SIZE", value_parser = bytes::parse)]
    pub(crate) memory: Option<u64>,
    /// Run on these processors only, such as 0-60 (as `numactl -C`)
    #[arg(long, value_name = "LIST", conflicts_with = "numa_node")]
    pub(crate) cpu_set: Option<CpuSet>,
    /// Take memory by this policy: bind:NODES, interleave:NODES or preferred:NODE
    #[arg(long, value_name = "POLICY", conflicts_with = "numa_node")]
    pub(crate) memory_policy: Option<MemoryPolicy>,
    /// Run on this NUMA node's processors, with its memory only (as `numactl -N n -m n`)
    #[arg(long, value_name = "NODE")]
    pub(crate) numa_node: Option<u32>,
}

impl PlaceArgs {
    /// The limits that were asked for over those there are; none where none were.
    pub(crate) fn size_over(&self, present: Size) -> Option<Size> {
        let given = self.cpus.is_some() || self.memory.is_some();
        given.then(|| Size {
            cpus: self.cpus.or(present.cpus),
            memory_bytes: self.memory.or(present.memory_bytes),
        })
    }

    /// The place that was asked for over the present one; none where none was.
    ///
    /// # Errors
    /// A NUMA node that this machine does not have.
    pub(crate) fn placement_over(
        &self,
        present: &Placement,
        topology: &Topology,
    ) -> Result<Option<Placement>, Failure> {
        if let Some(node) = self.numa_node {
            return Ok(Some(Placement::on_node(node, topology).map_err(Failure::usage)?));
        }
        let given = self.cpu_set.is_some() || self.memory_policy.is_some();
        Ok(given.then(|| Placement {
            cpus: self.cpu_set.clone().or_else(|| present.cpus.clone()),
            memory: self.memory_policy.clone().or_else(|| present.memory.clone()),
        }))
    }
}
