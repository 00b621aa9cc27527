//! The simulated drive as a whole.

mod invariants;
mod published;
mod refused;
