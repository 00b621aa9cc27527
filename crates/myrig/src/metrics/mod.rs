//! Prometheus metrics of the loads of a command, while they are on (`--metrics-addr`).
//!
//! - `address`: the option, which holds the [`Endpoint`] for as long as the command runs;
//! - `endpoint`: answers scrapes from a thread of its own;
//! - `board`: what is known of one load; `family`: which metrics there are of it, and `watched`:
//!   which of what is watched besides;
//! - `text`: the text exposition format, version 0.0.4, in which daemons tell their own, too
//!   ([`Endpoint::add`]).
//!
//! The format is written here rather than by a crate: it is a page of code, its numbers already
//! stand in one place a second, and a registry of atomics would only copy them.

mod address;
mod board;
mod endpoint;
mod family;
#[cfg(test)]
mod lint;
mod text;
mod watched;

pub(crate) use address::MetricsAddr;
pub(crate) use board::{Board, LoadFacts};
#[cfg(test)]
pub(crate) use lint::faults;
#[cfg(test)]
pub(crate) use text::exposition;
pub(crate) use text::{Family, Sample, Type};
