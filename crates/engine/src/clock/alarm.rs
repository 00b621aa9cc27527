//! A kernel timer that rings for the earliest sleeper of a thread.
#![allow(unsafe_code, reason = "the runtime must be promised that the timer stays open")]

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use std::{cell::Cell, io, os::fd::OwnedFd, time::Instant};
use tokio::io::{Interest, unix::AsyncFd};

pub(super) struct Alarm {
    epoch: Instant,
    timer: AsyncFd<OwnedFd>,
    /// When the timer will ring; the largest number when it will not.
    armed_ns: Cell<u64>,
}

impl Alarm {
    pub(super) fn new(epoch: Instant) -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        // SAFETY: the runtime needs the descriptor to be open, and the same, while it watches it.
        // It owns the `OwnedFd`, lends it out by shared reference only, and so closes it last.
        let timer = unsafe { AsyncFd::register_with_interest(timer, Interest::READABLE)? };
        Ok(Self { epoch, timer, armed_ns: Cell::new(u64::MAX) })
    }

    pub(super) fn now_ns(&self) -> u64 {
        super::nanos(self.epoch.elapsed())
    }

    /// Arms the timer unless it rings earlier anyway.
    pub(super) fn ring_no_later_than(&self, at_ns: u64) {
        if at_ns >= self.armed_ns.get() {
            return;
        }
        self.armed_ns.set(at_ns);
        // A time of zero would disarm the timer; what is past rings at once.
        let wait_ns = at_ns.saturating_sub(self.now_ns()).max(1);
        let once = Itimerspec {
            it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
            it_value: Timespec {
                tv_sec: (wait_ns / 1_000_000_000) as i64,
                tv_nsec: (wait_ns % 1_000_000_000) as _,
            },
        };
        timerfd_settime(self.timer.get_ref(), TimerfdTimerFlags::empty(), &once)
            .expect("an open timer takes any time whose nanoseconds are under a second");
    }

    /// Waits until the timer rings, which disarms it.
    pub(super) async fn rung(&self) {
        let read = |timer: &OwnedFd| {
            let mut expirations = [0; 8];
            Ok(rustix::io::read(timer, &mut expirations)?)
        };
        self.timer
            .async_io(Interest::READABLE, read)
            .await
            .expect("a timer's read fails only with EAGAIN, and its runtime is the one polling");
        self.armed_ns.set(u64::MAX);
    }
}
