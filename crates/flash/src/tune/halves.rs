//! A trace in two halves, so that rules can be judged on writes that did not choose them.

use crate::{
    ftl::Geometry,
    replay::PageTrace,
    trace::{Event, Kind, SECTOR_BYTES},
};
use std::ops::Range;

/// The first half of a trace and the second one, by pages written, for drives whose pages have so
/// many bytes as those of the trace. Both begin on a drive that holds what is held before all of
/// the trace. None if the trace has fewer than two writes.
#[must_use]
pub fn halves(trace: &PageTrace, page_bytes: u32) -> Option<[PageTrace; 2]> {
    let page_sectors = (u64::from(page_bytes) / SECTOR_BYTES).max(1);
    let geometry = Geometry {
        page_bytes,
        block_pages: 1,
        blocks: trace.logical_pages(),
        logical_pages: trace.logical_pages(),
    };
    let middle = trace.summary().written_pages / 2;
    let mut halves = [PageTrace::new(&geometry), PageTrace::new(&geometry)];
    let mut written = 0;
    for op in trace.ops() {
        let half = &mut halves[usize::from(written >= middle.max(1))];
        let event = Event {
            time_ns: 0,
            sector: u64::from(op.page) * page_sectors,
            // What was in one event; of the last page a part is as good as all of it.
            sectors: u32::try_from(u64::from(op.pages) * page_sectors).unwrap_or(u32::MAX),
            kind: op.kind,
            hint: op.hint,
        };
        half.push(&event, op.file).ok()?;
        if op.kind == Kind::Write {
            written += u64::from(op.pages);
        }
    }
    let sectors = |page: u32| u64::from(page) * page_sectors;
    let held: Vec<Range<u64>> =
        trace.occupied().iter().map(|run| sectors(run.start)..sectors(run.end)).collect();
    halves.iter_mut().for_each(|half| half.occupy(&held, None));
    let both_write = halves.iter().all(|half| half.summary().written_pages > 0);
    both_write.then_some(halves)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const GEOMETRY: Geometry =
        Geometry { page_bytes: 8192, block_pages: 4, blocks: 40, logical_pages: 100 };

    fn trace(writes: &[(u64, u32)]) -> PageTrace {
        let mut trace = PageTrace::new(&GEOMETRY);
        for (file, &(page, pages)) in (1..).zip(writes) {
            let (sector, sectors) = (page * 16 + 1, pages * 16 - 2);
            let write = Event { time_ns: 7, sector, sectors, kind: Kind::Write, hint: 3 };
            trace.push(&write, file).unwrap();
        }
        trace
    }

    #[test]
    fn both_halves_together_are_the_trace() {
        let mut whole = trace(&[(0, 4), (50, 2), (98, 2), (3, 1), (7, 3)]);
        let all = Event { time_ns: 9, sector: 0, sectors: 1600, kind: Kind::Discard, hint: 0 };
        whole.push(&all, 0).unwrap();
        whole.occupy(std::slice::from_ref(&(160..320)), Some(0.5));
        let [first, second] = halves(&whole, 8192).unwrap();
        assert_eq!([first.ops(), second.ops()].concat(), whole.ops());
        assert_eq!((first.ops().len(), second.ops().len()), (2, 4), "6 of 12 pages, then 6");
        for half in [&first, &second] {
            assert_eq!(half.occupied(), whole.occupied());
            assert_eq!(half.logical_pages(), 100);
            assert_eq!(half.summary().written_pages, 6);
        }
    }

    #[test]
    fn what_cannot_be_parted_has_no_halves() {
        assert!(halves(&trace(&[]), 8192).is_none());
        assert!(halves(&trace(&[(0, 4)]), 8192).is_none());
        assert!(halves(&trace(&[(0, 1), (9, 1)]), 8192).is_some());
        assert!(halves(&trace(&[(0, 1), (9, 90)]), 8192).is_none(), "one write is all but all");
    }
}
