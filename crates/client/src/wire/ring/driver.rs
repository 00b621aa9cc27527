//! The task that submits and reaps for all connections of a thread.

use super::{Ring, forget};
use std::{
    cell::RefCell,
    future::poll_fn,
    io,
    os::fd::OwnedFd,
    rc::{Rc, Weak},
    task::{Context, Poll},
};
use tokio::io::unix::AsyncFd;

/// Starts the driver of a ring on the calling thread's `LocalSet`.
pub(super) fn start(ring: &Rc<RefCell<Ring>>) -> io::Result<()> {
    let signal = ring.borrow().kernel.signal()?;
    let driver = Driver { ring: Rc::downgrade(ring), signal };
    tokio::task::spawn_local(driver.drive());
    Ok(())
}

struct Driver {
    ring: Weak<RefCell<Ring>>,
    signal: AsyncFd<OwnedFd>,
}

impl Driver {
    async fn drive(self) {
        poll_fn(|context| self.poll(context)).await;
    }

    /// A turn of the ring, then whatever is to be waited for before the next. Ends with the ring.
    fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        let Some(ring) = self.ring.upgrade() else { return Poll::Ready(()) };
        let mut ring = ring.borrow_mut();
        // A signal from before this turn is no news after it. It need not be read: the next one
        // is told all the same.
        if let Poll::Ready(Ok(mut guard)) = self.signal.poll_read_ready(context) {
            guard.clear_ready();
        }
        let Ok(came) = ring.turn() else { return Poll::Ready(()) };
        if came {
            // Those whose replies came are queued before this task, so that their next requests
            // are submitted together in its next turn.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        ring.driver = Some(context.waker().clone());
        match self.signal.poll_read_ready(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(_)) => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            // A descriptor that cannot be waited for brings nothing more.
            Poll::Ready(Err(_)) => Poll::Ready(()),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(ring) = self.ring.upgrade() {
            end(&mut ring.borrow_mut());
        }
        forget();
    }
}

/// Has the kernel finish what it was asked for, so that its buffers can be freed.
fn end(ring: &mut Ring) {
    while ring.slots.end_all() {
        if ring.kernel.wait().is_err() {
            return ring.slots.leak();
        }
        while let Some((slot, operation, result)) = ring.kernel.completion() {
            ring.slots.complete(slot, operation, result);
        }
    }
}
