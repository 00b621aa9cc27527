//! Whether there is memory for the drives: the kernel kills who takes more than there is.

use super::drives::Asked;
use crate::failure::Failure;
use host::{Bytes, Resources, Root};
use std::path::Path;

/// Bytes for each page of flash and for each that the host can address, bitmaps of blocks included.
const BYTES_A_PAGE: u64 = 5;

/// Refuses drives that do not fit, so many at a time.
pub(super) fn check(drives: &[Asked], jobs: usize) -> Result<(), Failure> {
    let bytes = |drive: &Asked| {
        let geometry = &drive.options.geometry;
        (geometry.physical_pages() + u64::from(geometry.logical_pages)) * BYTES_A_PAGE
    };
    let largest = drives.iter().map(bytes).max().unwrap_or(0);
    let needed = largest.saturating_mul(jobs as u64);
    let available = Resources::of(&Root::real(), Path::new("/")).available_bytes;
    if needed <= available {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the simulated drives need {} of memory and {} are available: fewer at a time (--jobs), a \
         smaller --capacity or larger pages (--page)",
        Bytes(needed),
        Bytes(available)
    )))
}
