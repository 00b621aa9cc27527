//! Sectors of the block layer cut to the pages of a drive.

use crate::{
    ftl::Geometry,
    trace::{Event, Kind, SECTOR_BYTES},
};
use std::ops::Range;

/// What lies beyond the end of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "sectors {sector} to {end} lie beyond the drive's end (it has {sectors}): simulate a drive at \
     least as large as the one that was traced"
)]
pub struct BeyondEnd {
    /// The first sector of the event.
    pub sector: u64,
    /// The sector behind its last.
    pub end: u64,
    /// Sectors of the drive.
    pub sectors: u64,
}

/// Cuts events to pages.
#[derive(Clone, Copy, Debug)]
pub struct Paging {
    page_sectors: u64,
    pages: u32,
}

impl Paging {
    /// For the pages that the host can address of this drive.
    #[must_use]
    pub fn new(geometry: &Geometry) -> Self {
        let page_sectors = (u64::from(geometry.page_bytes) / SECTOR_BYTES).max(1);
        Self { page_sectors, pages: geometry.logical_pages }
    }

    /// The pages that an event covers. Those that it writes in part count whole, since the drive
    /// has to read such a page and write all of it anew; those that it discards in part stay.
    ///
    /// # Errors
    /// The event reaches beyond the end of the drive.
    pub fn pages(&self, event: &Event) -> Result<Range<u32>, BeyondEnd> {
        let sectors = self.page_sectors * u64::from(self.pages);
        let end = event.sector.saturating_add(event.sectors.into());
        if end > sectors {
            return Err(BeyondEnd { sector: event.sector, end, sectors });
        }
        let (first, behind) = match event.kind {
            Kind::Write if event.sectors == 0 => (0, 0),
            Kind::Write => (event.sector / self.page_sectors, end.div_ceil(self.page_sectors)),
            Kind::Discard => (event.sector.div_ceil(self.page_sectors), end / self.page_sectors),
        };
        // Both are at most the number of pages, which fits.
        let (first, behind) = (first as u32, behind as u32);
        Ok(first..behind.max(first))
    }

    /// The pages that these sectors touch; what lies beyond the end is left out.
    #[must_use]
    pub fn touched(&self, sectors: &Range<u64>) -> Range<u32> {
        let page = |sector: u64| sector.min(u64::from(self.pages)) as u32;
        let first = page(sectors.start / self.page_sectors);
        first..page(sectors.end.div_ceil(self.page_sectors)).max(first)
    }

    /// True if the event covers some page in part.
    #[must_use]
    pub fn is_partial(&self, event: &Event) -> bool {
        let end = event.sector.saturating_add(event.sectors.into());
        !event.sector.is_multiple_of(self.page_sectors) || !end.is_multiple_of(self.page_sectors)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;

    const GEOMETRY: Geometry =
        Geometry { page_bytes: 4096, block_pages: 4, blocks: 40, logical_pages: 100 };

    fn event(sector: u64, sectors: u32, kind: Kind) -> Event {
        Event { time_ns: 0, sector, sectors, kind, hint: 0 }
    }

    #[test]
    fn pages_written_in_part_count_whole_and_those_discarded_in_part_stay() {
        let paging = Paging::new(&GEOMETRY);
        for (sector, sectors, written, discarded) in [
            (0, 8, 0..1, 0..1),
            (8, 16, 1..3, 1..3),
            (1, 1, 0..1, 1..1),
            (7, 2, 0..2, 1..1),
            (4, 16, 0..3, 1..2),
            (792, 8, 99..100, 99..100),
        ] {
            let pages = |kind| paging.pages(&event(sector, sectors, kind)).unwrap();
            assert_eq!(pages(Kind::Write), written, "{sector}+{sectors}");
            assert_eq!(pages(Kind::Discard), discarded, "{sector}+{sectors}");
        }
    }

    #[test]
    fn what_lies_beyond_the_end_is_told() {
        let paging = Paging::new(&GEOMETRY);
        let beyond = paging.pages(&event(799, 2, Kind::Write)).unwrap_err();
        assert_eq!(beyond, BeyondEnd { sector: 799, end: 801, sectors: 800 });
        assert!(paging.pages(&event(u64::MAX, u32::MAX, Kind::Discard)).is_err());
    }

    proptest! {
        #[test]
        fn a_write_covers_every_sector_and_a_discard_no_other(
            sector in 0u64..800, sectors in 1u32..100, page_bytes in 9u32..14
        ) {
            let page_bytes = 1 << page_bytes;
            let paging = Paging::new(&Geometry { page_bytes, ..GEOMETRY });
            let page_sectors = u64::from(page_bytes) / SECTOR_BYTES;
            let end = sector + u64::from(sectors);
            let write = paging.pages(&event(sector, sectors, Kind::Write));
            prop_assert_eq!(write.is_err(), end > 100 * page_sectors);
            if let Ok(pages) = write {
                let inside = |at: u64| pages.contains(&u32::try_from(at / page_sectors).unwrap());
                prop_assert!(inside(sector) && inside(end - 1));
                let kept = paging.pages(&event(sector, sectors, Kind::Discard)).unwrap();
                prop_assert!(kept.is_empty() || u64::from(kept.start) * page_sectors >= sector);
                prop_assert!(kept.is_empty() || u64::from(kept.end) * page_sectors <= end);
                prop_assert!(pages.len() <= kept.len() + 2);
            }
        }
    }
}
