//! Stream rules proposed from a trace: which files live alike, and what it gains to keep them
//! together.
//!
//! - [`pattern`] generalises a file's name to its class, an extended regular expression.
//! - [`Lifetimes`] tells how long what a class wrote was wanted, in pages that the device wrote
//!   meanwhile.
//! - [`halves`] parts a trace, so that a gain can be told on writes that did not choose the rules.
//! - [`grouped`] parts classes into groups of like lifetimes, and [`propose`] chooses among such
//!   partings, and moves single classes, by what a simulated drive makes of them.

mod halves;
mod histogram;
mod lifetimes;
mod partition;
mod pattern;
mod propose;

pub use halves::halves;
pub use lifetimes::{ClassLife, Lifetimes, lifetimes};
pub use partition::grouped;
pub use pattern::{Classes, pattern};
pub use propose::{Proposal, Search, propose};
