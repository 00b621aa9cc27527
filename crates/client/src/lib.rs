//! Connections to MySQL and its kin.
//!
//! [`Target`] says where and as whom; [`Connection`] speaks. The wire library stays behind this
//! interface: nothing of it appears in a signature, so that a leaner one can take its place.
//! A target is made of [`Options`], which come in parts: a command line's, and under it those of
//! a [`DefaultsFile`].

mod cell;
mod connect;
mod connection;
mod defaults;
mod error;
mod infile;
mod options;
mod password_file;
mod row;
mod target;
mod value;
mod wire;

pub use connection::{Connection, Done, Statement};
pub use defaults::{Content, DefaultsError, DefaultsFile, DefaultsWarning, Files};
pub use error::{Error, ErrorClass};
pub use options::{Options, OptionsError, Protocol};
pub use password_file::{PasswordFile, PasswordFileError, read_password_file};
pub use row::{Row, Rows};
pub use target::{Endpoint, Secret, Target, Tls, TlsMode};
pub use value::Value;
