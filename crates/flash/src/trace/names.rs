//! Whose a write is: sectors of the device to files.

mod attribution;
mod map;
mod resolver;
mod scanner;

pub use attribution::Attribution;
pub use resolver::Resolver;
pub use scanner::{ScanError, Scanner};

use std::path::PathBuf;

/// A file, as it is called in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// What a look at the files of a device has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// When it began, on the clock of the events.
    pub began_ns: u64,
    /// Files that are new or lie elsewhere than before.
    pub files: Vec<FileMap>,
}

/// A run of sectors of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The first.
    pub sector: u64,
    /// How many, at least 1.
    pub sectors: u64,
}

/// Where a file lay at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMap {
    /// The file. One that was seen before with this number is the same one, and lies here now.
    pub file: FileId,
    /// Its path, as it was when it was last seen.
    pub path: PathBuf,
    /// All of its extents.
    pub extents: Vec<Extent>,
}
