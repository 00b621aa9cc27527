//! Sleeping until one of several descriptors has something to read.

#![allow(unsafe_code)]

use std::{os::fd::AsRawFd, os::fd::BorrowedFd, time::Duration};

/// Returns when one of them can be read from, or after `at_most`, or for no reason at all.
pub(crate) fn readable<const N: usize>(files: [BorrowedFd<'_>; N], at_most: Duration) {
    let events = libc::POLLIN;
    let mut polled = files.map(|file| libc::pollfd { fd: file.as_raw_fd(), events, revents: 0 });
    // Rounded up, lest the last millisecond is spent spinning.
    let timeout_ms = i32::try_from(at_most.as_millis().saturating_add(1)).unwrap_or(i32::MAX);
    // SAFETY: the pointer is to N entries that outlive the call. What it returns need not be known:
    // who was woken looks at everything.
    let _ready = unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, timeout_ms) };
}
