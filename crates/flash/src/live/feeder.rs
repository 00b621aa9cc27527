//! The thread that feeds drives.

use super::{LiveStatus, Source};
use crate::{
    ftl::{Counters, Wear},
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
}

impl Feeder {
    /// Fills the drives and feeds them until it is told to stop.
    pub(super) fn run(
        mut self,
        mut source: impl Source,
        occupied: &[Range<u64>],
    ) -> Result<Vec<Wear>, ReadError> {
        for (host, paging) in self.hosts.iter_mut().zip(&self.pagings) {
            for sectors in occupied {
                host.write(paging.touched(sectors), 0);
            }
        }
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
            events.iter().for_each(|event| self.feed(event, &mut status));
            status.busy_ns += began.elapsed().as_nanos() as u64;
            status.full_batches += u64::from(events.len() >= Tracer::BATCH_EVENTS);
            status.lost = source.lost()?;
            self.publish(status);
            if detached && events.is_empty() {
                return Ok(self.hosts.iter_mut().map(|host| host.drive().wear()).collect());
            }
        }
    }

    fn feed(&mut self, event: &Event, status: &mut LiveStatus) {
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
                host.apply(&Op { page: pages.start, pages: count, file: 0, hint, kind });
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
