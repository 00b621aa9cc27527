//! The handle by which a person's Ctrl-C reaches a running load.

use std::sync::Arc;
use tokio::sync::watch;

/// Ends a load from outside. Clones are one handle. The first call stops the load: pauses are cut
/// short and transactions under way may finish within the grace; the next call cuts the grace.
#[derive(Clone, Debug)]
pub struct Stop(Arc<watch::Sender<u32>>);

impl Stop {
    /// A handle that nobody has called yet.
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }

    /// Ends the load, or its draining. Returns at once, from any thread; not for use inside a
    /// signal handler, as it takes a lock.
    pub fn stop(&self) {
        self.0.send_modify(|calls| *calls = calls.saturating_add(1));
    }

    /// How often [`Self::stop`] was called.
    pub(crate) fn calls(&self) -> u32 {
        *self.0.borrow()
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u32> {
        self.0.subscribe()
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}
