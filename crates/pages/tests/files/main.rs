//! Files made by real servers: what is said of them whole, damaged, and by the stock tools.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod bad_input;
mod clean;
mod damage;
mod fixture;
mod flips;
mod freed;
mod load;
mod online;
mod stock;
mod support;
