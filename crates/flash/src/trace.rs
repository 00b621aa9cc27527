//! The writes and discards of a block device, as the block layer was given them.

/// Bytes of a sector, the unit of the block layer.
pub const SECTOR_BYTES: u64 = 512;

/// What is done to the sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// Its first sector, from the beginning of the whole device.
    pub sector: u64,
    /// How many sectors it covers, at least 1.
    pub sectors: u32,
    /// What is done.
    pub kind: Kind,
    /// Write hint of the bio (`enum rw_hint` of the kernel): 0 not set, 1 none, 2 short, 3 medium,
    /// 4 long, 5 extreme.
    pub hint: u8,
}
