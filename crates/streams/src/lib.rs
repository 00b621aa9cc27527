//! Where writes land on flash: rules that give files a lifetime, and the write hints that tell it
//! to the kernel.
//!
//! Layers, from the bottom:
//! - [`lifetime`]: the lifetimes that the kernel knows.
//! - [`hint`]: the write hint of an open file, read and set.
//! - [`rules`]: which files get which lifetime; rule files, their grammar and their faults.
//! - [`builtin`]: rule sets for the files of MySQL and MariaDB.
//! - [`keeper`]: a thread that gives the files of whole directories the hints that rules want, and
//!   keeps it so.
//!
//! Hints are the inode's, in memory: every open descriptor of the file writes with them, the one
//! that set them need not stay open, and they are gone when the kernel drops the inode. Whether a
//! drive hears of them is another matter, which nothing here can know.

pub mod builtin;
mod ere;
pub mod hint;
pub mod keeper;
pub mod lifetime;
mod mounts;
mod reach;
pub mod rules;
mod wait;
mod watch;

pub use builtin::Builtin;
pub use hint::HintError;
pub use keeper::{Keeper, Options, Status, Target};
pub use lifetime::Lifetime;
pub use rules::{Rule, Rules, RulesError};
