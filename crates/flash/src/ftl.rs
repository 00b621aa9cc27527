//! A page-mapped flash translation layer, simulated: what a drive does with the pages that a host
//! writes, and how many more it writes itself when it collects garbage.
//!
//! - [`Geometry`] is what a drive is made of, [`Sizing`] how a person says it.
//! - [`Options`] adds how it works: streams, the [`Victim`] that is collected, where the pages that
//!   it [`Moved`] go, levelling of wear, how spare space is shared out ([`SpareSplit`]).
//! - [`Drive`] is the simulated drive. It is a [`crate::waf::Meter`], too, as a real one is.
//! - [`Buffer`] is what can stand in front of one: a write buffer.
//!
//! Nothing here knows of time or of bytes' contents. Equal options and equal writes give equal
//! figures, whatever the batches they come in.

mod blocks;
mod buffer;
mod counters;
mod drive;
mod geometry;
mod memory;
mod options;
mod spare_split;
mod victims;
mod wear;

pub use buffer::{Buffer, Placed};
pub use counters::Counters;
pub use drive::Drive;
pub use geometry::{Geometry, GeometryError, Sizing};
pub use options::{Moved, Options, Victim};
pub use spare_split::SpareSplit;
pub use wear::Wear;

#[cfg(test)]
mod tests;
