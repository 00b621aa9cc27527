//! What a simulated drive has done.

use crate::waf::Reading;
use serde::{Deserialize, Serialize};

/// Counts of what a drive has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Pages that the host wrote.
    pub host_pages: u64,
    /// Pages of the host's that were programmed: all that it wrote, but for those that a write
    /// buffer joined to a later write, dropped with a discard, or still holds.
    pub programmed_pages: u64,
    /// Valid pages that were moved when blocks were collected.
    pub moved_pages: u64,
    /// Pages that the host discarded and that held something.
    pub trimmed_pages: u64,
    /// Blocks that were erased.
    pub erased_blocks: u64,
}

impl Counters {
    /// What was done since earlier counts of the same drive.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            host_pages: self.host_pages - earlier.host_pages,
            programmed_pages: self.programmed_pages - earlier.programmed_pages,
            moved_pages: self.moved_pages - earlier.moved_pages,
            trimmed_pages: self.trimmed_pages - earlier.trimmed_pages,
            erased_blocks: self.erased_blocks - earlier.erased_blocks,
        }
    }

    /// Pages that were programmed: the host's and the moved ones.
    #[must_use]
    pub fn programs(self) -> u64 {
        self.programmed_pages + self.moved_pages
    }

    /// Write amplification factor; none if the host wrote nothing.
    #[must_use]
    pub fn factor(self) -> Option<f64> {
        self.reading(1).factor()
    }

    /// The same in bytes, as a real drive tells it.
    #[must_use]
    pub fn reading(self, page_bytes: u32) -> Reading {
        let bytes = |pages: u64| u128::from(pages) * u128::from(page_bytes);
        Reading { host_bytes: bytes(self.host_pages), media_bytes: bytes(self.programs()) }
    }
}
