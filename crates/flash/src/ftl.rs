//! A page-mapped flash translation layer, simulated: what a drive does with the pages that a host
//! writes, and how many more it writes itself when it collects garbage.

use crate::waf::Reading;
use serde::{Deserialize, Serialize};

/// What a drive is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Geometry {
    /// Bytes of a page, the unit of mapping.
    pub page_bytes: u32,
    /// Pages that are erased together: an erase block, or a reclaim unit (a superblock across
    /// planes and dies).
    pub block_pages: u32,
    /// Blocks in all, spare ones included.
    pub blocks: u32,
    /// Pages that the host can address.
    pub logical_pages: u32,
}

/// How a block is chosen to be collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Victim {
    /// That with the fewest valid pages.
    #[default]
    Greedy,
    /// That which was filled first.
    Fifo,
    /// That with the greatest benefit for its cost: age times free share by twice the valid share
    /// (Rosenblum and Ousterhout, SOSP'91).
    CostBenefit,
    /// The one with the fewest valid pages of so many drawn at random (Van Houdt, SIGMETRICS'13).
    Choices(u32),
}

/// Counts of what a drive has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Pages that the host wrote.
    pub host_pages: u64,
    /// Valid pages that were moved when blocks were collected.
    pub moved_pages: u64,
    /// Pages that the host discarded.
    pub trimmed_pages: u64,
    /// Blocks that were erased.
    pub erased_blocks: u64,
}

impl Counters {
    /// The same in bytes, as a real drive tells it.
    #[must_use]
    pub fn reading(self, page_bytes: u32) -> Reading {
        let bytes = |pages: u64| u128::from(pages) * u128::from(page_bytes);
        Reading {
            host_bytes: bytes(self.host_pages),
            media_bytes: bytes(self.host_pages + self.moved_pages),
        }
    }
}
