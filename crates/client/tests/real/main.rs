//! The client against real servers: MariaDB always, MySQL 9 where it is unpacked.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod certificates;
mod support;

mod addresses;
mod auth;
mod bulk;
mod faults;
mod shared_io;
mod statements;
mod tls;
