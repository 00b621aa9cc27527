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
    /// The error of a send whose receive was called off for it.
    send_error: Option<i32>,
    waker: Option<Waker>,
    /// Its connection is gone; it goes too once the kernel is done.
    is_deserted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    /// The kernel is at work; this operation is the last of what it was asked for.
    Until(Operation),
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
            send_error: None,
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
        kernel.push_exchange(number, self.socket.as_raw_fd(), out, come)?;
        std::mem::swap(&mut self.out, out);
        std::mem::swap(&mut self.come, come);
        self.state = State::Until(Operation::Receive);
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
        self.state = State::Until(Operation::Send);
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
        let send_error = self.send_error.take();
        Some(match usize::try_from(result) {
            Ok(length) => Ok(length),
            // A receive is called off when the send before it fails.
            Err(_) => Err(io::Error::from_raw_os_error(send_error.unwrap_or(-result))),
        })
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
        if slot.state != State::Until(operation) {
            // A send is heard of only when it fails, and then before its receive.
            slot.send_error = (result < 0).then_some(-result);
            return;
        }
        slot.state = State::Done(result);
        if slot.is_deserted {
            self.remove(number);
        } else if let Some(waker) = slot.waker.take() {
            waker.wake();
        }
    }

    /// The connection is gone.
    pub(super) fn desert(&mut self, number: usize) {
        let Some(slot) = self.get_mut(number) else { return };
        if !matches!(slot.state, State::Until(_)) {
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
        let busy = |slot: &&Slot| matches!(slot.state, State::Until(_));
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
