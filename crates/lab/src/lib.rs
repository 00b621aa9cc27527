//! Experiments: what a run is, what is kept of it, and what can be concluded from it.
//!
//! - [`record`]: a run as data, with [`histogram`] for its latencies;
//! - [`statistics`]: means with honest intervals; [`headline`]: figures of merit made of them;
//! - [`comparison`]: one set of runs beside another, with a verdict; [`trend`]: where a history of
//!   runs changed;
//! - [`sweep`]: runs with more and more load, their peak and their knee; [`group`]: runs side by
//!   side on several servers;
//! - [`experiment`]: a procedure, its variants and what became of them, and the two traits by
//!   which a capability takes part;
//! - [`hints`]: what write hints are worth to drives that were given the same writes;
//! - [`store`]: every run in one SQLite file; [`export`]: JSON and CSV of it.

pub mod comparison;
pub mod experiment;
pub mod export;
pub mod group;
pub mod headline;
pub mod hints;
pub mod histogram;
#[cfg(test)]
mod noise;
pub mod record;
pub mod statistics;
pub mod store;
pub mod sweep;
pub mod trend;
