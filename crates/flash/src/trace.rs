//! The writes and discards of a block device, as the block layer was given them.
//!
//! - [`live`]: they are watched while they happen, by a small program in the kernel.
//! - [`file`]: they are kept in a compact file, which is read without trust.
//! - [`extents`], [`names`]: where files lie on the device, and so whose a write is.
//! - [`place`]: which part of which disk a device is, and where it is mounted.
//! - [`totals`]: counts by kind, hint and file.

pub mod extents;
pub mod file;
pub mod live;
pub mod names;
pub mod place;
pub mod totals;

/// Bytes of a sector, the unit of the block layer.
pub const SECTOR_BYTES: u64 = 512;

/// What is done to the sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// They are written.
    Write,
    /// They are no longer wanted (TRIM).
    Discard,
}

/// A write or a discard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When it was given to the block layer: nanoseconds of the monotonic clock.
    pub time_ns: u64,
    /// Its first sector, from the beginning of the device that is traced: of the disk, or of the
    /// partition if that was asked for.
    pub sector: u64,
    /// How many sectors it covers, at least 1.
    pub sectors: u32,
    /// What is done.
    pub kind: Kind,
    /// Write hint of the bio (`enum rw_hint` of the kernel): 0 not set, 1 none, 2 short, 3 medium,
    /// 4 long, 5 extreme.
    pub hint: u8,
}
