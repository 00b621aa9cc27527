//! The machine: what it is, what bears on a database benchmark, and how to change it and back.
//!
//! # Layers
//! - [`root`]: the directory tree that the machine is read from and changed through.
//! - [`CpuSet`] and [`Topology`]: processors, NUMA nodes and their memory. [`Size`] and
//!   [`Placement`]: how much of them a process gets, and which. [`cgroup`]: how a size is held.
//! - [`disks_of`], [`Nic`]: the disks under a directory, the interrupts of a network card.
//! - [`check`]: what bears on a benchmark, with advice and sources.
//! - [`tuning`] and [`profile`]: changing what bears on a benchmark, with a journal and a way back.
//! - [`resources`]: how much of all this there is for servers, with a measured disk.
//! - [`storage`]: devices and file systems, filling and formatting them.
//! - [`page_cache`]: what of a file lies in memory, and how to have none or all of it there.
//! - [`counters`]: what machine, processes and threads have done so far; [`ProcessStat`].
//!
//! # What holds
//! - Everything is read from and written to a [`Root`], which is `/` for the real machine and a
//!   directory that a test has made otherwise. What cannot be a file (affinity, memory policy) is
//!   apart, and small.
//! - What this kernel or machine lacks is an answer of its own, never a silent nothing.
//!
//! Nothing here knows of servers or loads, prints, or reads the environment.

mod bytes;
pub mod cgroup;
pub mod check;
pub mod counters;
mod cpu_set;
mod disks;
mod meminfo;
mod nic;
pub mod page_cache;
mod placement;
mod process_stat;
pub mod profile;
pub mod resources;
pub mod root;
mod size;
pub mod storage;
#[cfg(test)]
mod testing;
mod topology;
pub mod tuning;

pub use bytes::Bytes;
pub use cpu_set::{CpuSet, CpuSetError};
pub use disks::{disks_of, mount_of};
pub use nic::{Interrupt, Nic};
pub use placement::{Halves, MemoryPolicy, MemoryPolicyError, Placement, PlacementError};
pub use process_stat::ProcessStat;
pub use resources::Resources;
pub use root::Root;
pub use size::{Size, SizeError};
pub use topology::{Node, Topology};
