//! Looking at what the sessions' threads wait for, many times a second.

use super::{class::Class, session::class};
use host::{Root, counters::Activity};
use std::time::Duration;

/// Between two looks, where there are few sessions: no divisor of a second, lest a load that beats
/// in time is always seen at the same moment.
const PERIOD: Duration = Duration::from_millis(97);
/// A look at a thread takes about five microseconds of a processor: with more sessions there are
/// fewer looks, so that all of them stay below a percent of it.
const PERIOD_PER_SESSION: Duration = Duration::from_millis(1);

/// What is looked at.
#[derive(Clone, Debug)]
pub(super) struct Looker {
    pub(super) root: Root,
    /// The server's process.
    pub(super) pid: u32,
    /// The path of its binary logs without their numbers.
    pub(super) binlog: Option<String>,
}

/// Looks since somebody took them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Looks {
    sums: [f64; Class::ALL.len()],
    looks: f64,
}

impl Looker {
    /// How long to wait after a look at so many sessions.
    pub(super) fn period(sessions: usize) -> Duration {
        PERIOD.max(PERIOD_PER_SESSION * u32::try_from(sessions).unwrap_or(u32::MAX))
    }

    /// Looks once at the threads of all sessions; one that has ended is in no class.
    pub(super) fn look(&self, threads: &[u32], looks: &mut Looks) {
        let mut seen = false;
        for thread in threads {
            if let Some(activity) = Activity::of(&self.root, self.pid, *thread) {
                looks.sums[class(&activity, self.binlog.as_deref()).index()] += 1.0;
                seen = true;
            }
        }
        looks.looks += f64::from(u8::from(seen));
    }
}

impl Looks {
    /// The mean number of sessions in each class; none where nobody was seen.
    pub(super) fn mean(&self) -> Option<[f64; Class::ALL.len()]> {
        (self.looks > 0.0).then(|| self.sums.map(|sum| sum / self.looks))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    #[test]
    fn sessions_are_counted_by_class_look_by_look() {
        let dir = tempfile::tempdir().unwrap();
        for (thread, syscall) in [(1, "running"), (2, "-1 0x0"), (3, "running")] {
            let task = dir.path().join(format!("proc/42/task/{thread}"));
            fs::create_dir_all(&task).unwrap();
            fs::write(task.join("syscall"), syscall).unwrap();
        }
        let looker = Looker { root: Root::at(dir.path()), pid: 42, binlog: None };
        let mut looks = Looks::default();
        looker.look(&[1, 2, 3, 99], &mut looks);
        looker.look(&[1, 2], &mut looks);
        let mean = looks.mean().unwrap();
        assert_eq!(mean[Class::Processor.index()], 1.5);
        assert_eq!(mean[Class::Other.index()], 1.0);
        let mut none = Looks::default();
        looker.look(&[99], &mut none);
        assert_eq!(none.mean(), None);
    }

    #[test]
    fn the_more_sessions_the_fewer_looks() {
        assert_eq!(Looker::period(16), PERIOD);
        assert_eq!(Looker::period(1000), Duration::from_secs(1));
    }
}
