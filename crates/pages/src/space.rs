//! What the flags of a tablespace say of its pages.

use serde::Serialize;

/// Who wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Flavour {
    /// MySQL or Percona Server.
    MySql,
    /// MariaDB.
    MariaDb,
}

/// Which sums the pages of a tablespace carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Checksum {
    /// MariaDB's `full_crc32`: CRC-32C of the whole page, in its last four bytes.
    FullCrc32,
    /// Field and trailer of every earlier format: `crc32`, its big-endian form, `innodb`, `none`.
    /// Which of them is decided page by page, since a file may hold several.
    Classic,
}

/// What is known of a tablespace, from the flags in its first page (`FSP_SPACE_FLAGS`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Space {
    /// The flags as they stand.
    pub flags: u32,
    /// The space id; 0 is the system tablespace.
    pub id: u32,
    /// Who wrote it, where that can be told.
    pub flavour: Option<Flavour>,
    /// Which sums its pages carry.
    pub checksum: Checksum,
    /// A page in the buffer pool, in bytes.
    pub logical_bytes: u32,
    /// A page in the file, in bytes; less than [`Self::logical_bytes`] only with
    /// `ROW_FORMAT=COMPRESSED`.
    pub physical_bytes: u32,
    /// MariaDB's `PAGE_COMPRESSED` is on.
    pub page_compressed: bool,
    /// MySQL's `ENCRYPTION='Y'` is on. MariaDB says so page by page.
    pub encrypted: bool,
}
