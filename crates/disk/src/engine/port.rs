//! How reads and writes are given to the kernel.
#![allow(unsafe_code)]

use super::{buffers::Buffers, report::Reader, ring::Ring};
use crate::scan::Transport;
use rustix::io::Errno;
use std::{
    collections::VecDeque,
    io,
    os::fd::{BorrowedFd, RawFd},
};

/// To or from the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Read,
    Write,
}

/// A read or write between a block of the buffers and a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) direction: Direction,
    /// The block.
    pub(crate) slot: usize,
    /// The file; open until the request has completed.
    pub(crate) file: RawFd,
    pub(crate) offset: u64,
    pub(crate) bytes: usize,
}

/// A request that has ended: its block, and how many bytes it came to.
pub(crate) type Completion = (usize, io::Result<usize>);

/// What a port had to do without, and why.
pub(crate) type Lack = (&'static str, String);

/// Buffers, and a way to have them filled or written.
pub(crate) enum Port {
    /// An io_uring.
    Ring(Box<Ring>),
    /// One system call after the other.
    Plain(Plain),
}

impl Port {
    /// The best that the kernel gives, with `depth` blocks; plain reads do with a single one. Also
    /// tells what it had to do without.
    ///
    /// # Errors
    /// No memory for the buffers, or no io_uring where it was demanded.
    pub(crate) fn open(
        transport: Transport,
        depth: usize,
        block_bytes: usize,
    ) -> io::Result<(Self, Vec<Lack>)> {
        let mut lacks = Vec::new();
        if transport != Transport::Plain {
            match Ring::open(depth, block_bytes) {
                Ok((ring, lack)) => {
                    lacks.extend(lack);
                    return Ok((Self::Ring(Box::new(ring)), lacks));
                }
                Err(error) if transport == Transport::Uring => return Err(error),
                Err(error) => lacks.push(("io_uring", error.to_string())),
            }
        }
        let buffers = Buffers::map(1, block_bytes)?;
        Ok((Self::Plain(Plain { buffers, asked: VecDeque::new() }), lacks))
    }

    /// Which it is.
    pub(crate) fn reader(&self) -> Reader {
        match self {
            Self::Ring(_) => Reader::Uring,
            Self::Plain(_) => Reader::Plain,
        }
    }

    /// The memory.
    pub(crate) fn buffers(&mut self) -> &mut Buffers {
        match self {
            Self::Ring(ring) => ring.buffers(),
            Self::Plain(plain) => &mut plain.buffers,
        }
    }

    /// Hands a request to the kernel.
    ///
    /// # Errors
    /// The kernel takes no requests any more.
    pub(crate) fn submit(&mut self, request: Request) -> io::Result<()> {
        match self {
            Self::Ring(ring) => ring.submit(request),
            Self::Plain(plain) => {
                plain.asked.push_back(request);
                Ok(())
            }
        }
    }

    /// The next request that has ended; waits for one where `wait` says so and one is under way.
    ///
    /// # Errors
    /// The kernel does not say any more what has ended.
    pub(crate) fn next(&mut self, wait: bool) -> io::Result<Option<Completion>> {
        match self {
            Self::Ring(ring) => ring.next(wait),
            Self::Plain(plain) => Ok(plain.next()),
        }
    }
}

/// Requests carried out when their end is asked for.
pub(crate) struct Plain {
    buffers: Buffers,
    asked: VecDeque<Request>,
}

impl Plain {
    fn next(&mut self) -> Option<Completion> {
        let request = self.asked.pop_front()?;
        let block = &mut self.buffers.block_mut(request.slot)[..request.bytes];
        // SAFETY: whoever asks keeps the file open until the request has ended, which is now.
        let file = unsafe { BorrowedFd::borrow_raw(request.file) };
        let done = loop {
            let done = match request.direction {
                Direction::Read => rustix::io::pread(file, &mut *block, request.offset),
                Direction::Write => rustix::io::pwrite(file, block, request.offset),
            };
            if done != Err(Errno::INTR) {
                break done;
            }
        };
        Some((request.slot, done.map_err(io::Error::from)))
    }
}
