//! The simulated drive as a whole.

mod published;
mod refused;
