//! Writes of no program: pages drawn from a distribution, for drives to be tried with.

mod zipf;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};
use zipf::Zipf;

/// Which pages are written. Where on the drive they lie does not matter to a page-mapped FTL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Each page as often as any other.
    #[default]
    Uniform,
    /// Part of the writes to part of the pages: the first ones of the drive.
    HotCold {
        /// Share of the writes that go to hot pages, above 0 and below 1.
        writes: f64,
        /// Share of the pages that are hot, above 0 and below 1.
        pages: f64,
    },
    /// The page of rank k in proportion to k to the power of minus the exponent, page 0 having
    /// rank 1.
    Zipf {
        /// Above 0; 1 is the classic.
        exponent: f64,
    },
    /// One page after the other, from the first to the last and again.
    Sequential,
}

/// Why no such writes can be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PatternError {
    /// Not a share.
    #[error("hot/cold: {share} of the {what}: a share must be above 0 and below 1")]
    Share {
        /// Of what it should be one.
        what: &'static str,
        /// As it was asked for.
        share: f64,
    },
    /// Not one that leaves a distribution.
    #[error("zipf: an exponent of {exponent}: it must be above 0 and at most 10")]
    Exponent {
        /// As it was asked for.
        exponent: f64,
    },
    /// Too few pages for the pattern.
    #[error("{pages} pages: there must be at least 2 to draw from; make the drive larger")]
    TooFewPages {
        /// As many as there are.
        pages: u32,
    },
}

/// An endless row of writes. Equal seeds give equal rows.
#[derive(Clone, Debug)]
pub struct Load {
    source: Source,
    pages: u32,
    random: Pcg64,
}

#[derive(Clone, Debug)]
enum Source {
    Uniform,
    HotCold { writes: f64, hot_pages: u32 },
    Zipf(Zipf),
    Sequential { next: u32 },
}

impl Load {
    /// Writes to so many pages.
    ///
    /// # Errors
    /// A figure of the pattern is out of its range, or there are fewer than two pages.
    pub fn new(pattern: Pattern, pages: u32, seed: u64) -> Result<Self, PatternError> {
        if pages < 2 {
            return Err(PatternError::TooFewPages { pages });
        }
        let source = match pattern {
            Pattern::Uniform => Source::Uniform,
            Pattern::Sequential => Source::Sequential { next: 0 },
            Pattern::HotCold { writes, pages: share } => {
                for (what, share) in [("writes", writes), ("pages", share)] {
                    if !(share > 0.0 && share < 1.0) {
                        return Err(PatternError::Share { what, share });
                    }
                }
                let hot = (f64::from(pages) * share).round() as u32;
                Source::HotCold { writes, hot_pages: hot.clamp(1, pages - 1) }
            }
            Pattern::Zipf { exponent } => {
                if !(exponent > 0.0 && exponent <= 10.0) {
                    return Err(PatternError::Exponent { exponent });
                }
                Source::Zipf(Zipf::new(pages, exponent))
            }
        };
        Ok(Self { source, pages, random: Pcg64::seed_from_u64(seed) })
    }

    /// Draws as many pages as there is room for.
    pub fn fill(&mut self, batch: &mut [u32]) {
        let (pages, random) = (self.pages, &mut self.random);
        match &mut self.source {
            Source::Uniform => batch.fill_with(|| random.random_range(0..pages)),
            &mut Source::HotCold { writes, hot_pages } => batch.fill_with(|| {
                if random.random_bool(writes) {
                    random.random_range(0..hot_pages)
                } else {
                    random.random_range(hot_pages..pages)
                }
            }),
            Source::Zipf(zipf) => batch.fill_with(|| zipf.draw(random) - 1),
            Source::Sequential { next } => batch.fill_with(|| {
                let page = *next;
                *next = (page + 1) % pages;
                page
            }),
        }
    }

    /// Lifetime of a page, as one who knows the pattern would tell the drive: 1 for a hot one, 0
    /// for a cold one, and 0 for all where nothing is hot or cold.
    #[must_use]
    pub fn class(&self, page: u32) -> u8 {
        match self.source {
            Source::HotCold { hot_pages, .. } => u8::from(page < hot_pages),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests;
