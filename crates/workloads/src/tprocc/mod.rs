//! TPROC-C: HammerDB's workload derived from TPC-C, whose transactions are stored procedures.
//!
//! What is TPC-C's own (random numbers, the loader, the consistency conditions) is taken from
//! [`crate::tpcc`].

mod calls;
mod check;
mod cleanup;
mod error;
pub mod input;
mod load;
pub mod procedures;
mod profile;
mod rows;
mod schema;
mod session;
mod state;
mod text;
mod workload;

pub use calls::{CallMode, Output};
pub use check::{Verdict, check};
pub use cleanup::cleanup;
pub use error::Error;
pub use load::{LoadOptions, load, replace_procedures};
pub use profile::Profile;
pub use schema::{TableOptions, is_engine_name, usual_partitions};
pub use session::TproccSession;
pub use state::DataSet;
pub use workload::{RunOptions, Tprocc};
