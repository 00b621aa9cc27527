//! Sockets on an io_uring: what all connections of a thread want to say leaves in one system
//! call, and the same call brings what has come for any of them.
//!
//! A thread has one [`Ring`]. [`RingSocket::exchange`] hands it a buffer to send and one to
//! receive into, as two linked operations; a task of the thread's own, the [`driver`], submits
//! what has been pushed since its last turn and wakes whoever's reply has come. The ring owns
//! sockets and buffers while the kernel works on them, so that a future that is dropped in the
//! middle leaves nothing that the kernel could write into after it is freed.

mod driver;
mod kernel;
mod slot;

use kernel::Kernel;
use slot::{Slot, Slots};
use std::{
    cell::RefCell,
    future::poll_fn,
    io,
    os::fd::OwnedFd,
    rc::Rc,
    task::{Poll, Waker},
};

thread_local! {
    static RING: RefCell<Option<Rc<RefCell<Ring>>>> = const { RefCell::new(None) };
}

/// The ring of a thread.
#[derive(Debug)]
pub(crate) struct Ring {
    kernel: Kernel,
    slots: Slots,
    /// Waits for something to be pushed.
    driver: Option<Waker>,
}

impl Ring {
    /// Submits what was pushed and passes on what came; true where anything came.
    fn turn(&mut self) -> io::Result<bool> {
        self.kernel.enter()?;
        let mut came = false;
        while let Some((slot, operation, result)) = self.kernel.completion() {
            came = true;
            self.slots.complete(slot, operation, result);
        }
        Ok(came)
    }

    fn wake_driver(&mut self) {
        if let Some(driver) = self.driver.take() {
            driver.wake();
        }
    }
}

/// Whether the calling thread has a ring, which is made when first asked for. It needs a kernel
/// with io_uring and its options of Linux 6.1, and a `LocalSet` to run its driver on.
pub(crate) fn is_at_hand() -> bool {
    RING.with(|ring| {
        if ring.borrow().is_some() {
            return true;
        }
        let Ok(kernel) = Kernel::new() else { return false };
        let made = Ring { kernel, slots: Slots::default(), driver: None };
        let made = Rc::new(RefCell::new(made));
        if driver::start(&made).is_err() {
            return false;
        }
        *ring.borrow_mut() = Some(made);
        true
    })
}

/// The driver is gone, and with it whoever could complete anything.
fn forget() {
    // A thread that is being torn down has no ring any more.
    let _torn_down = RING.try_with(|ring| ring.borrow_mut().take());
}

/// A connected socket on the ring of the thread that made it.
#[derive(Debug)]
pub(crate) struct RingSocket {
    ring: u64,
    slot: usize,
}

impl RingSocket {
    /// Puts a socket on the calling thread's ring.
    pub(crate) fn new(socket: OwnedFd) -> io::Result<Self> {
        with_ring(None, |ring| {
            let slot = ring.slots.insert(socket);
            Ok(Self { ring: ring.kernel.id(), slot })
        })
    }

    /// Sends all of `out`.
    pub(crate) async fn send(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let mut sent = 0;
        while sent < out.len() {
            self.on_slot(|slot, kernel, number| slot.start_send(kernel, number, out, sent))?;
            sent += self.completed(|slot| slot.return_sent(out)).await?;
        }
        Ok(())
    }

    /// Sends all of `out` and empties it, then appends to `come` what has come; 0 where the other
    /// side has hung up.
    pub(crate) async fn exchange(
        &mut self,
        out: &mut Vec<u8>,
        come: &mut Vec<u8>,
    ) -> io::Result<usize> {
        self.on_slot(|slot, kernel, number| slot.start_exchange(kernel, number, out, come))?;
        self.completed(|slot| slot.return_exchanged(out, come)).await
    }

    /// Pushes operations and sees to it that they are submitted.
    fn on_slot(
        &self,
        push: impl FnOnce(&mut Slot, &mut Kernel, usize) -> io::Result<()>,
    ) -> io::Result<()> {
        with_ring(Some(self.ring), |ring| {
            let slot = ring.slots.get_mut(self.slot).ok_or_else(not_here)?;
            push(slot, &mut ring.kernel, self.slot)?;
            ring.wake_driver();
            Ok(())
        })
    }

    /// Waits for the operations and has `give_back` return the buffers.
    async fn completed(
        &self,
        mut give_back: impl FnMut(&mut Slot) -> Option<io::Result<usize>>,
    ) -> io::Result<usize> {
        poll_fn(|context| {
            let polled = with_ring(Some(self.ring), |ring| {
                let slot = ring.slots.get_mut(self.slot).ok_or_else(not_here)?;
                match give_back(slot) {
                    Some(result) => result.map(Some),
                    None => {
                        slot.wake_later(context.waker());
                        Ok(None)
                    }
                }
            });
            match polled {
                Ok(Some(length)) => Poll::Ready(Ok(length)),
                Ok(None) => Poll::Pending,
                Err(error) => Poll::Ready(Err(error)),
            }
        })
        .await
    }
}

impl Drop for RingSocket {
    fn drop(&mut self) {
        // Without its ring the socket is closed already.
        let _gone = with_ring(Some(self.ring), |ring| {
            ring.slots.desert(self.slot);
            Ok(())
        });
    }
}

/// The calling thread's ring, which must be number `id` where one is given.
fn with_ring<T>(id: Option<u64>, work: impl FnOnce(&mut Ring) -> io::Result<T>) -> io::Result<T> {
    let outcome = RING.try_with(|ring| {
        let ring = ring.borrow();
        let mut ring = ring.as_ref().ok_or_else(not_here)?.borrow_mut();
        if id.is_some_and(|id| id != ring.kernel.id()) {
            return Err(not_here());
        }
        work(&mut ring)
    });
    outcome.unwrap_or_else(|_torn_down| Err(not_here()))
}

fn not_here() -> io::Error {
    io::Error::other("the connection belongs to the ring of another thread")
}
