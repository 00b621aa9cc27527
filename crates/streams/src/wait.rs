//! Sleeping until one of several descriptors has something to tell.

#![allow(unsafe_code)]

use std::{os::fd::AsRawFd, os::fd::BorrowedFd, time::Duration};

/// There is something to read.
pub(crate) const DATA: i16 = libc::POLLIN;

/// What a file of the kernel's says has changed: told once, to who asks first.
pub(crate) const CHANGES: i16 = libc::POLLPRI;

/// Returns when one of them has something, or after `at_most`, or for no reason at all. Which of
/// them have, by position; of an absent one nothing is ever told.
pub(crate) fn ready<const N: usize>(
    files: [(Option<BorrowedFd<'_>>, i16); N],
    at_most: Duration,
) -> [bool; N] {
    let mut polled = files.map(|(file, events)| libc::pollfd {
        // The kernel passes over what is negative.
        fd: file.map_or(-1, |file| file.as_raw_fd()),
        events,
        revents: 0,
    });
    // Rounded up, lest the last millisecond is spent spinning.
    let round_up = u128::from(!at_most.is_zero());
    let timeout_ms = i32::try_from(at_most.as_millis() + round_up).unwrap_or(i32::MAX);
    // SAFETY: the pointer is to N entries that outlive the call. What it returns need not be known:
    // without an answer no entry has any.
    let _ready = unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, timeout_ms) };
    polled.map(|polled| polled.revents != 0)
}
