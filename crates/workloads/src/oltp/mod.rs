//! The OLTP transactions of sysbench: eight scripts over one kind of table, all made from the same
//! counts of statements.
//!
//! # Layers
//!
//! `random` draws row numbers, `text` the strings of a row, `mix` and `statement` say what a
//! transaction consists of. `data_set` describes tables and recognises those that sysbench or we
//! made, `load` fills them, `check` looks at them after a run. `session` runs transactions and
//! `workload` is what the engine drives.

pub mod check;
pub mod cleanup;
pub mod data_set;
pub mod error;
pub mod kind;
pub mod load;
pub mod mix;
pub mod options;
pub mod queries;
pub mod random;
mod session;
mod state;
mod statement;
mod tables;
mod text;
pub mod workload;

pub use check::{CheckOptions, check};
pub use cleanup::cleanup;
pub use data_set::{DataSet, Schema};
pub use error::Error;
pub use kind::Kind;
pub use load::{LoadMethod, LoadOptions, LoadProgress, LoadSummary, load};
pub use mix::Mix;
pub use options::{Ignore, Options, Protocol};
pub use queries::Queries;
pub use random::{Distribution, DistributionOptions, Shape, Unique};
pub use session::OltpSession;
pub use workload::Oltp;
