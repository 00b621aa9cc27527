//! Where in a trace a drive is: intervals of equally many written pages.

use crate::ftl::Counters;

/// Counts of a drive by intervals of the trace, summed over passes.
#[derive(Clone, Debug)]
pub(super) struct Intervals {
    /// Pages that the trace writes in a pass.
    pass_pages: u64,
    counts: Vec<Counters>,
    /// The counts of the drive when the interval began.
    began: Counters,
    at: usize,
    /// Pages of the trace at which the interval ends.
    end_pages: u64,
}

impl Intervals {
    /// So many intervals of a trace that writes so many pages, before its first pass.
    pub(super) fn new(count: usize, pass_pages: u64) -> Self {
        let count = count.clamp(1, pass_pages.clamp(1, 1 << 20) as usize);
        let counts = vec![Counters::default(); count];
        let mut new = Self { pass_pages, counts, began: Counters::default(), at: 0, end_pages: 0 };
        new.end_pages = new.end_of(0);
        new
    }

    /// A pass begins.
    pub(super) fn begin(&mut self, counters: Counters) {
        self.began = counters;
        self.at = 0;
        self.end_pages = self.end_of(0);
    }

    /// True if an interval has ended at so many pages of the pass.
    #[inline]
    pub(super) fn is_end(&self, pages: u64) -> bool {
        pages >= self.end_pages
    }

    /// The interval has ended, and perhaps several that one long write covered.
    pub(super) fn end(&mut self, pages: u64, counters: Counters) {
        add(&mut self.counts[self.at], counters.since(self.began));
        self.began = counters;
        while self.at + 1 < self.counts.len() && self.end_pages <= pages {
            self.at += 1;
            self.end_pages = self.end_of(self.at);
        }
        if self.end_pages <= pages {
            // The last one: discards behind the last write still belong to it.
            self.end_pages = u64::MAX;
        }
    }

    /// The pass has ended.
    pub(super) fn end_pass(&mut self, counters: Counters) {
        add(&mut self.counts[self.at], counters.since(self.began));
        self.began = counters;
    }

    /// The counts of each interval.
    pub(super) fn counts(self) -> Vec<Counters> {
        self.counts
    }

    fn end_of(&self, at: usize) -> u64 {
        // Both factors together fit: a pass has fewer than 2^64 / 2^20 pages.
        let pages = self.pass_pages as u128 * (at as u128 + 1) / self.counts.len() as u128;
        pages as u64
    }
}

fn add(sum: &mut Counters, more: Counters) {
    sum.host_pages += more.host_pages;
    sum.programmed_pages += more.programmed_pages;
    sum.moved_pages += more.moved_pages;
    sum.trimmed_pages += more.trimmed_pages;
    sum.erased_blocks += more.erased_blocks;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(host_pages: u64) -> Counters {
        Counters { host_pages, ..Counters::default() }
    }

    /// Walks a pass of writes of these lengths twice.
    fn walk(count: usize, lengths: &[u64]) -> Vec<u64> {
        let mut intervals = Intervals::new(count, lengths.iter().sum());
        let mut written = 0;
        for _ in 0..2 {
            intervals.begin(host(written));
            let mut pages = 0;
            for length in lengths {
                written += length;
                pages += length;
                if intervals.is_end(pages) {
                    intervals.end(pages, host(written));
                }
            }
            intervals.end_pass(host(written));
        }
        intervals.counts().iter().map(|counters| counters.host_pages).collect()
    }

    #[test]
    fn intervals_are_of_equally_many_pages_and_summed_over_passes() {
        assert_eq!(walk(4, &[1; 8]), [4, 4, 4, 4]);
        assert_eq!(walk(4, &[1, 2, 1, 2, 2]), [6, 2, 4, 4]);
        assert_eq!(walk(4, &[7, 1]), [14, 0, 0, 2], "one write over several");
        assert_eq!(walk(100, &[1, 1]), [2, 2], "no more intervals than pages");
        assert_eq!(walk(1, &[3]), [6]);
    }
}
