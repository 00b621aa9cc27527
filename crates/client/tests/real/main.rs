//! The client against real servers: MariaDB always, MySQL 9 where it is unpacked.

#![allow(clippy::unwrap_used)]

mod certificates;
mod support;

mod addresses;
mod auth;
mod tls;
