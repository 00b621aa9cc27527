//! Reads and writes on an io_uring, into and from registered buffers.
#![allow(unsafe_code)]

use super::{
    buffers::Buffers,
    port::{Completion, Direction, Lack, Request},
};
use io_uring::{IoUring, opcode, squeue, types::Fd};
use std::io;

/// A ring of one thread, with the blocks that its requests are about.
pub(crate) struct Ring {
    uring: IoUring,
    buffers: Buffers,
    /// Whether the kernel keeps the blocks mapped, which spares it to look them up each time.
    registered: bool,
    in_flight: usize,
}

impl Ring {
    /// A ring for the calling thread, with `depth` blocks; also says what the kernel did not give.
    pub(crate) fn open(depth: usize, block_bytes: usize) -> io::Result<(Self, Option<Lack>)> {
        let entries = u32::try_from(depth).map_err(|_| io::ErrorKind::InvalidInput)?;
        let uring = build(entries.next_power_of_two())?;
        let buffers = Buffers::map(depth, block_bytes)?;
        // SAFETY: the blocks stay mapped until the ring is closed: the ring's field is dropped
        // first.
        let registered = unsafe { uring.submitter().register_buffers(&buffers.vectors()) };
        let lack = registered.as_ref().err();
        let lack = lack.map(|error| ("registered buffers", error.to_string()));
        let registered = registered.is_ok();
        Ok((Self { uring, buffers, registered, in_flight: 0 }, lack))
    }

    pub(crate) fn buffers(&mut self) -> &mut Buffers {
        &mut self.buffers
    }

    pub(crate) fn submit(&mut self, request: Request) -> io::Result<()> {
        let address = self.buffers.lend(request.slot);
        let entry = self.entry(request, address);
        // SAFETY: the block is lent to the kernel until the request has completed, and stays
        // mapped for as long; whoever asks keeps the file open.
        let pushed = unsafe { self.uring.submission().push(&entry) };
        if pushed.is_err() {
            self.buffers.take_back(request.slot);
            return Err(io::Error::other("the ring takes no more requests"));
        }
        self.in_flight += 1;
        loop {
            match self.uring.submit() {
                Ok(_) => return Ok(()),
                // A signal came between, or completions wait to be taken first: the entry stays
                // in the queue, and goes with the next call.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_passing(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    fn entry(&self, request: Request, address: *mut u8) -> squeue::Entry {
        let Request { direction, slot, file, offset, bytes } = request;
        // A block is at most 1 GiB, and there are at most as many as the ring has entries.
        let (file, length, index) = (Fd(file), bytes as u32, slot as u16);
        let entry = match (direction, self.registered) {
            (Direction::Read, true) => {
                opcode::ReadFixed::new(file, address, length, index).offset(offset).build()
            }
            (Direction::Read, false) => {
                opcode::Read::new(file, address, length).offset(offset).build()
            }
            (Direction::Write, true) => {
                opcode::WriteFixed::new(file, address, length, index).offset(offset).build()
            }
            (Direction::Write, false) => {
                opcode::Write::new(file, address, length).offset(offset).build()
            }
        };
        entry.user_data(slot as u64)
    }

    pub(crate) fn next(&mut self, wait: bool) -> io::Result<Option<Completion>> {
        loop {
            if let Some(entry) = self.uring.completion().next() {
                let slot = entry.user_data() as usize;
                self.buffers.take_back(slot);
                self.in_flight -= 1;
                let result = entry.result();
                let result = usize::try_from(result)
                    .map_err(|_negative| io::Error::from_raw_os_error(-result));
                return Ok(Some((slot, result)));
            }
            if self.in_flight == 0 {
                return Ok(None);
            }
            self.enter(wait)?;
            if !wait && self.uring.completion().is_empty() {
                return Ok(None);
            }
        }
    }

    /// Has the kernel deliver what has come, and wait until something does.
    fn enter(&mut self, wait: bool) -> io::Result<()> {
        let pushed = self.uring.submission().len() as u32;
        let wanted = u32::from(wait);
        // SAFETY: no argument is passed but numbers.
        let entered =
            unsafe { self.uring.submitter().enter::<()>(pushed, wanted, GET_EVENTS, None) };
        match entered {
            Err(error) if !is_passing(&error) => Err(error),
            _ => Ok(()),
        }
    }
}

/// `IORING_ENTER_GETEVENTS` of `io_uring.h`.
const GET_EVENTS: u32 = 1;

/// Completions are only delivered when this thread asks for them, by a kernel that can do that
/// (Linux 6.1).
fn build(entries: u32) -> io::Result<IoUring> {
    let best = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_submit_all()
        .build(entries);
    match best {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => IoUring::new(entries),
        built => built,
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Interrupted | io::ErrorKind::ResourceBusy | io::ErrorKind::WouldBlock
    )
}

impl Drop for Ring {
    fn drop(&mut self) {
        // The kernel may be writing into the blocks: it is waited for. Where that fails the blocks
        // are lent still, and are never given back.
        while matches!(self.next(true), Ok(Some(_))) {}
    }
}
