//! InnoDB pages of MySQL and MariaDB: what is in a page, and whether it is sound.
//!
//! Layers, from the bottom:
//! - [`checksum`]: the sums that InnoDB has had, each at the speed of memory.
//! - [`layout`], [`page_type`]: where things stand in a page, and what types of pages there are.
//! - [`space`]: what the flags of a tablespace say (page sizes, checksum, compression).
//! - [`verdict`]: what can be said of a page.
//! - `unpack`: what pages are compressed by, undone.
//! - [`check`]: a page in, a verdict out; no I/O.
//! - `identify`: what a tablespace is, by its first page.
//! - [`file`]: what kind of file it is, where files are, whether a server has them open.
//! - [`doublewrite`], [`redo`]: copies of pages, and redo logs.
//! - [`verify`]: whole files and directories, by the engine of crate `disk`.
//! - [`summary`]: what their pages hold.
//!
//! Sources are named where a format is read: headers of MySQL 8/9 (`fil0types.h`, `fsp0types.h`)
//! and of MariaDB 10.11 (`fil0fil.h`, `fsp0types.h`, `buf0checksum.cc`).

pub mod check;
pub mod checksum;
pub mod doublewrite;
pub mod file;
mod identify;
pub mod layout;
pub mod page_type;
pub mod redo;
pub mod space;
pub mod summary;
mod unpack;
pub mod verdict;
pub mod verify;

pub use check::{Algorithm, Checker, Place, WrongFormat};
pub use page_type::PageType;
pub use space::{Checksum, Flavour, Space, SpaceError};
pub use verdict::{Damage, Reason, Verdict};
