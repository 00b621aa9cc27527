//! The block layer watched while it works: a BPF program on the tracepoint `block_bio_queue` puts
//! writes and discards of one device into a ring buffer, from which they are read here.
//!
//! A bio comes by the tracepoint once, before the kernel splits or merges it; so requests are not
//! counted as the drive is given them, but every sector is, once. What goes past the block layer
//! (NVMe commands that a program sends itself) is not seen.

mod kernel;
mod misses;
mod record;

use super::{Event, place::Place};
use kernel::Watch;
use std::{
    fmt,
    path::Path,
    thread,
    time::{Duration, Instant},
};

pub use kernel::{AttachError, ReadError};

/// How a device is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes of the ring buffer in which events wait, each 32: a power of two, at least a page.
    pub ring_bytes: u32,
    /// How often is looked whether there are events. Nobody is woken for a single one.
    pub poll: Duration,
}

impl Default for Options {
    /// Room for half a million events, looked at a hundred times a second.
    fn default() -> Self {
        Self { ring_bytes: 16 << 20, poll: Duration::from_millis(10) }
    }
}

/// A device that is being watched. Nothing of it stays in the kernel when it is dropped, or when
/// the process dies in whatever way.
pub struct Tracer {
    place: Place,
    watch: Watch,
    poll: Duration,
    latest_ns: u64,
}

impl Tracer {
    /// At most so many events come in a batch.
    pub const BATCH_EVENTS: usize = 1 << 16;

    /// Begins to watch a disk or a partition.
    ///
    /// # Errors
    /// The device is none, the kernel cannot or may not be asked; each says what would help.
    pub fn attach(device: &Path, options: &Options) -> Result<Self, AttachError> {
        let place = Place::of(device)?;
        let watch = Watch::start(&place, options.ring_bytes)?;
        Ok(Self { place, watch, poll: options.poll, latest_ns: 0 })
    }

    /// What is watched.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Whether this kernel's bios have a write hint at all: before Linux 5.18 and from about 6.9 on
    /// they do. Without, every event has hint 0.
    #[must_use]
    pub fn carries_hints(&self) -> bool {
        self.watch.carries_hints()
    }

    /// Puts the events that have come since the last call into `events`, which is cleared first.
    /// Returns as soon as there are some, and with none when `timeout` has passed.
    ///
    /// They are in the order in which they got into the ring. Times never go back: of two events
    /// that processors noted across each other within microseconds, the later in order is given the
    /// time of the earlier.
    ///
    /// # Errors
    /// The ring holds what the program in the kernel cannot have written.
    pub fn next_batch(
        &mut self,
        events: &mut Vec<Event>,
        timeout: Duration,
    ) -> Result<(), ReadError> {
        events.clear();
        let deadline = Instant::now() + timeout;
        loop {
            self.drain(events)?;
            let left = deadline.saturating_duration_since(Instant::now());
            if !events.is_empty() || left.is_zero() || !self.watch.is_attached() {
                return Ok(());
            }
            thread::sleep(self.poll.min(left));
        }
    }

    /// How many events found no room in the ring since the tracer was attached.
    ///
    /// # Errors
    /// The kernel does not tell.
    pub fn lost(&self) -> Result<u64, ReadError> {
        self.watch.lost()
    }

    /// Stops watching. What is in the ring can still be read, until a batch is empty; then every
    /// event up to now has been handed out or is counted as lost.
    ///
    /// # Errors
    /// The kernel does not tell how many events were lost.
    pub fn detach(&mut self) -> Result<(), ReadError> {
        self.watch.detach()
    }

    fn drain(&mut self, events: &mut Vec<Event>) -> Result<(), ReadError> {
        while events.len() < Self::BATCH_EVENTS {
            let Some(mut event) = self.watch.next(self.place.start_sector)? else { break };
            event.time_ns = event.time_ns.max(self.latest_ns);
            self.latest_ns = event.time_ns;
            events.push(event);
        }
        Ok(())
    }
}

impl fmt::Debug for Tracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracer").field("place", &self.place).finish_non_exhaustive()
    }
}
