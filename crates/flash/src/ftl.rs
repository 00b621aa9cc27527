//! A page-mapped flash translation layer, simulated: what a drive does with the pages that a host
//! writes, and how many more it writes itself when it collects garbage.
//!
//! - [`Geometry`] is what a drive is made of, [`Sizing`] how a person says it.
//! - [`Options`] adds how it works: streams, the [`Victim`] that is collected, where the pages that
//!   it [`Moved`] go, levelling of wear.
//! - [`Drive`] is the simulated drive. It is a [`crate::waf::Meter`], too, as a real one is.
//!
//! Nothing here knows of time or of bytes' contents. Equal options and equal writes give equal
//! figures, whatever the batches they come in.

mod blocks;
mod counters;
mod drive;
mod geometry;
mod memory;
mod options;
mod victims;
mod wear;

pub use counters::Counters;
pub use drive::Drive;
pub use geometry::{Geometry, GeometryError, Sizing};
pub use options::{Moved, Options, Victim};
pub use wear::Wear;

#[cfg(test)]
mod tests;
