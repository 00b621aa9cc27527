//! A set of pages.

use std::ops::Range;

/// A set of the pages of a drive, a bit each.
#[derive(Clone, Debug)]
pub(super) struct Bitmap {
    words: Vec<u64>,
    count: u32,
}

impl Bitmap {
    /// An empty set of `pages` that could be in it.
    pub(super) fn new(pages: u32) -> Self {
        Self { words: vec![0; (pages as usize).div_ceil(64)], count: 0 }
    }

    /// Adds a page; one beyond the end is left out.
    pub(super) fn insert(&mut self, page: u32) {
        if let Some(word) = self.words.get_mut(page as usize / 64) {
            let bit = 1 << (page % 64);
            self.count += u32::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// How many pages are in it.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Its pages as runs of neighbours, in order.
    pub(super) fn runs(&self) -> Vec<Range<u32>> {
        let mut runs: Vec<Range<u32>> = Vec::new();
        for (at, &word) in (0u32..).zip(&self.words) {
            let mut bits = word;
            while bits != 0 {
                let page = at * 64 + bits.trailing_zeros();
                match runs.last_mut() {
                    Some(run) if run.end == page => run.end += 1,
                    _ => runs.push(page..page + 1),
                }
                bits &= bits - 1;
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_of_neighbours() {
        let mut set = Bitmap::new(200);
        for page in [5, 6, 63, 64, 65, 199, 5, 9_999] {
            set.insert(page);
        }
        assert_eq!(set.runs(), [5..7, 63..66, 199..200]);
        assert_eq!(set.count(), 6);
        assert_eq!(Bitmap::new(0).runs(), []);
    }
}
