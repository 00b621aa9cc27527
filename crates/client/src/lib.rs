//! Connections to MySQL and its kin.
//!
//! [`Target`] says where and as whom; [`Connection`] speaks. The wire library stays behind this
//! interface: nothing of it appears in a signature, so that a leaner one can take its place.

mod connection;
mod error;
mod row;
mod target;

pub use connection::{Connection, Done, Statement};
pub use error::{Error, ErrorClass};
pub use row::{Row, Value};
pub use target::{Endpoint, Secret, Target, Tls, TlsMode};
