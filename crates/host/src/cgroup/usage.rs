//! What a group has used.

use crate::root::Root;
use std::path::Path;

/// What the processes of a group have used since it was made. What the kernel does not tell, or
/// is not limited, is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Processor time, seconds.
    pub cpu_s: Option<f64>,
    /// Periods of the processor limit in which something wanted to run.
    pub periods: Option<u64>,
    /// Those of them in which it was held back.
    pub throttled_periods: Option<u64>,
    /// How long threads were held back, seconds, all processors added up.
    pub throttled_s: Option<f64>,
    /// Memory now, bytes, page cache included.
    pub memory_bytes: Option<u64>,
    /// Memory at most, bytes; Linux 5.19 and later, or version 1.
    pub memory_peak_bytes: Option<u64>,
    /// Processes that the kernel has killed for want of memory.
    pub oom_kills: Option<u64>,
}

impl Usage {
    /// The share of periods in which the group was held back, 0 to 1.
    pub fn throttled_share(&self) -> Option<f64> {
        match (self.throttled_periods?, self.periods?) {
            (_, 0) => Some(0.0),
            (throttled, all) => Some(throttled as f64 / all as f64),
        }
    }

    pub(super) fn add_cpu(&mut self, dir: &Path, root: &Root) {
        let stat = root.text(dir.join("cpu.stat")).unwrap_or_default();
        let usage_us = field(&stat, "usage_usec");
        self.cpu_s = self.cpu_s.or(usage_us.map(|us| us as f64 / 1e6));
        self.periods = field(&stat, "nr_periods");
        self.throttled_periods = field(&stat, "nr_throttled");
        // Microseconds in version 2, nanoseconds in version 1.
        let throttled_us = field(&stat, "throttled_usec").map(|us| us as f64 / 1e6);
        let throttled_ns = || field(&stat, "throttled_time").map(|ns| ns as f64 / 1e9);
        self.throttled_s = throttled_us.or_else(throttled_ns);
    }

    /// Version 1 accounts for processor time in a controller of its own.
    pub(super) fn add_accounting(&mut self, dir: &Path, root: &Root) {
        let usage_ns: Option<u64> = root.number(dir.join("cpuacct.usage"));
        self.cpu_s = self.cpu_s.or(usage_ns.map(|ns| ns as f64 / 1e9));
    }

    pub(super) fn add_memory(&mut self, dir: &Path, root: &Root) {
        let number = |names: [&str; 2]| names.iter().find_map(|name| root.number(dir.join(name)));
        self.memory_bytes = number(["memory.current", "memory.usage_in_bytes"]);
        self.memory_peak_bytes = number(["memory.peak", "memory.max_usage_in_bytes"]);
        let events = ["memory.events", "memory.oom_control"];
        let events = events.iter().find_map(|name| root.text(dir.join(name)));
        self.oom_kills = field(&events.unwrap_or_default(), "oom_kill");
    }
}

/// The value of a line such as `nr_periods 12`.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let (found, value) = line.split_once(' ')?;
        (found == name).then(|| value.trim().parse().ok())?
    })
}
