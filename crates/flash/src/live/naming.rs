//! Whose the writes of a device are, while they happen: for placements that go by files' names.

use crate::{
    placement::FileNumber,
    replay::Host,
    trace::{
        Event,
        names::{FileId, Look, Resolver},
    },
};
use std::{collections::VecDeque, fmt, path::Path, sync::Arc};

/// At most so many events wait for their file to be seen.
const WAITING_MAX: usize = 1 << 20;

/// Looks at where files lie, taken beside the feeding.
pub trait Names: Send + 'static {
    /// What was found since the last call.
    fn found(&mut self) -> Vec<Look>;

    /// What a last look finds, which begins now.
    fn finish(&mut self) -> Vec<Look>;
}

/// The stream of a file by its path.
pub type StreamOf = Arc<dyn Fn(&Path) -> u8 + Send + Sync>;

/// What drives need whose placements go by names.
pub struct Naming {
    /// Where files lie.
    pub names: Box<dyn Names>,
    /// Of each drive, in the order of their setups, the stream of a path. None: its placement goes
    /// by something else.
    pub streams: Vec<Option<StreamOf>>,
}

impl fmt::Debug for Naming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.streams.iter().filter(|of| of.is_some()).count();
        f.debug_struct("Naming").field("named", &named).finish_non_exhaustive()
    }
}

/// Events that wait for names. A file can only be looked at after its first writes, so all events
/// wait for a look that began after them, and are handed on in their order.
pub(super) struct Waiting {
    naming: Naming,
    resolver: Resolver,
    events: VecDeque<Event>,
    /// When the latest look began: what happened before it need not wait.
    looked_ns: u64,
}

impl Waiting {
    pub(super) fn new(naming: Naming) -> Self {
        Self { naming, resolver: Resolver::default(), events: VecDeque::new(), looked_ns: 0 }
    }

    /// Takes events in the order of their times.
    pub(super) fn take(&mut self, events: &[Event]) {
        self.events.extend(events);
    }

    /// What was looked at since the last call; or what a last look finds.
    pub(super) fn looks(&mut self, is_last: bool) -> Vec<Look> {
        match is_last {
            false => self.naming.names.found(),
            true => self.naming.names.finish(),
        }
    }

    /// There will be no more looks: nothing has to wait.
    pub(super) fn wait_no_more(&mut self) {
        self.looked_ns = u64::MAX;
    }

    /// What a look has found holds from here on.
    pub(super) fn observe(&mut self, look: &Look, hosts: &mut [Host]) {
        self.looked_ns = look.began_ns;
        for file in &look.files {
            self.resolver.observe(file);
            for (host, stream_of) in hosts.iter_mut().zip(&self.naming.streams) {
                if let Some(stream_of) = stream_of {
                    host.place(number(file.file), stream_of(&file.path));
                }
            }
        }
    }

    /// The next event that need not wait, with its file. Of too many that wait, the oldest does not
    /// wait any longer.
    pub(super) fn next(&mut self) -> Option<(Event, FileNumber)> {
        let is_crowded = self.events.len() > WAITING_MAX;
        let is_ready = |event: &&Event| is_crowded || event.time_ns < self.looked_ns;
        self.events.front().filter(is_ready)?;
        let event = self.events.pop_front()?;
        Some((event, self.resolver.file(&event).map_or(0, number)))
    }
}

/// 0 is no file.
fn number(file: FileId) -> FileNumber {
    file.0.saturating_add(1)
}
