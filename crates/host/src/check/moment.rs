//! What the processors and the processes have done so far, at one moment.

use crate::{ProcessStat, Root, counters::Processors};
use std::collections::BTreeMap;

/// What the processors and the processes had done at one moment, in ticks of the kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// All processors together; 0 where the machine does not tell.
    processors: Processors,
    /// Name and ticks of each process.
    processes: BTreeMap<u32, (String, u64)>,
}

impl Moment {
    /// Reads the machine at `root`, see proc_stat(5) and proc_pid_stat(5).
    pub fn of(root: &Root) -> Self {
        let pids = root.names("proc").into_iter().filter_map(|name| name.parse::<u32>().ok());
        let process = |pid| {
            let stat = root.text(format!("proc/{pid}/stat"))?;
            let stat = ProcessStat::parse(&stat)?;
            Some((pid, (stat.name.to_owned(), stat.cpu_ticks()?)))
        };
        Self {
            // One tick a second leaves ticks as they are.
            processors: Processors::of(root, 1.0).unwrap_or_default(),
            processes: pids.filter_map(process).collect(),
        }
    }

    /// The share of the processors' time since `before` that the hypervisor gave to others, from
    /// 0 to 1; none where no time has passed.
    pub fn stolen_since(&self, before: &Self) -> Option<f64> {
        let total = Some(self.ticks_since(before)).filter(|total| *total > 0.0)?;
        Some((self.processors.steal_s - before.processors.steal_s).max(0.0) / total)
    }

    /// Processors that each process has used since `before`, the busiest first; of `cpus` that
    /// there are.
    pub fn busy_since(&self, before: &Self, cpus: usize) -> Vec<(u32, &str, f64)> {
        let total = self.ticks_since(before).max(1.0);
        let mut busy: Vec<(u32, &str, f64)> = Vec::new();
        for (pid, (name, ticks)) in &self.processes {
            let so_far = before.processes.get(pid).map_or(*ticks, |(_, ticks)| *ticks);
            let used = ticks.saturating_sub(so_far) as f64 / total * cpus as f64;
            busy.push((*pid, name, used));
        }
        busy.sort_by(|one, other| other.2.total_cmp(&one.2));
        busy
    }

    fn ticks_since(&self, before: &Self) -> f64 {
        self.processors.total_s() - before.processors.total_s()
    }

    /// Whether a process of that name is there.
    pub fn has_process(&self, name: &str) -> bool {
        self.processes.values().any(|(known, _)| known == name)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::tree;

    #[test]
    fn shares_are_of_the_time_between_two_moments() {
        let at = |user: u64, steal: u64, process: u64| {
            let stat = format!("cpu  {user} 0 100 800 0 0 0 {steal} 7 7\ncpu0 1 1\n");
            let of = format!("7 (my (odd) sqld) S 1 1 1 0 -1 0 0 0 0 0 {process} 5 0 0 20\n");
            let (_dir, root) = tree(&[("proc/stat", &stat), ("proc/7/stat", &of)]);
            Moment::of(&root)
        };
        let (before, after) = (at(100, 0, 10), at(170, 30, 35));
        assert_eq!(after.stolen_since(&before), Some(0.3));
        assert_eq!(after.busy_since(&before, 4), [(7, "my (odd) sqld", 1.0)]);
        assert!(after.has_process("my (odd) sqld"));
        assert_eq!(before.stolen_since(&before), None);
        assert_eq!(Moment::default().stolen_since(&after), None);
    }
}
