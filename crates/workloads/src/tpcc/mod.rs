//! TPC-C, revision 5.11: an order-entry business of warehouses, districts and customers.

pub mod check;
pub mod cleanup;
pub mod error;
pub mod input;
pub mod isolation;
pub(crate) mod limits;
pub mod load;
pub(crate) mod lock;
pub mod profile;
pub mod random;
pub(crate) mod rows;
mod schema;
pub mod state;
mod table;
pub(crate) mod transactions;
pub mod workload;

pub use check::{CheckProgress, check};
pub use cleanup::cleanup;
pub use error::Error;
pub use isolation::Isolation;
pub use load::{LoadMethod, LoadOptions, LoadProgress, LoadSummary, load};
pub use profile::Profile;
pub use state::DataSet;
pub use table::Table;
pub use transactions::{Output, Placed};
pub use workload::{DeliveryMode, RunOptions, Tpcc, TpccSession};
