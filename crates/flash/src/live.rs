//! Simulated drives that are fed with what a device is written while it happens, so that write
//! amplification is a series of a run like any other.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use flash::{ftl, live, placement::Placement, replay::Setup, trace::live as tracer};
//! let tracer = tracer::Tracer::attach("/dev/loop0".as_ref(), &tracer::Options::default())?;
//! let sizing = ftl::Sizing {
//!     capacity_bytes: tracer.place().bytes(),
//!     page_bytes: 4096,
//!     block_pages: 1024,
//!     planes: 1,
//!     spare: 0.07,
//! };
//! let drive = ftl::Options { streams: 5, ..ftl::Options::new(sizing.geometry()?) };
//! let placements = [Placement::Ignored, Placement::nvme()];
//! let setups = placements.map(|placement| Setup { drive, placement });
//! let fill = live::occupied(tracer.place())?;
//! let drives = live::LiveDrives::start(tracer, &setups, &fill, None)?;
//! let before = drives.readings();
//! // A load runs.
//! let factor = drives.readings()[0].since(before[0]).and_then(|interval| interval.factor());
//! let end = drives.stop()?;
//! assert_eq!(end.status.lost, 0);
//! # Ok(()) }
//! ```

mod feeder;
mod naming;
mod source;

pub use naming::{Names, Naming, StreamOf};
pub use source::Source;

use crate::{
    ftl::{Counters, GeometryError, Wear},
    replay::{Host, Paging, Setup},
    trace::{
        live::ReadError,
        names::{ScanError, Scanner},
        place::Place,
    },
    waf::Reading,
};
use feeder::{Feeder, Shared};
use naming::Waiting;
use serde::Serialize;
use std::{
    io,
    ops::Range,
    sync::{Arc, PoisonError, atomic::Ordering},
    thread::{self, JoinHandle},
};

/// Why drives cannot be fed, or not any more.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// Such a drive cannot be.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// The tracer fails.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// There is no thread to be had.
    #[error("no thread for the simulated drives: {0}")]
    Thread(io::Error),
    /// It ended by a fault of its own.
    #[error("the thread of the simulated drives ended by a fault of its own")]
    Died,
}

/// How the feeding goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LiveStatus {
    /// Writes and discards that the drives were fed.
    pub events: u64,
    /// Those that were lost because the drives, or the machine, could not keep up. Write
    /// amplification is of the others.
    pub lost: u64,
    /// Those beyond the end of the simulated drives, which were left out.
    pub beyond_end: u64,
    /// Batches that were full: more events waited than could be handed over at once.
    pub full_batches: u64,
    /// Nanoseconds that the drives were at work.
    pub busy_ns: u64,
}

impl LiveStatus {
    /// What a person has to know of it: why the figures are not of all that was written, or that
    /// the drives are hardly fast enough.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        if self.lost > 0 {
            Some(format!(
                "{} of {} events were lost: the simulated drives could not keep up, and write \
                 amplification is of the others (fewer drives, or a larger ring buffer, help)",
                self.lost,
                self.lost.saturating_add(self.events)
            ))
        } else if self.beyond_end > 0 {
            Some(format!(
                "{} events lay beyond the end of the simulated drives and were left out",
                self.beyond_end
            ))
        } else if self.full_batches > 0 {
            Some(format!(
                "nothing was lost, but events had to wait {} times: the simulated drives are \
                 hardly fast enough",
                self.full_batches
            ))
        } else {
            None
        }
    }
}

/// What the drives have come to at the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveEnd {
    /// How the feeding went.
    pub status: LiveStatus,
    /// What each drive did since it was filled, in the order of their setups.
    pub counters: Vec<Counters>,
    /// How worn each is.
    pub wear: Vec<Wear>,
}

/// The sectors of a device that hold files now, by the file systems that are mounted from it: what
/// drives are best filled with before they are fed.
///
/// # Errors
/// The kernel does not tell what is mounted.
pub fn occupied(place: &Place) -> Result<Vec<Range<u64>>, ScanError> {
    let files = Scanner::new(place)?.look();
    let extents = files.iter().flat_map(|file| &file.extents);
    Ok(extents.map(|extent| extent.sector..extent.sector.saturating_add(extent.sectors)).collect())
}

/// Drives that are fed by a thread of their own. It ends when they are dropped.
#[derive(Debug)]
pub struct LiveDrives {
    shared: Arc<Shared>,
    page_bytes: Vec<u32>,
    thread: Option<JoinHandle<Result<Vec<Wear>, ReadError>>>,
}

impl LiveDrives {
    /// Fills new drives with the sectors that are occupied and begins to feed them. They must
    /// agree in pages and in what the host can address; each may have spare space, blocks and a
    /// placement of its own. A placement by files knows none without `naming`: it is stream 0 for
    /// all. With it, drives are fed what happened before the latest look at the files.
    ///
    /// # Errors
    /// A drive cannot be, or there is no thread to be had.
    pub fn start(
        source: impl Source,
        setups: &[Setup],
        occupied: &[Range<u64>],
        naming: Option<Naming>,
    ) -> Result<Self, LiveError> {
        let hosts = setups.iter().map(Host::new).collect::<Result<Vec<Host>, _>>()?;
        let pagings = setups.iter().map(|setup| Paging::new(&setup.drive.geometry)).collect();
        let page_bytes = setups.iter().map(|setup| setup.drive.geometry.page_bytes).collect();
        let shared = Arc::new(Shared::new(setups.len()));
        let feeder = Feeder {
            hosts,
            filled: Vec::new(),
            pagings,
            shared: Arc::clone(&shared),
            waiting: naming.map(Waiting::new),
        };
        let occupied = occupied.to_vec();
        let work = move || feeder.run(source, &occupied);
        let thread = thread::Builder::new().name("flash-live".into()).spawn(work);
        let thread = Some(thread.map_err(LiveError::Thread)?);
        Ok(Self { shared, page_bytes, thread })
    }

    /// What each drive has done since it was filled, in the order of their setups. The events of
    /// the latest hundredths of a second may be missing.
    #[must_use]
    pub fn counters(&self) -> Vec<Counters> {
        self.shared.counters.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same in bytes, as a real drive tells it.
    #[must_use]
    pub fn readings(&self) -> Vec<Reading> {
        let counters = self.counters().into_iter();
        counters.zip(&self.page_bytes).map(|(counters, bytes)| counters.reading(*bytes)).collect()
    }

    /// How the feeding goes.
    #[must_use]
    pub fn status(&self) -> LiveStatus {
        *self.shared.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False when feeding has ended by itself: [`Self::stop`] says why.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Stops watching the device, feeds what is still waiting, and tells the end.
    ///
    /// # Errors
    /// Feeding failed, now or before.
    pub fn stop(mut self) -> Result<LiveEnd, LiveError> {
        self.shared.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take().ok_or(LiveError::Died)?;
        let wear = thread.join().map_err(|_| LiveError::Died)??;
        Ok(LiveEnd { status: self.status(), counters: self.counters(), wear })
    }
}

impl Drop for LiveDrives {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // What it failed of, nobody wants to know any more.
            let _unheard = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
