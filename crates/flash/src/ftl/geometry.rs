//! What a drive is made of, and what cannot be.

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

/// A geometry as a person states it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sizing {
    /// Bytes that the host can address.
    pub capacity_bytes: u64,
    /// Bytes of a page, the unit of mapping: a power of two from 512 to 1 MiB.
    pub page_bytes: u32,
    /// Pages of an erase block of one plane.
    pub block_pages: u32,
    /// Planes (and dies) whose blocks are written and erased together, as one reclaim unit.
    pub planes: u32,
    /// Spare space as a share of what the host can address: 0.07 is 7%.
    pub spare: f64,
}

/// Why a drive cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GeometryError {
    /// Not a size of a page.
    #[error("a page of {bytes} bytes: the page size must be a power of two from 512 to 1048576")]
    PageBytes {
        /// As it was asked for.
        bytes: u32,
    },
    /// A block of one page or none needs no collection.
    #[error("a block of {pages} pages: pages a block times planes must be from 2 to 16777216")]
    BlockPages {
        /// Pages in all planes.
        pages: u64,
    },
    /// No plane.
    #[error("0 planes: there must be at least 1")]
    NoPlanes,
    /// Not a share.
    #[error("spare space of {spare}: it must be a share of the capacity from 0.001 to 100")]
    Spare {
        /// As it was asked for.
        spare: f64,
    },
    /// Nothing to write to.
    #[error("a capacity of {bytes} bytes holds no page of {page_bytes}: make the capacity larger")]
    NoPages {
        /// As it was asked for.
        bytes: u64,
        /// Bytes of a page.
        page_bytes: u32,
    },
    /// More pages than a map of 32 bits has numbers for.
    #[error(
        "a drive of {pages} pages, spare ones included: at most 4294967294 can be simulated; make \
         the pages larger or the capacity smaller"
    )]
    TooManyPages {
        /// Pages in all.
        pages: u64,
    },
    /// No drive can work without spare blocks.
    #[error(
        "{spare} spare blocks where {reserve} are needed (the open ones of the streams and of \
         moved pages, one free and one to collect): more spare space, smaller blocks, fewer planes \
         or fewer streams"
    )]
    TooLittleSpare {
        /// Blocks beyond those that the host can fill.
        spare: u64,
        /// Blocks that are needed.
        reserve: u64,
    },
    /// Not a number of streams.
    #[error("{streams} streams: there must be 1 to 64")]
    Streams {
        /// As it was asked for.
        streams: u8,
    },
    /// The maps of the drive do not fit.
    #[error(
        "no memory for a map of {bytes} bytes: make the pages larger or the capacity smaller (a \
         drive takes some 9 bytes a page)"
    )]
    NoMemory {
        /// Of the map that did not fit.
        bytes: u64,
    },
    /// Nothing to choose from.
    #[error("a victim of 0 choices: draw at least 1 block")]
    NoChoices,
    /// More shares of the spare space than can be kept.
    #[error("spare space split into {shares} shares: at most 16 can be")]
    SplitShares {
        /// As many as there are.
        shares: usize,
    },
    /// Not a share of the spare space.
    #[error("spare space split with a share of {share}: each must be from 0.001 to 1")]
    SplitShare {
        /// As it was asked for.
        share: f64,
    },
    /// Shares of the spare space that are not all of it.
    #[error("spare space split into shares that add up to {sum:.4}: they must add up to 1")]
    SplitSum {
        /// What they add up to.
        sum: f64,
    },
    /// A share of the spare space for each stream is needed.
    #[error(
        "spare space split into {shares} shares, where the drive has {streams} streams: name as \
         many streams as shares"
    )]
    SplitStreams {
        /// As many as there are.
        shares: usize,
        /// Streams of the drive.
        streams: u8,
    },
    /// Only greedy collection knows of shares.
    #[error("spare space split by stream: the victim must be greedy for it")]
    SplitVictim,
    /// Blocks must belong to a stream.
    #[error(
        "spare space split by stream, but moved pages in a block for all streams: GC separation \
         must be off or per stream"
    )]
    SplitMoved,
}

/// Pages of a block at most: more than any reclaim unit has.
const BLOCK_PAGES_MAX: u64 = 1 << 24;

impl Sizing {
    /// The geometry: blocks of all planes together, as many as the spare space asks for.
    ///
    /// # Errors
    /// Names what cannot be. Whether the spare blocks suffice depends on the streams, too, and is
    /// for [`super::Options::check`] to say.
    pub fn geometry(&self) -> Result<Geometry, GeometryError> {
        let &Self { capacity_bytes, page_bytes, block_pages, planes, spare } = self;
        check_page(page_bytes)?;
        if planes == 0 {
            return Err(GeometryError::NoPlanes);
        }
        if !(0.001..=100.0).contains(&spare) {
            return Err(GeometryError::Spare { spare });
        }
        let unit_pages = check_block(u64::from(block_pages) * u64::from(planes))?;
        let pages = capacity_bytes / u64::from(page_bytes);
        if pages == 0 {
            return Err(GeometryError::NoPages { bytes: capacity_bytes, page_bytes });
        }
        let physical = pages as f64 * (1.0 + spare);
        let too_many = GeometryError::TooManyPages { pages: physical as u64 };
        let Ok(logical_pages) = u32::try_from(pages) else { return Err(too_many) };
        let blocks = (physical / f64::from(unit_pages)).round();
        if blocks * f64::from(unit_pages) >= f64::from(u32::MAX) {
            return Err(too_many);
        }
        let geometry =
            Geometry { page_bytes, block_pages: unit_pages, blocks: blocks as u32, logical_pages };
        geometry.check()?;
        Ok(geometry)
    }
}

impl Geometry {
    /// Pages in all, spare ones included.
    #[must_use]
    pub fn physical_pages(&self) -> u64 {
        u64::from(self.blocks) * u64::from(self.block_pages)
    }

    /// Physical pages for each that the host can address: 1 and the spare factor.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        self.physical_pages() as f64 / f64::from(self.logical_pages)
    }

    /// Bytes that the host can address.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        u64::from(self.logical_pages) * u64::from(self.page_bytes)
    }

    /// Whether such a drive can be.
    ///
    /// # Errors
    /// Names what cannot be.
    pub fn check(&self) -> Result<(), GeometryError> {
        check_page(self.page_bytes)?;
        check_block(self.block_pages.into())?;
        if self.logical_pages == 0 {
            return Err(GeometryError::NoPages { bytes: 0, page_bytes: self.page_bytes });
        }
        let pages = self.physical_pages();
        if pages >= u64::from(u32::MAX) {
            return Err(GeometryError::TooManyPages { pages });
        }
        Ok(())
    }
}

fn check_page(bytes: u32) -> Result<(), GeometryError> {
    if bytes.is_power_of_two() && (512..=1 << 20).contains(&bytes) {
        Ok(())
    } else {
        Err(GeometryError::PageBytes { bytes })
    }
}

fn check_block(pages: u64) -> Result<u32, GeometryError> {
    match u32::try_from(pages) {
        Ok(fit) if (2..=BLOCK_PAGES_MAX).contains(&pages) => Ok(fit),
        _ => Err(GeometryError::BlockPages { pages }),
    }
}
