//! The thread that feeds drives.

use super::{LiveStatus, Source, naming::Waiting};
use crate::{
    ftl::{Counters, Wear},
    placement::FileNumber,
    replay::{Host, Op, Paging},
    trace::{
        Event, Kind,
        live::{ReadError, Tracer},
    },
};
use std::{
    ops::Range,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// How soon is heard that it should stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// Pages that a drive is filled with at a time: some milliseconds of work.
const FILLED_PAGES: u32 = 1 << 18;

/// What the feeder tells and is told.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) stop: AtomicBool,
    pub(super) counters: Mutex<Vec<Counters>>,
    pub(super) status: Mutex<LiveStatus>,
}

impl Shared {
    pub(super) fn new(drives: usize) -> Self {
        Self { counters: Mutex::new(vec![Counters::default(); drives]), ..Self::default() }
    }
}

/// Drives and how events are cut to their pages.
pub(super) struct Feeder {
    pub(super) hosts: Vec<Host>,
    /// What the drives had done when they were filled.
    pub(super) filled: Vec<Counters>,
    pub(super) pagings: Vec<Paging>,
    pub(super) shared: Arc<Shared>,
    /// Where some placement goes by the names of files.
    pub(super) waiting: Option<Waiting>,
}

impl Feeder {
    /// Fills the drives and feeds them until it is told to stop.
    pub(super) fn run(
        mut self,
        mut source: impl Source,
        occupied: &[Range<u64>],
    ) -> Result<Vec<Wear>, ReadError> {
        self.fill(occupied);
        self.filled = self.hosts.iter_mut().map(Host::counters).collect();
        let mut status = LiveStatus::default();
        let mut events = Vec::new();
        let mut detached = false;
        loop {
            if !detached && self.shared.stop.load(Ordering::Relaxed) {
                source.detach()?;
                detached = true;
            }
            source.next_batch(&mut events, PATIENCE)?;
            let began = Instant::now();
            self.take(&events, &mut status);
            status.busy_ns += began.elapsed().as_nanos() as u64;
            status.full_batches += u64::from(events.len() >= Tracer::BATCH_EVENTS);
            status.lost = source.lost()?;
            self.publish(status);
            if detached && events.is_empty() {
                self.look(true, &mut status);
                self.hosts.iter_mut().for_each(Host::drain);
                self.publish(status);
                return Ok(self.hosts.iter_mut().map(|host| host.drive().wear()).collect());
            }
        }
    }

    /// Writes what is occupied, in pieces: a stop is soon heard.
    fn fill(&mut self, occupied: &[Range<u64>]) {
        for (host, paging) in self.hosts.iter_mut().zip(&self.pagings) {
            for pages in occupied.iter().map(|sectors| paging.touched(sectors)) {
                for first in pages.clone().step_by(FILLED_PAGES as usize) {
                    if self.shared.stop.load(Ordering::Relaxed) {
                        return;
                    }
                    host.write(first..pages.end.min(first.saturating_add(FILLED_PAGES)), 0);
                }
            }
            host.drain();
        }
    }

    /// Feeds events, or lets them wait for names.
    fn take(&mut self, events: &[Event], status: &mut LiveStatus) {
        match &mut self.waiting {
            None => events.iter().for_each(|event| self.feed(event, 0, status)),
            Some(waiting) => {
                waiting.take(events);
                self.look(false, status);
            }
        }
    }

    /// Feeds what has waited for a look long enough; in the end, everything.
    fn look(&mut self, is_last: bool, status: &mut LiveStatus) {
        let Some(mut waiting) = self.waiting.take() else { return };
        let mut feed = |own: &mut Self, waiting: &mut Waiting| {
            while let Some((event, file)) = waiting.next() {
                own.feed(&event, file, status);
            }
        };
        for look in waiting.looks(is_last) {
            waiting.observe(&look, &mut self.hosts);
            feed(self, &mut waiting);
        }
        if is_last {
            waiting.wait_no_more();
        }
        feed(self, &mut waiting);
        self.waiting = Some(waiting);
    }

    fn feed(&mut self, event: &Event, file: FileNumber, status: &mut LiveStatus) {
        status.events += 1;
        let mut is_beyond = false;
        for (host, paging) in self.hosts.iter_mut().zip(&self.pagings) {
            let Ok(pages) = paging.pages(event) else {
                is_beyond = true;
                continue;
            };
            if !pages.is_empty() {
                let Event { kind, hint, .. } = *event;
                let count = pages.end - pages.start;
                host.apply(&Op { page: pages.start, pages: count, file, hint, kind });
            }
        }
        // A discard of all that there is may well reach beyond pages that are whole.
        status.beyond_end += u64::from(is_beyond && event.kind == Kind::Write);
    }

    fn publish(&mut self, status: LiveStatus) {
        let all = self.hosts.iter_mut().zip(&self.filled);
        let counters = all.map(|(host, filled)| host.counters().since(*filled)).collect();
        *self.shared.counters.lock().unwrap_or_else(PoisonError::into_inner) = counters;
        *self.shared.status.lock().unwrap_or_else(PoisonError::into_inner) = status;
    }
}
