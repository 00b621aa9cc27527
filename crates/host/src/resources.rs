//! What a server may use of the machine, or of a part of it: the facts that sizing goes by.

mod disk;
mod probe;

pub use disk::{Disk, DiskKind};
pub use probe::{Probe, ProbeError, measure};

use crate::{cgroup, meminfo::field_bytes, root::Root, size::Size, topology::Topology};
use std::path::Path;

/// Files that a process may open where nothing tells: the kernel's own default.
const FILES_MAX_DEFAULT: u64 = 4096;

/// The capability to raise limits beyond their hard value (capabilities(7)).
const CAP_SYS_RESOURCE: u32 = 24;

/// Processors, memory, files and disk that there are for servers.
#[derive(Clone, Debug, PartialEq)]
pub struct Resources {
    /// Processors' worth of time.
    pub cpus: f64,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Memory that nobody uses at present or that can be had at once, bytes; never more than
    /// `memory_bytes`.
    pub available_bytes: u64,
    /// Whether nobody else lives on the memory: it is a limit, not a machine.
    pub is_limit: bool,
    /// Files that a process started by us may open.
    pub files_max: u64,
    /// The disk under the data.
    pub disk: Disk,
}

impl Resources {
    /// What there is on the machine at `root`, for data in `data` or what will be made there. The
    /// limits that we are under ourselves count.
    pub fn of(root: &Root, data: &Path) -> Self {
        let topology = Topology::of(root);
        let own = cgroup::own_limits(root);
        let online = topology.online.len() as f64;
        let total = topology.memory_bytes;
        let whole = Self {
            cpus: online,
            memory_bytes: total,
            available_bytes: available_bytes(root).unwrap_or(total).min(total),
            is_limit: false,
            files_max: files_max(root),
            disk: Disk::under(data, root),
        };
        whole.limited(&own)
    }

    /// What a server gets of it under limits.
    pub fn limited(mut self, size: &Size) -> Self {
        self.cpus = size.cpus.map_or(self.cpus, |cpus| cpus.min(self.cpus));
        if let Some(bytes) = size.memory_bytes.filter(|bytes| *bytes < self.memory_bytes) {
            self.memory_bytes = bytes;
            self.available_bytes = self.available_bytes.min(bytes);
            self.is_limit = true;
        }
        self
    }

    /// A share of it, such as a half for each of two servers; files are not shared, and the disk's
    /// speed and room are.
    ///
    /// `share` is above 0 and at most 1.
    pub fn share(mut self, share: f64) -> Self {
        let of = |bytes: u64| (bytes as f64 * share) as u64;
        self.cpus *= share;
        self.memory_bytes = of(self.memory_bytes);
        self.available_bytes = self.available_bytes.min(self.memory_bytes);
        self.disk = self.disk.share(share);
        self
    }
}

/// What can be had without swapping.
fn available_bytes(root: &Root) -> Option<u64> {
    field_bytes(&root.text("proc/meminfo")?, "MemAvailable")
}

/// Files that a process may open: our hard limit, or the kernel's for who may raise it.
fn files_max(root: &Root) -> u64 {
    let limits = root.text("proc/self/limits").unwrap_or_default();
    let hard = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let hard = hard.and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok());
    let hard: u64 = hard.unwrap_or(FILES_MAX_DEFAULT);
    let status = root.text("proc/self/status").unwrap_or_default();
    let capabilities = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let capabilities = capabilities.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
    let may_raise = capabilities.is_some_and(|all| all >> CAP_SYS_RESOURCE & 1 == 1);
    let kernel: Option<u64> = root.number("proc/sys/fs/nr_open");
    kernel.filter(|_| may_raise).unwrap_or(hard).max(hard)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::tree;

    fn machine(files: &[(&str, &str)]) -> Resources {
        let (_dir, root) = tree(files);
        Resources::of(&root, Path::new("/"))
    }

    const MACHINE: [(&str, &str); 4] = [
        ("sys/devices/system/cpu/online", "0-7\n"),
        ("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n"),
        ("proc/self/limits", "Limit Soft Hard\nMax open files      1024    20000    files\n"),
        ("proc/sys/fs/nr_open", "1048576\n"),
    ];

    #[test]
    fn a_machine_is_read_and_shared() {
        let whole = machine(&MACHINE);
        assert_eq!((whole.cpus, whole.memory_bytes), (8.0, 8 << 30));
        assert_eq!((whole.available_bytes, whole.files_max), (4 << 30, 20_000));
        let half = whole.clone().share(0.5);
        assert_eq!((half.cpus, half.memory_bytes), (4.0, 4 << 30));
        let size = Size { cpus: Some(2.0), memory_bytes: Some(1 << 30) };
        let sized = whole.clone().limited(&size);
        assert_eq!((sized.cpus, sized.memory_bytes, sized.is_limit), (2.0, 1 << 30, true));
        let beyond = Size { cpus: Some(99.0), memory_bytes: Some(1 << 40) };
        assert_eq!(whole.clone().limited(&beyond), whole, "a limit adds nothing");
    }

    #[test]
    fn who_may_raise_limits_is_bound_by_the_kernels() {
        let mut files = MACHINE.to_vec();
        files.push(("proc/self/status", "Name: x\nCapEff:\t000001ffffffffff\n"));
        assert_eq!(machine(&files).files_max, 1 << 20);
        files.pop();
        files.push(("proc/self/status", "CapEff:\t0000000000000000\n"));
        assert_eq!(machine(&files).files_max, 20_000);
    }

    #[test]
    fn limits_that_we_are_under_count() {
        let mut files = MACHINE.to_vec();
        files.extend([
            ("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("proc/self/cgroup", "0::/a\n"),
            ("sys/fs/cgroup/cgroup.controllers", "cpu memory\n"),
            ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/a/memory.max", "2147483648\n"),
        ]);
        let own = machine(&files);
        assert_eq!((own.cpus, own.memory_bytes, own.is_limit), (1.5, 2 << 30, true));
    }
}
