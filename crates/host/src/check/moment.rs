//! What the processors and the processes have done so far, at one moment.

use crate::Root;
use std::collections::BTreeMap;

/// What the processors and the processes had done at one moment, in ticks of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// All processors together; 0 where the machine does not tell.
    total: u64,
    /// What the hypervisor gave to others meanwhile.
    steal: u64,
    /// Name and ticks of each process.
    processes: BTreeMap<u32, (String, u64)>,
}

impl Moment {
    /// Reads the machine at `root`, see proc_stat(5) and proc_pid_stat(5).
    pub fn of(root: &Root) -> Self {
        let stat = root.text("proc/stat").unwrap_or_default();
        let line = stat.lines().find_map(|line| line.strip_prefix("cpu ")).unwrap_or("");
        // Guests' time, after the eighth, is contained in the first two.
        let ticks: Vec<u64> =
            line.split_whitespace().take(8).filter_map(|word| word.parse().ok()).collect();
        let pids = root.names("proc").into_iter().filter_map(|name| name.parse::<u32>().ok());
        let process = |pid| Some((pid, process(&root.text(format!("proc/{pid}/stat"))?)?));
        Self {
            total: ticks.iter().sum(),
            steal: ticks.get(7).copied().unwrap_or(0),
            processes: pids.filter_map(process).collect(),
        }
    }

    /// The share of the processors' time since `before` that the hypervisor gave to others, from
    /// 0 to 1; none where no time has passed.
    pub fn stolen_since(&self, before: &Self) -> Option<f64> {
        let total = self.total.checked_sub(before.total).filter(|total| *total > 0)?;
        Some(self.steal.saturating_sub(before.steal) as f64 / total as f64)
    }

    /// Processors that each process has used since `before`, the busiest first; of `cpus` that
    /// there are.
    pub fn busy_since(&self, before: &Self, cpus: usize) -> Vec<(u32, &str, f64)> {
        let total = self.total.saturating_sub(before.total).max(1) as f64;
        let mut busy: Vec<(u32, &str, f64)> = Vec::new();
        for (pid, (name, ticks)) in &self.processes {
            let so_far = before.processes.get(pid).map_or(*ticks, |(_, ticks)| *ticks);
            let used = ticks.saturating_sub(so_far) as f64 / total * cpus as f64;
            busy.push((*pid, name, used));
        }
        busy.sort_by(|one, other| other.2.total_cmp(&one.2));
        busy
    }

    /// Whether a process of that name is there.
    pub fn has_process(&self, name: &str) -> bool {
        self.processes.values().any(|(known, _)| known == name)
    }
}

/// Name, and ticks in user and system mode. A name may hold blanks and brackets.
fn process(stat: &str) -> Option<(String, u64)> {
    let (_, rest) = stat.split_once('(')?;
    let (name, rest) = rest.rsplit_once(')')?;
    let mut ticks = rest.split_whitespace().skip(11).map(str::parse::<u64>);
    let (user, system) = (ticks.next()?.ok()?, ticks.next()?.ok()?);
    Some((name.to_owned(), user.saturating_add(system)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::tree;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn any_line_gives_an_answer(line in "[0-9() a-z-]{0,60}") {
            let _answer = process(&line);
        }
    }
}
