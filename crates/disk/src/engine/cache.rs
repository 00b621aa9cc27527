//! What of a file is in the page cache.
#![allow(unsafe_code)]

use std::{
    io,
    num::NonZeroU64,
    os::fd::{AsRawFd, BorrowedFd},
};

/// `cachestat(2)`, of Linux 6.5; the number is the same on every architecture.
const CACHESTAT: libc::c_long = 451;

/// `struct cachestat_range` of `linux/mman.h`.
#[repr(C)]
struct Range {
    offset: u64,
    bytes: u64,
}

/// `struct cachestat` of `linux/mman.h`: counts of pages.
#[repr(C)]
#[derive(Default)]
struct Counts {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// Whether all of a range is in the page cache.
///
/// # Errors
/// The kernel does not know the question (before 6.5), or does not answer it for files that the
/// account may not write to.
pub(crate) fn holds(file: BorrowedFd<'_>, offset: u64, bytes: NonZeroU64) -> io::Result<bool> {
    let range = Range { offset, bytes: bytes.get() };
    let mut counts = Counts::default();
    // SAFETY: both structures have the kernel's layout and live until the call returns; the
    // descriptor is borrowed, hence open.
    let said =
        unsafe { libc::syscall(CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut counts, 0) };
    if said != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(counts.cached >= pages(offset, bytes.get(), page_bytes()))
}

fn page_bytes() -> u64 {
    // SAFETY: it takes a number and returns one.
    let told = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(told).unwrap_or(4096)
}

/// How many pages a range touches.
fn pages(offset: u64, bytes: u64, page_bytes: u64) -> u64 {
    (offset % page_bytes + bytes).div_ceil(page_bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::{io::Write, os::fd::AsFd};

    #[test]
    fn what_was_just_written_is_in_the_cache() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 100_000]).unwrap();
        let bytes = NonZeroU64::new(100_000).unwrap();
        match holds(file.as_fd(), 0, bytes) {
            Ok(cached) => assert!(cached),
            Err(error) => {
                assert_eq!(error.raw_os_error(), Some(libc::ENOSYS), "{error}");
                return;
            }
        }
        // Behind its end there is nothing.
        assert!(!holds(file.as_fd(), 1 << 30, bytes).unwrap());
    }

    #[test]
    fn a_range_touches_the_pages_that_it_begins_and_ends_in() {
        assert_eq!(pages(0, 1, 4096), 1);
        assert_eq!(pages(0, 4096, 4096), 1);
        assert_eq!(pages(4095, 2, 4096), 2);
        assert_eq!(pages(65536, 100_000, 4096), 25);
    }
}
