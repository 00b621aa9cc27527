//! The system calls of a ring.
#![allow(unsafe_code, reason = "operations carry pointers, which must stay good until they end")]

use io_uring::{IoUring, cqueue, opcode, squeue, types::Fd};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use std::{
    fmt, io,
    os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd},
    sync::atomic::{AtomicU64, Ordering},
};
use tokio::io::{Interest, unix::AsyncFd};

/// Operations that are pushed between two submissions. More are submitted early.
const ENTRIES: u32 = 1024;
/// Has a receive wait for data before it is tried (`IORING_RECVSEND_POLL_FIRST`): a reply is
/// never there when the request has only just been sent.
const POLL_FIRST: u16 = 1;
/// Deliver completions only when asked (`IORING_ENTER_GETEVENTS`).
const GET_EVENTS: u32 = 1;

/// What a completion is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Send = 0,
    Receive = 1,
}

/// A ring of the kernel's, and a descriptor that is signalled when something has come.
pub(crate) struct Kernel {
    uring: IoUring,
    signal: OwnedFd,
    /// Tells it from every other of the process.
    id: u64,
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("id", &self.id).finish()
    }
}

impl Kernel {
    pub(super) fn new() -> io::Result<Self> {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let uring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_taskrun_flag()
            .setup_submit_all()
            .build(ENTRIES)?;
        let signal = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        uring.submitter().register_eventfd(signal.as_raw_fd())?;
        Ok(Self { uring, signal, id: NEXT_ID.fetch_add(1, Ordering::Relaxed) })
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Ready when something has come, on the calling thread's runtime.
    pub(super) fn signal(&self) -> io::Result<AsyncFd<OwnedFd>> {
        let signal = self.signal.try_clone()?;
        // SAFETY: the runtime needs the descriptor to be open, and the same, while it watches it.
        // It owns the `OwnedFd`, lends it out by shared reference only, and so closes it last.
        Ok(unsafe { AsyncFd::register_with_interest(signal, Interest::READABLE)? })
    }

    /// Asks for `out` to be sent, if it is anything, and for what comes to be put behind `come`.
    /// Both must be left where they are until all that was asked for has completed, as the slot
    /// does. Returns how many operations that is. They are not linked: the kernel tries the send
    /// at once, and a link would only have the receive wait for another turn.
    pub(super) fn push_exchange(
        &mut self,
        slot: usize,
        socket: RawFd,
        out: &[u8],
        come: &mut Vec<u8>,
    ) -> io::Result<u8> {
        let room = come.spare_capacity_mut();
        let length = u32::try_from(room.len()).unwrap_or(u32::MAX);
        let receive = opcode::Recv::new(Fd(socket), room.as_mut_ptr().cast(), length)
            .build()
            .user_data(user_data(slot, Operation::Receive));
        if out.is_empty() {
            return self.push(&[receive]).map(|()| 1);
        }
        self.push(&[send(slot, socket, out), poll_first(receive)]).map(|()| 2)
    }

    /// Asks for `out` to be sent. It must be left where it is until that has completed.
    pub(super) fn push_send(&mut self, slot: usize, socket: RawFd, out: &[u8]) -> io::Result<()> {
        self.push(&[send(slot, socket, out)])
    }

    fn push(&mut self, entries: &[squeue::Entry]) -> io::Result<()> {
        let full = {
            let queue = self.uring.submission();
            queue.capacity() - queue.len() < entries.len()
        };
        if full {
            self.enter()?;
        }
        // SAFETY: the operations point into buffers that their slot keeps, unmoved, until the
        // last of them has completed; a slot is only freed then, and leaked where that cannot be
        // waited for. The descriptor is the slot's own as well.
        unsafe { self.uring.submission().push_multiple(entries) }
            .map_err(|_full| io::Error::other("the ring takes no more operations"))
    }

    /// Submits what was pushed, and has the kernel deliver what has come.
    pub(super) fn enter(&mut self) -> io::Result<()> {
        loop {
            let pushed = self.uring.submission().len() as u32;
            if pushed == 0 && !self.may_have_work() {
                return Ok(());
            }
            // SAFETY: no argument is passed but numbers.
            let entered =
                unsafe { self.uring.submitter().enter::<()>(pushed, 0, GET_EVENTS, None) };
            match entered {
                Ok(_) => {}
                // Completions wait to be taken, or a signal came between.
                Err(error) if is_passing(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
            // The kernel does some 20 pieces of work at a time, and never signals those that it
            // leaves: they have to be asked for.
            if !self.uring.completion().is_empty() || !self.has_work()? {
                return Ok(());
            }
        }
    }

    /// False where the kernel certainly has no work for this thread to do, and keeps no completions
    /// for which there was no room. The flag of work is set just after the work is there, and so
    /// may stay when it has been done already.
    fn may_have_work(&mut self) -> bool {
        let queue = self.uring.submission();
        queue.taskrun() || queue.cq_overflow()
    }

    /// Whether the kernel has work for this thread to do.
    fn has_work(&mut self) -> io::Result<bool> {
        if !self.may_have_work() {
            return Ok(false);
        }
        // SAFETY: the ring is open as long as this is borrowed.
        let ring = unsafe { BorrowedFd::borrow_raw(self.uring.as_raw_fd()) };
        let mut asked = [PollFd::new(&ring, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        match poll(&mut asked, Some(&at_once)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until something comes.
    pub(super) fn wait(&mut self) -> io::Result<()> {
        self.uring.submitter().submit_and_wait(1).map(drop)
    }

    /// The next completion: its slot, its operation, its result or error number below zero.
    pub(super) fn completion(&mut self) -> Option<(usize, Operation, i32)> {
        let entry: cqueue::Entry = self.uring.completion().next()?;
        let operation = match entry.user_data() & 1 {
            0 => Operation::Send,
            _ => Operation::Receive,
        };
        Some(((entry.user_data() >> 1) as usize, operation, entry.result()))
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Interrupted | io::ErrorKind::ResourceBusy | io::ErrorKind::WouldBlock
    )
}

fn user_data(slot: usize, operation: Operation) -> u64 {
    (slot as u64) << 1 | operation as u64
}

fn send(slot: usize, socket: RawFd, out: &[u8]) -> squeue::Entry {
    let length = u32::try_from(out.len()).unwrap_or(u32::MAX);
    // All of it, and no signal where nobody listens.
    let flags = rustix::net::SendFlags::NOSIGNAL.bits() | WAIT_ALL;
    opcode::Send::new(Fd(socket), out.as_ptr(), length)
        .flags(flags as i32)
        .build()
        .user_data(user_data(slot, Operation::Send))
}

/// `MSG_WAITALL` of `socket.h`.
const WAIT_ALL: u32 = 0x100;

/// Sets the receive's flags, for which the library has no word.
fn poll_first(mut receive: squeue::Entry) -> squeue::Entry {
    const { assert!(size_of::<squeue::Entry>() == 64, "it is no entry of `io_uring.h`") };
    // SAFETY: the entry is the kernel's `struct io_uring_sqe`, 64 bytes long, whose third and
    // fourth byte are `ioprio`; any number is a valid one.
    unsafe { (&raw mut receive).cast::<u16>().add(1).write(POLL_FIRST) };
    receive
}

/// Takes note of what the kernel has put behind `come`.
pub(super) fn received(come: &mut Vec<u8>, length: usize) {
    let end = come.len().saturating_add(length).min(come.capacity());
    // SAFETY: the receive was given the room between length and capacity of this very buffer,
    // and the kernel says how many bytes from its start on it has written.
    unsafe { come.set_len(end) };
}
