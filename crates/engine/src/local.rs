//! What the workers of one thread share.

use crate::{
    clock::Clock,
    control::{Cause, Control, Ending, Quota},
    recorder::Recorder,
    timeline::Timeline,
};
use std::{
    cell::{Cell, RefCell, RefMut},
    future::Future,
    rc::Rc,
    sync::Arc,
};
use tokio::sync::Notify;

/// One thread's view of the run.
pub(crate) struct Local {
    pub(crate) control: Arc<Control>,
    pub(crate) clock: Rc<Clock>,
    recorder: RefCell<Recorder>,
    timeline: Cell<Timeline>,
    over: Cell<bool>,
    over_notice: Notify,
    ending: RefCell<Option<Ending>>,
    /// For each worker of the thread, the type of the transaction that it is carrying out.
    in_flight: Vec<Cell<Option<usize>>>,
}

impl Local {
    pub(crate) fn new(
        control: Arc<Control>,
        clock: Rc<Clock>,
        recorder: Recorder,
        timeline: Timeline,
        workers: usize,
    ) -> Self {
        Self {
            control,
            clock,
            recorder: RefCell::new(recorder),
            timeline: Cell::new(timeline),
            over: Cell::new(false),
            over_notice: Notify::new(),
            ending: RefCell::new(None),
            in_flight: (0..workers).map(|_| Cell::new(None)).collect(),
        }
    }

    /// The recorder, for the length of a statement.
    pub(crate) fn recorder(&self) -> RefMut<'_, Recorder> {
        self.recorder.borrow_mut()
    }

    pub(crate) fn timeline(&self) -> Timeline {
        self.timeline.get()
    }

    /// How the load ended; none while it is on.
    pub(crate) fn ending(&self) -> Option<Ending> {
        self.ending.borrow().clone()
    }

    /// Whether the load is over at `now_ns`: no transaction may start any more.
    pub(crate) fn is_over(&self, now_ns: u64) -> bool {
        self.over.get() || now_ns >= self.timeline.get().end_ns
    }

    /// Waits until `at_ns` or the end of the load.
    pub(crate) fn pause_until(&self, at_ns: u64) -> impl Future<Output = ()> {
        self.clock.pause_until(at_ns.min(self.timeline.get().end_ns), &self.over)
    }

    /// Waits for the end of the load. Comes late where nobody looks at the clock.
    pub(crate) async fn over(&self) {
        let notice = self.over_notice.notified();
        if !self.over.get() {
            notice.await;
        }
    }

    /// Whether a transaction may start at `now_ns`. Counts it where their number is limited.
    pub(crate) fn admit(&self, now_ns: u64) -> bool {
        if self.is_over(now_ns) {
            return false;
        }
        if !self.timeline.get().starts_measured(now_ns) {
            return true;
        }
        let quota = self.control.start_measured();
        if quota == Quota::Last {
            self.end(Cause::Quota, now_ns);
        }
        quota != Quota::Spent
    }

    /// Ends the load on all threads.
    pub(crate) fn end(&self, cause: Cause, at_ns: u64) {
        let ending = self.control.end(cause, at_ns);
        self.adopt(ending);
    }

    /// Follows the end of the load, which may have come from another thread.
    pub(crate) fn adopt(&self, ending: Ending) {
        if self.over.replace(true) {
            return;
        }
        if let Some(timeline) = ending.timeline {
            self.timeline.set(timeline);
            self.recorder().set_timeline(timeline);
        }
        *self.ending.borrow_mut() = Some(ending);
        self.over_notice.notify_waiters();
        self.clock.wake_all();
    }

    /// Worker `slot` of this thread carries out a transaction of type `kind`, or none.
    pub(crate) fn set_in_flight(&self, slot: usize, kind: Option<usize>) {
        self.in_flight[slot].set(kind);
    }

    /// Gives up all transactions that are under way.
    pub(crate) fn abandon_in_flight(&self, now_ns: u64) {
        for kind in self.in_flight.iter().filter_map(Cell::take) {
            self.recorder().abandoned(kind, now_ns);
        }
    }

    /// Ends what `self` was for: the recorder hands over what it has.
    pub(crate) fn finish(self) {
        let now_ns = self.clock.now_ns();
        let ended_ns = self.ending().map_or(now_ns, |ending| ending.at_ns);
        self.recorder.into_inner().finish(ended_ns, now_ns);
    }
}
