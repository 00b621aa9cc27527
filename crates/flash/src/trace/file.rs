//! A trace in a file: docs/trace-format.md describes every byte.
//!
//! Frames with a checksum each follow a header; a trailer says how many events there must have been
//! and how many were lost. So what is cut off or damaged is noticed where it begins, and everything
//! before it can be used.

mod events;
mod frame;
mod names;
mod reader;
mod survey;
mod varint;
mod writer;

pub use reader::{FileError, Reader, read_names};
pub use survey::{Survey, survey};
pub use writer::Writer;

/// What every trace begins with.
pub(crate) const MAGIC: [u8; 8] = *b"myrigBT1";

/// What a trace is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The kernel's name of the device.
    pub device: String,
    /// Its size, bytes.
    pub device_bytes: u64,
    /// When it began: nanoseconds since 1970.
    pub started_unix_ns: u64,
    /// The same moment on the clock of the events.
    pub started_ns: u64,
    /// Whether the kernel's bios had hints; if not, hint 0 means nothing.
    pub carries_hints: bool,
}

/// What a trace ends with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trailer {
    /// Events that are in it.
    pub events: u64,
    /// Events that were lost while it was made.
    pub lost: u64,
    /// When it ended, on the clock of the events.
    pub ended_ns: u64,
}
