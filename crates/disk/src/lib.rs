//! Block devices, and files read at the speed of the disk.
//!
//! Layers, from the bottom:
//! - [`device`]: what block devices there are and what they say of their limits.
//! - [`scan`]: what a scan is (files in, blocks out), and how it is to be carried out.
//! - [`engine`]: threads with a ring each carry a scan out, work cut across files and inside.
//! - [`priority`]: standing back behind everybody else.
//! - [`bench`]: how fast a device is at most, by the engine's own way to read and write.
//!
//! Nothing here knows what is in a block; crate `pages` does.

pub mod bench;
pub mod device;
pub mod engine;
pub mod priority;
pub mod scan;

pub use engine::{Fallback, ScanError, ScanReport, scan};
pub use scan::{Block, Direct, Head, Input, Scan, ScanOptions, Step, Transport};
