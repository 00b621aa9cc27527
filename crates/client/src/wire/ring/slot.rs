//! What a ring keeps for each of its sockets while the kernel works on them.

use super::kernel::{Kernel, Operation};
use std::{
    io,
    os::fd::{AsRawFd, OwnedFd},
    task::Waker,
};

/// Room that a receive is given at least.
const ROOM_BYTES_MIN: usize = 2048;

/// A socket and what is going on with it.
#[derive(Debug)]
pub(crate) struct Slot {
    socket: OwnedFd,
    /// Lent by the connection while the kernel sends from it.
    out: Vec<u8>,
    /// Lent by the connection while the kernel receives into it.
    come: Vec<u8>,
    state: State,
    waker: Option<Waker>,
    /// Its connection is gone; it goes too once the kernel is done.
    is_deserted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    /// The kernel is at work on so many operations, of which one tells the outcome.
    Busy {
        left: u8,
        telling: Operation,
        result: i32,
    },
    /// The kernel is done, with this result.
    Done(i32),
}

impl Slot {
    fn new(socket: OwnedFd) -> Self {
        Self {
            socket,
            out: Vec::new(),
            come: Vec::new(),
            state: State::Idle,
            waker: None,
            is_deserted: false,
        }
    }

    /// Takes the buffers and asks for `out` to be sent, then for `come` to be appended to.
    pub(super) fn start_exchange(
        &mut self,
        kernel: &mut Kernel,
        number: usize,
        out: &mut Vec<u8>,
        come: &mut Vec<u8>,
    ) -> io::Result<()> {
        self.must_be_idle()?;
        if come.capacity() - come.len() < ROOM_BYTES_MIN {
            come.reserve(ROOM_BYTES_MIN);
        }
        let left = kernel.push_exchange(number, self.socket.as_raw_fd(), out, come)?;
        std::mem::swap(&mut self.out, out);
        std::mem::swap(&mut self.come, come);
        self.state = State::Busy { left, telling: Operation::Receive, result: 0 };
        Ok(())
    }

    /// Takes the buffer and asks for what is behind its first `sent` bytes to be sent.
    pub(super) fn start_send(
        &mut self,
        kernel: &mut Kernel,
        number: usize,
        out: &mut Vec<u8>,
        sent: usize,
    ) -> io::Result<()> {
        self.must_be_idle()?;
        kernel.push_send(number, self.socket.as_raw_fd(), &out[sent..])?;
        std::mem::swap(&mut self.out, out);
        self.state = State::Busy { left: 1, telling: Operation::Send, result: 0 };
        Ok(())
    }

    fn must_be_idle(&self) -> io::Result<()> {
        match self.state {
            State::Idle => Ok(()),
            _ => Err(io::Error::other("an earlier exchange on this socket was broken off")),
        }
    }

    /// Gives the buffers back, what was sent taken off and what has come put on, once the kernel
    /// is done.
    pub(super) fn return_exchanged(
        &mut self,
        out: &mut Vec<u8>,
        come: &mut Vec<u8>,
    ) -> Option<io::Result<usize>> {
        let result = self.take_result()?;
        std::mem::swap(&mut self.out, out);
        std::mem::swap(&mut self.come, come);
        let length = match result {
            Ok(length) => length,
            Err(error) => return Some(Err(error)),
        };
        out.clear();
        super::kernel::received(come, length);
        Some(Ok(length))
    }

    /// Gives the buffer back and says how much of it was sent.
    pub(super) fn return_sent(&mut self, out: &mut Vec<u8>) -> Option<io::Result<usize>> {
        let result = self.take_result()?;
        std::mem::swap(&mut self.out, out);
        Some(result)
    }

    fn take_result(&mut self) -> Option<io::Result<usize>> {
        let State::Done(result) = self.state else { return None };
        self.state = State::Idle;
        Some(usize::try_from(result).map_err(|_| io::Error::from_raw_os_error(-result)))
    }

    /// The kernel is done with one of its operations; true where it was the last.
    fn complete(&mut self, operation: Operation, result: i32) -> bool {
        let State::Busy { left, telling, result: before } = self.state else { return false };
        // A first error is told whatever it is of.
        let is_told = before >= 0 && (result < 0 || operation == telling);
        let result = if is_told { result } else { before };
        if result < 0 && left > 1 {
            // What was not sent will not be answered.
            shut_down(&self.socket);
        }
        self.state = match left {
            0 | 1 => State::Done(result),
            _ => State::Busy { left: left - 1, telling, result },
        };
        left <= 1
    }

    /// Leaves a waker to be called when the kernel is done.
    pub(super) fn wake_later(&mut self, waker: &Waker) {
        match &mut self.waker {
            Some(kept) => kept.clone_from(waker),
            None => self.waker = Some(waker.clone()),
        }
    }
}

/// The slots of a ring.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
}

impl Slots {
    pub(super) fn insert(&mut self, socket: OwnedFd) -> usize {
        let slot = Some(Slot::new(socket));
        match self.free.pop() {
            Some(number) => {
                self.slots[number] = slot;
                number
            }
            None => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        }
    }

    pub(super) fn get_mut(&mut self, number: usize) -> Option<&mut Slot> {
        self.slots.get_mut(number)?.as_mut()
    }

    /// The kernel is done with an operation.
    pub(super) fn complete(&mut self, number: usize, operation: Operation, result: i32) {
        let Some(slot) = self.get_mut(number) else { return };
        if !slot.complete(operation, result) {
            return;
        }
        if slot.is_deserted {
            self.remove(number);
        } else if let Some(waker) = slot.waker.take() {
            waker.wake();
        }
    }

    /// The connection is gone.
    pub(super) fn desert(&mut self, number: usize) {
        let Some(slot) = self.get_mut(number) else { return };
        if !matches!(slot.state, State::Busy { .. }) {
            return self.remove(number);
        }
        slot.is_deserted = true;
        slot.waker = None;
        shut_down(&slot.socket);
    }

    fn remove(&mut self, number: usize) {
        self.slots[number] = None;
        self.free.push(number);
    }

    /// Ends whatever the kernel is still asked for; true while it is at work.
    pub(super) fn end_all(&self) -> bool {
        let busy = |slot: &&Slot| matches!(slot.state, State::Busy { .. });
        self.slots.iter().flatten().filter(busy).map(|slot| shut_down(&slot.socket)).count() > 0
    }

    /// Gives up what the kernel may still write into: lost memory is better than spoilt memory.
    pub(super) fn leak(&mut self) {
        std::mem::forget(std::mem::take(&mut self.slots));
    }
}

fn shut_down(socket: &OwnedFd) {
    // The other side may have done so first.
    let _gone = rustix::net::shutdown(socket, rustix::net::Shutdown::Both);
}
