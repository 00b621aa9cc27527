//! The process that writes a feed, and whether it is still there.

use host::{ProcessStat, Root};
use serde::{Deserialize, Serialize};

/// A process: its number, and when it started, since numbers are given anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Writer {
    /// Its number.
    pub(crate) pid: u32,
    /// When it started, clock ticks since the machine did; 0 where that cannot be known.
    pub(crate) pid_start: u64,
}

impl Writer {
    /// Who calls.
    pub(crate) fn this_process() -> Self {
        let pid = std::process::id();
        Self { pid, pid_start: start_ticks(&Root::real(), pid).unwrap_or_default() }
    }

    /// Whether it still runs.
    pub(crate) fn is_alive(self) -> bool {
        start_ticks(&Root::real(), self.pid) == Some(self.pid_start)
    }
}

/// Field 22 of proc_pid_stat(5); none where there is no such process, or only its remains.
fn start_ticks(root: &Root, pid: u32) -> Option<u64> {
    let line = root.text(format!("proc/{pid}/stat"))?;
    let stat = ProcessStat::parse(&line)?;
    if matches!(stat.state(), Some('Z' | 'X')) {
        return None;
    }
    stat.number(22)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_was_given_anew_is_another_process() {
        let own = Writer::this_process();
        assert!(own.is_alive() && own.pid_start > 0);
        assert!(!Writer { pid_start: own.pid_start - 1, ..own }.is_alive());
        assert!(!Writer { pid: u32::MAX, ..own }.is_alive());
    }
}
