//! The data of TPC-H: its eight tables in any size, as dbgen makes them. No queries: what is
//! measured on this data is how fast its files are read.
//!
//! [`table`] says what the tables are made of, `rows` cuts them into pieces and writes those,
//! [`data_set`] is what a database says of its own data; [`load`](mod@load),
//! [`check`](mod@check) and [`cleanup`](mod@cleanup) are the verbs.

pub mod check;
pub mod cleanup;
pub mod data_set;
pub mod error;
pub mod load;
mod rows;
pub mod table;

pub use check::check;
pub use cleanup::cleanup;
pub use data_set::{DataSet, SCALE_FACTORS};
pub use error::Error;
pub use load::{LoadOptions, LoadSummary, load};
pub use rows::{about, count};
pub use table::Table;
