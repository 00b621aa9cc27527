//! The block layer watched on real devices: loop devices, with ext4 and XFS on them.

mod compiled;
mod counted;
mod hints;
mod partition;
mod support;
