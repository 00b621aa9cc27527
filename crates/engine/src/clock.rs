//! Time for the workers of one thread: reading it, and waiting precisely for a moment of it.
//!
//! The runtime's own timers are a millisecond coarse, and all of that would show as queue time.
//! Here one timer of the kernel a thread is armed for the earliest sleeper, and rings to the
//! microsecond. In tests the clock is simulated: time stands still while any task can run, then
//! jumps to the earliest sleeper, exact to the nanosecond.

use std::{
    cell::{Cell, RefCell},
    cmp::Reverse,
    collections::BinaryHeap,
    future::{Future, poll_fn},
    task::{Poll, Waker},
    time::Duration,
};

mod alarm;
use alarm::Alarm;

/// `duration` in nanoseconds; centuries are cut to the largest number.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The clock of one thread. All times are nanoseconds since an epoch that the threads share.
pub(crate) struct Clock {
    source: Source,
    sleepers: RefCell<BinaryHeap<Reverse<Sleeper>>>,
    next_sequence: Cell<u64>,
}

enum Source {
    Real(Alarm),
    #[cfg(test)]
    Simulated(Cell<u64>),
}

struct Sleeper {
    at_ns: u64,
    /// Keeps sleepers of one moment in the order they went to sleep.
    sequence: u64,
    waker: Waker,
}

impl Clock {
    /// A clock that tells the time since `epoch`. Must be made inside the runtime of the thread
    /// that will use it. Fails where the kernel refuses a timer (too many open files).
    pub(crate) fn real(epoch: std::time::Instant) -> std::io::Result<Self> {
        Ok(Self::new(Source::Real(Alarm::new(epoch)?)))
    }

    /// A clock at zero for a paused runtime.
    #[cfg(test)]
    pub(crate) fn simulated() -> Self {
        Self::new(Source::Simulated(Cell::new(0)))
    }

    fn new(source: Source) -> Self {
        Self { source, sleepers: RefCell::default(), next_sequence: Cell::new(0) }
    }

    /// The time.
    pub(crate) fn now_ns(&self) -> u64 {
        match &self.source {
            Source::Real(alarm) => alarm.now_ns(),
            #[cfg(test)]
            Source::Simulated(now_ns) => now_ns.get(),
        }
    }

    /// Waits until `at_ns`; not at all when that is past.
    pub(crate) fn sleep_until(&self, at_ns: u64) -> impl Future<Output = ()> {
        self.sleep_unless(at_ns, || false)
    }

    /// Waits until `at_ns`, or until `cut` is set and [`Self::wake_all`] is called.
    pub(crate) fn pause_until(&self, at_ns: u64, cut: &Cell<bool>) -> impl Future<Output = ()> {
        self.sleep_unless(at_ns, || cut.get())
    }

    fn sleep_unless(&self, at_ns: u64, cut: impl Fn() -> bool) -> impl Future<Output = ()> {
        poll_fn(move |context| {
            if self.now_ns() >= at_ns || cut() {
                return Poll::Ready(());
            }
            let sequence = self.next_sequence.get();
            self.next_sequence.set(sequence + 1);
            let waker = context.waker().clone();
            self.sleepers.borrow_mut().push(Reverse(Sleeper { at_ns, sequence, waker }));
            self.arm(at_ns);
            Poll::Pending
        })
    }

    /// Wakes every sleeper, so that cut pauses end. The others go back to sleep.
    pub(crate) fn wake_all(&self) {
        let sleepers = std::mem::take(&mut *self.sleepers.borrow_mut());
        for Reverse(sleeper) in sleepers.into_sorted_vec().into_iter().rev() {
            sleeper.waker.wake();
        }
    }

    /// Rings for the sleepers, for ever. One task a clock must run it.
    pub(crate) async fn drive(&self) {
        loop {
            match &self.source {
                Source::Real(alarm) => alarm.rung().await,
                #[cfg(test)]
                Source::Simulated(now_ns) => self.jump(now_ns).await,
            }
            self.wake_due();
            if let Some(at_ns) = self.earliest_ns() {
                self.arm(at_ns);
            }
        }
    }

    fn arm(&self, at_ns: u64) {
        match &self.source {
            Source::Real(alarm) => alarm.ring_no_later_than(at_ns),
            // A simulated clock looks for the earliest sleeper when it jumps.
            #[cfg(test)]
            Source::Simulated(_) => {}
        }
    }

    fn earliest_ns(&self) -> Option<u64> {
        self.sleepers.borrow().peek().map(|Reverse(sleeper)| sleeper.at_ns)
    }

    fn wake_due(&self) {
        let now_ns = self.now_ns();
        while self.earliest_ns().is_some_and(|at_ns| at_ns <= now_ns) {
            // Popped in a statement of its own: a waker may drop a task that sleeps here too.
            let popped = self.sleepers.borrow_mut().pop();
            if let Some(Reverse(sleeper)) = popped {
                sleeper.waker.wake();
            }
        }
    }

    /// Waits until no task can run, then moves the time to the earliest sleeper. A paused runtime
    /// lets its own sleeps end only when it is idle, which is used to learn that it is.
    #[cfg(test)]
    async fn jump(&self, now_ns: &Cell<u64>) {
        let mut idle_turns = 0;
        loop {
            tokio::time::sleep(Duration::from_millis(1)).await;
            if let Some(at_ns) = self.earliest_ns() {
                return now_ns.set(at_ns.max(now_ns.get()));
            }
            idle_turns += 1;
            assert!(idle_turns < 1000, "the simulation waits for something that never comes");
        }
    }
}

impl PartialEq for Sleeper {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Sleeper {}

impl PartialOrd for Sleeper {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Sleeper {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at_ns, self.sequence).cmp(&(other.at_ns, other.sequence))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::{rc::Rc, time::Instant};
    use tokio::{runtime, task};

    /// Runs on one thread beside the driver of the clock.
    fn with<T>(
        clock: impl FnOnce() -> Clock,
        paused: bool,
        test: impl AsyncFnOnce(Rc<Clock>) -> T,
    ) -> T {
        let mut runtime = runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(paused).build().unwrap();
        task::LocalSet::new().block_on(&runtime, async {
            let clock = Rc::new(clock());
            let driven = Rc::clone(&clock);
            task::spawn_local(async move { driven.drive().await });
            test(clock).await
        })
    }

    /// Starts a sleeper for each of the times; returns them in the order in which they woke, with
    /// the times on the clock then.
    async fn wake_order(clock: &Rc<Clock>, times_ns: &[u64]) -> Vec<(usize, u64)> {
        let woken = Rc::new(RefCell::new(Vec::new()));
        let sleepers: Vec<_> = times_ns
            .iter()
            .enumerate()
            .map(|(index, at_ns)| {
                let (clock, woken, at_ns) = (Rc::clone(clock), Rc::clone(&woken), *at_ns);
                task::spawn_local(async move {
                    clock.sleep_until(at_ns).await;
                    woken.borrow_mut().push((index, clock.now_ns()));
                })
            })
            .collect();
        for sleeper in sleepers {
            sleeper.await.unwrap();
        }
        woken.take()
    }

    #[test]
    fn simulated_sleepers_wake_to_the_nanosecond_and_in_the_order_of_their_falling_asleep() {
        let woken = with(Clock::simulated, true, async |clock| {
            wake_order(&clock, &[1_000_001, 7, 1_000_001, 3_600_000_000_000, 0]).await
        });
        let expected = [(4, 0), (1, 7), (0, 1_000_001), (2, 1_000_001), (3, 3_600_000_000_000)];
        assert_eq!(woken, expected);
    }

    #[test]
    fn real_sleepers_wake_in_order_and_never_early() {
        let times_ns = [30_000_000, 10_000_000, 20_000_000, 1];
        let epoch = Instant::now();
        let woken = with(
            || Clock::real(epoch).unwrap(),
            false,
            async |clock| wake_order(&clock, &times_ns).await,
        );
        assert!(woken.iter().all(|(index, at_ns)| *at_ns >= times_ns[*index]), "{woken:?}");
        assert_eq!(woken.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [3, 1, 2, 0]);
    }

    #[test]
    fn a_pause_is_cut_and_a_sleep_is_not() {
        with(Clock::simulated, true, async |clock| {
            let cut = Rc::new(Cell::new(false));
            let (of_sleeper, of_pauser, flag) = (clock.clone(), clock.clone(), cut.clone());
            let sleeper = task::spawn_local(async move {
                of_sleeper.sleep_until(100).await;
                of_sleeper.now_ns()
            });
            let pauser = task::spawn_local(async move {
                of_pauser.pause_until(100, &flag).await;
                of_pauser.now_ns()
            });
            clock.sleep_until(50).await;
            cut.set(true);
            clock.wake_all();
            assert_eq!((pauser.await.unwrap(), sleeper.await.unwrap()), (50, 100));
        });
    }
}
