//! The myrig command.
fn main() {}
