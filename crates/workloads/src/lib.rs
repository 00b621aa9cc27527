//! Benchmark workloads: what they store, what they ask, and how their data is checked.
//!
//! A workload stands on two things: [`engine::Workload`], which paces and records it, and
//! [`client::Connection`], which speaks to the server. It adds schema, data, transactions and
//! the conditions that its data must meet after any number of them.

mod condition;
mod drive;
pub(crate) mod load;
pub mod oltp;
pub mod tpcc;
pub mod tpch;
pub mod tprocc;

pub use condition::ConditionResult;
pub use drive::{Drive, Hearing};
