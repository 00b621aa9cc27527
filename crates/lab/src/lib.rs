//! Experiments: what a run is, what is kept of it, and what can be concluded from it.

pub mod histogram;
pub mod record;
