//! What the threads of a run share: when it starts, why it ends, and the few counters that are
//! about all connections together.

use crate::{
    Failure,
    options::{LoadOptions, Pacing},
    outage::OutageLog,
    schedule::{Schedule, TicketOffice},
    stop::Stop,
    timeline::Timeline,
};
use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
};
use tokio::sync::watch;

/// Where a run is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum State {
    /// Sessions are being opened.
    Connecting,
    /// All sessions are open; the load is on.
    Running(Timeline),
    /// Nothing starts any more.
    Ending(Ending),
}

/// The end of a run. The first cause to be given is the one that stays.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ending {
    pub(crate) cause: Cause,
    /// The phases as they really were; none when the load never began.
    pub(crate) timeline: Option<Timeline>,
    /// When the load ended.
    pub(crate) at_ns: u64,
    /// Calls of [`Stop`] that this end has answered. Any further call cuts the grace.
    pub(crate) stops: u32,
}

/// Why a run ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cause {
    /// All phases were gone through.
    Complete,
    /// The measured phase has started as many transactions as it was asked to.
    Quota,
    /// Somebody called [`Stop`].
    Interrupted,
    /// Going on made no sense, in words.
    Aborted(String),
    /// A session could not be opened before the load.
    NotOpened { worker: u32, failure: Failure },
}

/// Shared by the threads of one run.
pub(crate) struct Control {
    pub(crate) options: LoadOptions,
    pub(crate) stop: Stop,
    /// Due transactions; none in a closed loop.
    pub(crate) tickets: Option<TicketOffice>,
    state: watch::Sender<State>,
    shares_connecting: AtomicU32,
    started_measured: AtomicU64,
    failures_in_a_row: AtomicU32,
    outages: Mutex<OutageLog>,
}

impl Control {
    /// `options` have been validated.
    pub(crate) fn new(options: &LoadOptions, stop: &Stop) -> Self {
        let tickets = match options.pacing {
            Pacing::Closed => None,
            Pacing::Open { rate_per_s, arrivals } => {
                Some(TicketOffice::new(Schedule::new(rate_per_s, arrivals, options.seed)))
            }
        };
        Self {
            options: options.clone(),
            stop: stop.clone(),
            tickets,
            state: watch::Sender::new(State::Connecting),
            shares_connecting: AtomicU32::new(options.threads),
            started_measured: AtomicU64::new(0),
            failures_in_a_row: AtomicU32::new(0),
            outages: Mutex::new(OutageLog::new(options.connections)),
        }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    pub(crate) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// The sessions of one thread are open. The last such thread starts the load.
    pub(crate) fn connected(&self, now_ns: u64) {
        if self.shares_connecting.fetch_sub(1, Relaxed) == 1 {
            let timeline = Timeline::new(now_ns, &self.options.phases);
            self.state.send_if_modified(|state| match state {
                State::Connecting => {
                    *state = State::Running(timeline);
                    true
                }
                _ => false,
            });
        }
    }

    /// Ends the run for `cause`, unless it has ended already; says how it has ended.
    pub(crate) fn end(&self, cause: Cause, at_ns: u64) -> Ending {
        let stops = match cause {
            Cause::Interrupted => 1,
            _ => self.stop.calls(),
        };
        self.state.send_if_modified(|state| {
            let planned = match state {
                State::Ending(_) => return false,
                State::Connecting => None,
                State::Running(timeline) => Some(*timeline),
            };
            let timeline = planned.map(|planned| match cause {
                Cause::Complete => planned,
                Cause::Quota => planned.exhaust(at_ns),
                _ => planned.cut(at_ns),
            });
            // A load that went to its end ended there, however late that was noticed.
            let at_ns = timeline.map_or(at_ns, |timeline| timeline.end_ns.min(at_ns));
            *state = State::Ending(Ending { cause: cause.clone(), timeline, at_ns, stops });
            true
        });
        match self.state() {
            State::Ending(ending) => ending,
            State::Connecting | State::Running(_) => unreachable!("set just now, and never left"),
        }
    }

    /// Asks for one more start in the measured phase.
    pub(crate) fn start_measured(&self) -> Quota {
        let Some(transactions_max) = self.options.transactions_max else { return Quota::Open };
        let before = self.started_measured.fetch_add(1, Relaxed);
        match (before + 1).cmp(&transactions_max) {
            std::cmp::Ordering::Less => Quota::Open,
            std::cmp::Ordering::Equal => Quota::Last,
            std::cmp::Ordering::Greater => Quota::Spent,
        }
    }

    /// A transaction was committed or rolled back.
    pub(crate) fn succeeded(&self) {
        // Read first, so that threads do not fight over the cache line while all is well.
        if self.failures_in_a_row.load(Relaxed) != 0 {
            self.failures_in_a_row.store(0, Relaxed);
        }
    }

    /// A transaction failed. True when that is one too many in a row.
    pub(crate) fn failed(&self) -> bool {
        let in_a_row = self.failures_in_a_row.fetch_add(1, Relaxed).saturating_add(1);
        in_a_row >= self.options.failures_in_a_row_max
    }

    pub(crate) fn outages(&self) -> MutexGuard<'_, OutageLog> {
        // No code under the lock can leave the log half changed.
        self.outages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer to the wish to start a transaction in the measured phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quota {
    /// Go on.
    Open,
    /// Go on; it is the last.
    Last,
    /// No.
    Spent,
}

/// Ends the run when the thread that holds it panics, so that no other thread waits for it.
pub(crate) struct EndOnPanic<'a>(pub(crate) &'a Control);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The time is of no account: a panic leaves no report.
            self.0.end(Cause::Aborted("a thread of the load panicked".into()), 0);
        }
    }
}
