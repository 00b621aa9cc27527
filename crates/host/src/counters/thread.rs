//! Time that the threads of a process ran, and that they waited for a processor.

use crate::Root;
use std::collections::BTreeMap;

/// Times of each thread of a process since it started, from `/proc/PID/task/TID/schedstat`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadTimes(BTreeMap<u32, Times>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Times {
    ran_ns: u64,
    waited_ns: u64,
}

/// What threads did with some time, seconds, added up over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeShare {
    /// On a processor.
    pub ran_s: f64,
    /// Ready to run, and no processor was free.
    pub waited_s: f64,
}

impl ThreadTimes {
    /// Asks about the threads of the process `pid`, at most `limit` of them. None where the kernel
    /// does not account for it, the process has ended, or it has more threads than that.
    pub fn of(root: &Root, pid: u32, limit: usize) -> Option<Self> {
        let threads = root.names(format!("proc/{pid}/task"));
        if threads.is_empty() || threads.len() > limit {
            return None;
        }
        let times = |name: &String| {
            let text = root.text(format!("proc/{pid}/task/{name}/schedstat"))?;
            Some((name.parse().ok()?, parse(&text)?))
        };
        let all: BTreeMap<u32, Times> = threads.iter().filter_map(times).collect();
        (!all.is_empty()).then_some(Self(all))
    }

    /// What the threads of `whose` numbers did since `before`. A thread that was not there then
    /// has started since; what one did that has ended since is lost.
    pub fn since(&self, before: &Self, whose: impl Fn(u32) -> bool) -> TimeShare {
        let ours = self.0.iter().filter(|(tid, _)| whose(**tid));
        ours.fold(TimeShare::default(), |sum, (tid, now)| {
            let then = before.0.get(tid).copied().unwrap_or_default();
            // A number that is used again begins anew.
            let grown = |now: u64, then: u64| now.checked_sub(then).unwrap_or(now) as f64 / 1e9;
            TimeShare {
                ran_s: sum.ran_s + grown(now.ran_ns, then.ran_ns),
                waited_s: sum.waited_s + grown(now.waited_ns, then.waited_ns),
            }
        })
    }
}

/// Time run, time waited, and how often it was put on a processor.
fn parse(text: &str) -> Option<Times> {
    let mut words = text.split_whitespace();
    Some(Times { ran_ns: words.next()?.parse().ok()?, waited_ns: words.next()?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn times(threads: &[(u32, u64, u64)]) -> ThreadTimes {
        let of = |&(tid, ran_ns, waited_ns): &(u32, u64, u64)| (tid, Times { ran_ns, waited_ns });
        ThreadTimes(threads.iter().map(of).collect())
    }

    #[test]
    fn threads_that_came_count_whole_and_those_that_went_do_not() {
        let before = times(&[(1, 1_000_000_000, 0), (2, 5_000_000_000, 0)]);
        let after = times(&[(1, 1_500_000_000, 250_000_000), (3, 1_000_000_000, 0)]);
        let share = after.since(&before, |_| true);
        assert_eq!(share, TimeShare { ran_s: 1.5, waited_s: 0.25 });
        assert_eq!(after.since(&before, |tid| tid == 3).ran_s, 1.0);
    }

    #[test]
    fn a_process_with_too_many_threads_is_not_asked() {
        let root = Root::real();
        let pid = std::process::id();
        assert_eq!(ThreadTimes::of(&root, pid, 0), None);
        let times = ThreadTimes::of(&root, pid, 10_000).unwrap();
        assert!(times.since(&ThreadTimes::default(), |_| true).ran_s > 0.0);
    }

    proptest! {
        #[test]
        fn any_growth_is_finite_and_not_negative(
            a in any::<[u64; 2]>(), b in any::<[u64; 2]>(), text in "[0-9 ]{0,50}",
        ) {
            let share = times(&[(1, a[0], a[1])]).since(&times(&[(1, b[0], b[1])]), |_| true);
            prop_assert!(share.ran_s >= 0.0 && share.waited_s >= 0.0);
            let _answer = parse(&text);
        }
    }
}
