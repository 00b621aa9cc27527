//! How a drive works.

use super::{Geometry, GeometryError, SpareSplit};
use serde::{Deserialize, Serialize};

/// How a block is chosen to be collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Victim {
    /// That with the fewest valid pages; of several, most often that which lost one last, as in the
    /// published simulations (Desnoyers).
    #[default]
    Greedy,
    /// That which was filled first.
    Fifo,
    /// That with the greatest benefit for its cost: age times free share by twice the valid share,
    /// its age being the pages that the host has written since one of the block's own became
    /// invalid (Rosenblum and Ousterhout, SOSP'91; for flash Kawaguchi and others, USENIX'95).
    CostBenefit,
    /// The one with the fewest valid pages of so many drawn at random (Van Houdt, SIGMETRICS'13).
    Choices(u32),
}

/// Into which open blocks the pages go that are moved when a block is collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moved {
    /// Into one open block of their own, whatever their stream ("initially isolated" in FDP).
    #[default]
    Shared,
    /// Into an open block of their own for each stream ("persistently isolated" in FDP).
    PerStream,
    /// Into the open block of their stream, between the pages that the host writes.
    WithHost,
}

/// A drive to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// What it is made of.
    pub geometry: Geometry,
    /// Streams, each with its own open block, 1 to 64. A page whose stream is none of them goes to
    /// stream 0.
    pub streams: u8,
    /// Which block is collected.
    pub victim: Victim,
    /// Where moved pages go.
    pub moved: Moved,
    /// Static levelling of wear: when a block has been erased so many times more than the mean, the
    /// least worn block is collected next, whatever it holds. None: only the choice of free blocks
    /// levels.
    pub levelling: Option<u32>,
    /// How spare space is shared out between the streams, under greedy collection with moved pages
    /// in blocks of their stream. None: all of it is for all, and a victim is the best of all
    /// blocks.
    pub split: Option<SpareSplit>,
    /// Pages of the write buffer in front of the drive, 0 for none. It is for who feeds the drive
    /// to put a [`super::Buffer`] there, as [`crate::replay`] and [`crate::live`] do: what a
    /// [`super::Drive`] is given it programs.
    pub buffer_pages: u32,
    /// Seed of what is drawn at random.
    pub seed: u64,
}

impl Options {
    /// A drive with one stream that collects greedily.
    #[must_use]
    pub fn new(geometry: Geometry) -> Self {
        Self {
            geometry,
            streams: 1,
            victim: Victim::default(),
            moved: Moved::default(),
            levelling: None,
            split: None,
            buffer_pages: 0,
            seed: 1,
        }
    }

    /// Open blocks at most: those of the host's streams, and those of moved pages.
    pub(super) fn frontiers(&self) -> usize {
        let streams = usize::from(self.streams);
        match self.moved {
            Moved::Shared => streams + 1,
            Moved::PerStream => 2 * streams,
            Moved::WithHost => streams,
        }
    }

    /// Whether such a drive can work.
    ///
    /// # Errors
    /// Names what cannot be, and the way out.
    pub fn check(&self) -> Result<(), GeometryError> {
        if !(1..=64).contains(&self.streams) {
            return Err(GeometryError::Streams { streams: self.streams });
        }
        if self.victim == Victim::Choices(0) {
            return Err(GeometryError::NoChoices);
        }
        self.geometry.check()?;
        self.check_split()?;
        // One free block to move pages into, the open ones, and one of invalid pages to collect.
        let reserve = self.frontiers() as u64 + 2;
        let geometry = &self.geometry;
        let holding = u64::from(geometry.logical_pages).div_ceil(geometry.block_pages.into());
        let spare = u64::from(geometry.blocks).saturating_sub(holding);
        if spare < reserve {
            return Err(GeometryError::TooLittleSpare { spare, reserve });
        }
        Ok(())
    }

    fn check_split(&self) -> Result<(), GeometryError> {
        let Some(split) = &self.split else { return Ok(()) };
        let shares = split.shares().count();
        if shares != usize::from(self.streams) {
            return Err(GeometryError::SplitStreams { shares, streams: self.streams });
        }
        if self.victim != Victim::Greedy {
            return Err(GeometryError::SplitVictim);
        }
        if self.moved == Moved::Shared {
            return Err(GeometryError::SplitMoved);
        }
        Ok(())
    }
}
