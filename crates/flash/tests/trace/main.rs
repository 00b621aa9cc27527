//! The block layer watched on real devices: loop devices, with ext4 and XFS on them.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod compiled;
mod counted;
mod hints;
mod partition;
mod support;
