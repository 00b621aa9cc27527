//! What can be said of a page.

use serde::Serialize;

/// What became of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum Verdict {
    /// Its sums hold, and it stands where it says.
    Ok,
    /// All zero: never written.
    Empty,
    /// Marked free in its extent descriptor; what it holds means nothing, whatever its sums say.
    Freed,
    /// Inside the doublewrite area: a copy of another page, and a sound one.
    Doublewrite,
    /// Nothing can be said, and that is no fault of the page.
    Unverifiable {
        /// Why not.
        reason: Reason,
    },
    /// Its beginning and its end are of different writes: the low halves of the LSN differ.
    Torn {
        /// The low 32 bits of the LSN in the header.
        header_lsn: u32,
        /// Those in the trailer.
        trailer_lsn: u32,
    },
    /// Sound by its sums, and in the wrong place.
    Misdirected {
        /// The page number that it carries, and the one it should.
        page: [u32; 2],
        /// The space id that it carries, and the one it should.
        space: [u32; 2],
    },
    /// Damaged.
    Bad {
        /// What does not hold.
        damage: Damage,
    },
}

/// Why nothing can be said of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It is encrypted and carries no sum over the ciphertext.
    Encrypted,
    /// Its format says that it carries no sum.
    NoChecksum,
    /// A copy in a doublewrite area or file that no format fits: mostly a write that a crash cut
    /// short. The server passes over it, and overwrites it before the area is needed again.
    UnfinishedCopy,
}

/// What does not hold of a damaged page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "damage", rename_all = "snake_case")]
pub enum Damage {
    /// No checksum that its format allows fits.
    Checksum {
        /// What the page carries in its checksum field (`full_crc32`: in its last four bytes).
        stored: u32,
        /// What it should carry by the format's first choice.
        calculated: u32,
    },
    /// Its compressed payload cannot be unpacked.
    Compressed,
    /// A length or type in its header is impossible.
    Header,
    /// The file ends inside it.
    Truncated {
        /// How much of it there is, in bytes.
        bytes: u32,
    },
    /// The device did not give it.
    Unreadable,
}

impl Verdict {
    /// Whether it is damage: the exit status is 1 then.
    pub fn is_bad(&self) -> bool {
        matches!(self, Self::Torn { .. } | Self::Misdirected { .. } | Self::Bad { .. })
    }
}
