//! Connections to MySQL and its kin.
//!
//! [`Target`] says where and as whom; [`Connection`] speaks. The protocol is our own code, because
//! what a client burns it takes from the server that it measures: nothing is allocated a query,
//! replies are decoded where they lie, and the connections of a thread can share their system
//! calls. The arithmetic of logins and TLS are libraries'.
//! A target is made of [`Options`], which come in parts: a command line's, and under it those of
//! a [`DefaultsFile`].

mod cell;
mod connect;
mod connection;
mod defaults;
mod error;
mod infile;
mod login;
mod options;
mod password_file;
mod row;
mod target;
mod value;
mod wire;

pub use connection::{Connection, Statement};
pub use defaults::{Content, DefaultsError, DefaultsFile, DefaultsWarning, Files};
pub use error::{Error, ErrorClass};
pub use options::{Options, OptionsError, Protocol};
pub use password_file::{PasswordFile, PasswordFileError, read_password_file};
pub use row::{Row, Rows};
pub use target::{Endpoint, Secret, Target, Tls, TlsMode};
pub use value::Value;
pub use wire::reply::Done;
