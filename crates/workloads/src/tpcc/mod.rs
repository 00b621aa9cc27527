//! TPC-C, revision 5.11: an order-entry business of warehouses, districts and customers.

pub mod error;
pub mod load;
pub mod profile;
pub mod random;
mod rows;
mod schema;
pub mod state;
mod table;

pub use error::Error;
pub use load::{LoadMethod, LoadOptions, LoadProgress, LoadSummary, load};
pub use profile::Profile;
pub use state::DataSet;
pub use table::Table;
