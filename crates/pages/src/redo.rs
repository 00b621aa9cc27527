//! Redo logs: what can be checked without applying them.
//!
//! - [`header`]: whose log it is, and in which format.
//! - [`block`]: the formats in blocks of 512 bytes: MySQL's, and MariaDB's before 10.8.
//! - [`physical`]: MariaDB's since 10.8: checkpoints, and a chain of mini-transactions.
//!
//! After the end of a log stands what an earlier round has left, which is no damage. What tells an
//! end from damage: behind damage the log goes on.
//!
//! Sources: MySQL's `log0constants.h`, `log0files_io.h`; MariaDB's `log0log.h`, `log0recv.cc`,
//! `mtr0log.h`.

pub mod block;
pub mod header;
pub mod physical;

pub use header::{Format, Header};

use serde::Serialize;

/// A block of a redo log, bytes.
pub const BLOCK_BYTES: usize = 512;

/// What was found in a redo log, beside what is bad.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RedoSummary {
    /// The format, in words.
    pub format: String,
    /// Who wrote it, as it says itself.
    pub creator: String,
    /// The latest checkpoint's LSN; none where the file holds none.
    pub checkpoint_lsn: Option<u64>,
    /// Where the log ends, as far as that could be followed.
    pub end_lsn: Option<u64>,
    /// Mini-transactions that were checked, in formats that have a sum for each.
    pub mini_transactions: u64,
}

/// The big-endian number at `at`; 0 where the bytes end before.
pub(crate) fn number_at<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    let taken = bytes.get(at..at + N).unwrap_or_default();
    taken.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
