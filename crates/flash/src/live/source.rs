//! Where live events come from: a tracer, or what stands for it in a test.

use crate::trace::{
    Event,
    live::{ReadError, Tracer},
};
use std::time::Duration;

/// Events as they happen.
pub trait Source: Send + 'static {
    /// Puts those that have come since the last call into `events`, which is cleared first; none
    /// when the time has passed.
    ///
    /// # Errors
    /// It cannot go on.
    fn next_batch(&mut self, events: &mut Vec<Event>, timeout: Duration) -> Result<(), ReadError>;

    /// How many were lost so far.
    ///
    /// # Errors
    /// Nobody can tell.
    fn lost(&self) -> Result<u64, ReadError>;

    /// Stops the events; those that wait can still be had, until a batch is empty.
    ///
    /// # Errors
    /// It cannot be stopped in good order.
    fn detach(&mut self) -> Result<(), ReadError>;
}

impl Source for Tracer {
    fn next_batch(&mut self, events: &mut Vec<Event>, timeout: Duration) -> Result<(), ReadError> {
        Self::next_batch(self, events, timeout)
    }

    fn lost(&self) -> Result<u64, ReadError> {
        Self::lost(self)
    }

    fn detach(&mut self) -> Result<(), ReadError> {
        Self::detach(self)
    }
}
