//! InnoDB pages of MySQL and MariaDB: what is in a page, and whether it is sound.
//!
//! Layers, from the bottom:
//! - [`checksum`]: the sums that InnoDB has had, each at the speed of memory.
//! - [`space`]: what the flags of a tablespace say (page sizes, checksum, compression).
//! - [`verdict`]: what can be said of a page.
//! - [`check`]: a page in, a verdict out; no I/O.
//! - `file`: what kind of file it is, and what that means for its pages.
//! - `verify`: whole files and directories, by the engine of crate `disk`.
//!
//! Sources are named where a format is read: headers of MySQL 8/9 (`fil0types.h`, `fsp0types.h`)
//! and of MariaDB 10.11 (`fil0fil.h`, `fsp0types.h`, `buf0checksum.cc`).

pub mod check;
pub mod checksum;
pub mod space;
pub mod verdict;

pub use check::{Checker, Place};
pub use space::{Checksum, Flavour, Space};
pub use verdict::{Damage, Reason, Verdict};
