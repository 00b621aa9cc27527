//! TPC-C against real servers: MariaDB, and MySQL 9 where it is unpacked.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

// First, for its macro.
#[macro_use]
mod support;

mod cleanup;
mod crash;
mod damage;
mod delivery;
mod disk;
mod faults;
mod killed;
mod load;
mod new_order;
mod payment;
mod queries;
mod resume;
mod run;
