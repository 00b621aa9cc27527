//! A trace, cut to the pages of a drive and held in memory.

use super::{BeyondEnd, Paging, bitmap::Bitmap};
use crate::{
    ftl::Geometry,
    placement::FileNumber,
    trace::{Event, Kind, SECTOR_BYTES},
};
use serde::Serialize;
use std::{collections::TryReserveError, ops::Range};

/// A write or a discard of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// Its first page.
    pub page: u32,
    /// How many pages, at least 1.
    pub pages: u32,
    /// The file that it belongs to; 0 if none is known.
    pub file: FileNumber,
    /// Its write hint, as in [`Event::hint`].
    pub hint: u8,
    /// What is done.
    pub kind: Kind,
}

/// Bytes of memory that an event of a trace takes.
pub const EVENT_BYTES: u64 = size_of::<Op>() as u64;

/// What a trace holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Writes of the block layer.
    pub writes: u64,
    /// Bytes that they wrote.
    pub written_bytes: u64,
    /// Pages that they cover, those written in part counted whole.
    pub written_pages: u64,
    /// Writes that cover some page in part.
    pub partial_writes: u64,
    /// Writes with a hint that means something (short to extreme).
    pub hinted_writes: u64,
    /// Discards of the block layer.
    pub discards: u64,
    /// Pages that they discard whole.
    pub discarded_pages: u64,
    /// Nanoseconds between the first event and the last.
    pub span_ns: u64,
}

/// A trace that was cut to pages.
#[derive(Clone, Debug)]
pub struct PageTrace {
    paging: Paging,
    logical_pages: u32,
    ops: Vec<Op>,
    occupied: Vec<Range<u32>>,
    summary: Summary,
    first_ns: Option<u64>,
}

impl PageTrace {
    /// An empty trace for the pages that the host can address of a drive; its spare space and the
    /// size of its blocks do not matter.
    #[must_use]
    pub fn new(geometry: &Geometry) -> Self {
        Self {
            paging: Paging::new(geometry),
            logical_pages: geometry.logical_pages,
            ops: Vec::new(),
            occupied: Vec::new(),
            summary: Summary::default(),
            first_ns: None,
        }
    }

    /// Makes room for so many events, so that no more memory is taken than they need.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn reserve(&mut self, events: usize) -> Result<(), TryReserveError> {
        self.ops.try_reserve_exact(events)
    }

    /// Adds an event that belongs to a file; to 0 if to none that is known.
    ///
    /// # Errors
    /// It reaches beyond the end of the drive; the trace is as it was.
    pub fn push(&mut self, event: &Event, file: FileNumber) -> Result<(), BeyondEnd> {
        let pages = self.paging.pages(event)?;
        let first_ns = *self.first_ns.get_or_insert(event.time_ns);
        let count = pages.len() as u64;
        let summary = &mut self.summary;
        summary.span_ns = summary.span_ns.max(event.time_ns.saturating_sub(first_ns));
        match event.kind {
            Kind::Write => {
                summary.writes += 1;
                summary.written_bytes += u64::from(event.sectors) * SECTOR_BYTES;
                summary.written_pages += count;
                summary.partial_writes += u64::from(self.paging.is_partial(event));
                summary.hinted_writes += u64::from((2..=5).contains(&event.hint));
            }
            Kind::Discard => {
                summary.discards += 1;
                summary.discarded_pages += count;
            }
        }
        if !pages.is_empty() {
            let Event { kind, hint, .. } = *event;
            let op = Op { page: pages.start, pages: pages.end - pages.start, file, hint, kind };
            self.ops.push(op);
        }
        Ok(())
    }

    /// Says which sectors hold something before the trace begins: the drive is filled with those
    /// first, in order. With a share of what the host can address, pages that the trace writes
    /// are filled as well, and others from the first on until so much is full.
    pub fn occupy(&mut self, sectors: &[Range<u64>], share: Option<f64>) {
        let mut full = Bitmap::new(self.logical_pages);
        for sectors in sectors {
            for page in self.paging.touched(sectors) {
                full.insert(page);
            }
        }
        if let Some(share) = share {
            for op in self.ops.iter().filter(|op| op.kind == Kind::Write) {
                (op.page..op.page + op.pages).for_each(|page| full.insert(page));
            }
            let wanted = (f64::from(self.logical_pages) * share.clamp(0.0, 1.0)).round() as u32;
            let mut next = 0;
            while full.count() < wanted && next < self.logical_pages {
                full.insert(next);
                next += 1;
            }
        }
        self.occupied = full.runs();
    }

    /// What is written before the trace begins.
    #[must_use]
    pub fn occupied(&self) -> &[Range<u32>] {
        &self.occupied
    }

    /// Its writes and discards, in order.
    #[must_use]
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// What it holds.
    #[must_use]
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// Pages that the host can address of the drives it is for.
    #[must_use]
    pub fn logical_pages(&self) -> u32 {
        self.logical_pages
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const GEOMETRY: Geometry =
        Geometry { page_bytes: 4096, block_pages: 4, blocks: 40, logical_pages: 100 };

    fn event(time_ns: u64, sector: u64, sectors: u32, kind: Kind, hint: u8) -> Event {
        Event { time_ns, sector, sectors, kind, hint }
    }

    fn trace() -> PageTrace {
        let mut trace = PageTrace::new(&GEOMETRY);
        trace.push(&event(1_000, 400, 16, Kind::Write, 3), 2).unwrap();
        trace.push(&event(1_500, 3, 1, Kind::Write, 0), 0).unwrap();
        trace.push(&event(1_700, 3, 1, Kind::Discard, 0), 0).unwrap();
        trace.push(&event(3_000, 80, 16, Kind::Discard, 0), 0).unwrap();
        trace
    }

    #[test]
    fn a_trace_knows_what_it_holds() {
        let trace = trace();
        let write = Op { page: 50, pages: 2, file: 2, hint: 3, kind: Kind::Write };
        assert_eq!(trace.ops()[0], write);
        assert_eq!(trace.ops().len(), 3, "a discard of half a page does nothing");
        assert_eq!(
            trace.summary(),
            Summary {
                writes: 2,
                written_bytes: 17 * 512,
                written_pages: 3,
                partial_writes: 1,
                hinted_writes: 1,
                discards: 2,
                discarded_pages: 2,
                span_ns: 2_000,
            }
        );
    }

    #[test]
    fn what_lies_beyond_the_end_is_not_added() {
        let mut trace = trace();
        trace.push(&event(4_000, 800, 1, Kind::Write, 0), 0).unwrap_err();
        assert_eq!(trace.summary().writes, 2);
    }

    #[test]
    fn a_drive_is_filled_with_what_is_known_and_topped_up_from_its_beginning() {
        let mut trace = trace();
        trace.occupy(&[160..168, 170..171, 790..9_999], None);
        assert_eq!(trace.occupied(), [20..22, 98..100]);
        trace.occupy(std::slice::from_ref(&(160..168)), Some(0.1));
        assert_eq!(trace.occupied(), [0..7, 20..21, 50..52]);
        trace.occupy(&[], Some(0.0));
        assert_eq!(trace.occupied(), [0..1, 50..52], "what the trace writes is full in any case");
        trace.occupy(&[], Some(7.0));
        assert_eq!(trace.occupied(), std::slice::from_ref(&(0..100)));
    }

    #[test]
    fn an_event_takes_sixteen_bytes() {
        assert_eq!(EVENT_BYTES, 16);
        let mut trace = trace();
        trace.reserve(1_000).unwrap();
        assert!(trace.reserve(usize::MAX / 8).is_err());
    }
}
