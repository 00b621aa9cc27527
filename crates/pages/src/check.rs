//! A page in, a verdict out; no I/O.
//!
//! Layers, from the bottom: `sums` finds out which sum a page carries, or what is wrong with it,
//! and `packed` which one its contents carry where they are compressed; this file adds what the
//! page's place says (torn, misdirected), and sees to it that pages of the `innodb` sum are folded
//! side by side. `rewrite` writes sums anew.

mod packed;
mod rewrite;
mod sums;

pub use rewrite::WrongFormat;
pub use sums::Algorithm;

use crate::{Damage, PageType, Reason, Space, Verdict, checksum, layout::Page};
use sums::Finding;

/// Where a page was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its number by its position: in a system tablespace of several files they go on.
    pub page: u32,
    /// The id that its space should have; none where any is right (doublewrite files).
    pub space: Option<u32>,
}

/// Checks the pages of one tablespace. Cheap to make, shared by threads.
#[derive(Clone, Debug)]
pub struct Checker {
    /// The tablespace.
    pub space: Space,
}

/// Pages that are folded side by side.
const LANES: usize = 16;

impl Checker {
    /// Looks at all whole pages in `bytes`, of which the first is at `first`, and tells each
    /// verdict with its page number, not always in their order. Pages of the `innodb` sum are
    /// checked side by side. What is left at the end, less than a page, is not looked at.
    pub fn pages(&self, first: Place, bytes: &[u8], tell: &mut dyn FnMut(u32, Verdict)) {
        let mut lanes = Lanes::default();
        let page_bytes = self.space.physical_bytes as usize;
        for (ahead, bytes) in (0..).zip(bytes.chunks_exact(page_bytes)) {
            let place = Place { page: first.page.wrapping_add(ahead), ..first };
            let Some(page) = Page::new(bytes) else { continue };
            match self.find(page) {
                Some(finding) => tell(place.page, self.verdict(place, page, finding)),
                None => lanes.push(place, page),
            }
            if lanes.len == LANES {
                self.fold(&mut lanes, tell);
            }
        }
        self.fold(&mut lanes, tell);
    }

    /// Looks at one page, of exactly [`Space::physical_bytes`]; any other length is
    /// [`Damage::Truncated`].
    pub fn page(&self, place: Place, page: &[u8]) -> Verdict {
        let view = Page::new(page).filter(|_| page.len() == self.space.physical_bytes as usize);
        let Some(view) = view else {
            let bytes = u32::try_from(page.len()).unwrap_or(u32::MAX);
            return Verdict::Bad { damage: Damage::Truncated { bytes } };
        };
        self.verdict(place, view, self.find_alone(view))
    }

    /// Which algorithm made the checksum of a page of exactly [`Space::physical_bytes`]: none of
    /// an empty page, of one that carries no sum that can be checked, and of a damaged one. Place
    /// and torn writes play no part. Of a compressed page, what its contents carry.
    pub fn algorithm(&self, page: &[u8]) -> Option<Algorithm> {
        let view = Page::new(page).filter(|_| page.len() == self.space.physical_bytes as usize)?;
        match self.find_alone(view) {
            Finding::Sound(algorithm) => Some(algorithm),
            _ => None,
        }
    }

    /// A page of MySQL's transparent compression as it was before; none if it is no such page, or
    /// cannot be unpacked.
    pub fn unpacked(&self, page: &[u8]) -> Option<Vec<u8>> {
        let view = Page::new(page).filter(|page| page.kind() == PageType::COMPRESSED.0)?;
        packed::unpacked_mysql(view).ok()
    }

    /// The space id that a page carries, where its format has it in the clear.
    pub(crate) fn space_id(&self, page: Page<'_>) -> Option<u32> {
        sums::space_id(&self.space, page)
    }

    /// What the sums say of a page, the fold included.
    fn find_alone(&self, page: Page<'_>) -> Finding {
        self.find(page).unwrap_or_else(|| sums::folded(page, checksum::innodb_new(page.bytes())))
    }

    /// Folds the pages that wait, and tells what came out.
    fn fold(&self, lanes: &mut Lanes<'_>, tell: &mut dyn FnMut(u32, Verdict)) {
        let mut sums = [0; LANES];
        let pages = &lanes.pages[..lanes.len];
        checksum::innodb_lanes(pages, &mut sums[..lanes.len]);
        for ((&bytes, place), sum) in pages.iter().zip(lanes.places).zip(sums) {
            let Some(page) = Page::new(bytes) else { continue };
            let place = place.unwrap_or(Place { page: page.number(), space: None });
            tell(place.page, self.verdict(place, page, sums::folded(page, sum)));
        }
        lanes.len = 0;
    }

    /// Joins what the sums say of a page with what its place says.
    fn verdict(&self, place: Place, page: Page<'_>, finding: Finding) -> Verdict {
        match finding {
            Finding::Empty => Verdict::Empty,
            Finding::Torn { header_lsn, trailer_lsn } => Verdict::Torn { header_lsn, trailer_lsn },
            Finding::Sound(algorithm) => {
                self.torn(page).or_else(|| self.misdirected(place, page)).unwrap_or(match algorithm
                {
                    Algorithm::None => Verdict::Unverifiable { reason: Reason::NoChecksum },
                    _ => Verdict::Ok,
                })
            }
            Finding::Unverifiable(reason) => {
                self.misdirected(place, page).unwrap_or(Verdict::Unverifiable { reason })
            }
            // Halves of the LSN that differ say something only in what else looks like the page.
            Finding::Damaged(damage @ Damage::Checksum { .. }) => match self.torn(page) {
                Some(torn) if self.misdirected(place, page).is_none() => torn,
                _ => Verdict::Bad { damage },
            },
            Finding::Damaged(damage) => Verdict::Bad { damage },
        }
    }

    /// The halves of the LSN, where the page carries both in the clear, and if they differ.
    fn torn(&self, page: Page<'_>) -> Option<Verdict> {
        let (header_lsn, trailer_lsn) = (page.lsn_low(), sums::trailer_lsn(&self.space, page)?);
        (header_lsn != trailer_lsn).then_some(Verdict::Torn { header_lsn, trailer_lsn })
    }

    /// What page number and space id say, if they are not those of its place.
    fn misdirected(&self, place: Place, page: Page<'_>) -> Option<Verdict> {
        let carried = sums::space_id(&self.space, page);
        let (should, carried) = match (place.space, carried) {
            (Some(should), Some(carried)) => (should, carried),
            (should, carried) => {
                let known = should.or(carried).unwrap_or(self.space.id);
                (known, known)
            }
        };
        let number = page.number();
        (number != place.page || carried != should).then_some(Verdict::Misdirected {
            page: [number, place.page],
            space: [carried, should],
        })
    }
}

/// Pages that wait to be folded.
#[derive(Default)]
struct Lanes<'a> {
    pages: [&'a [u8]; LANES],
    places: [Option<Place>; LANES],
    len: usize,
}

impl<'a> Lanes<'a> {
    fn push(&mut self, place: Place, page: Page<'a>) {
        self.pages[self.len] = page.bytes();
        self.places[self.len] = Some(place);
        self.len += 1;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
