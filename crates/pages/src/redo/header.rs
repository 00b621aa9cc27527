//! The first block of a redo log.

use super::{BLOCK_BYTES, number_at};

/// The bit of MariaDB's format that says that the log is encrypted.
const ENCRYPTED: u32 = 1 << 31;

/// MariaDB since 10.8, encrypted: a key, in UTF-8.
const PHYSICAL_ENCRYPTED: u32 = 0xF09F_979D;

/// How a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Blocks of 512 bytes without sums of today: before MySQL 5.7.9 and MariaDB 10.2.
    Ancient,
    /// Blocks of 512 bytes with CRC-32C, round and round in one file or several.
    Circular(u32),
    /// The same, in a file that is written once: MySQL since 8.0.30.
    Numbered(u32),
    /// MariaDB since 10.8: no blocks.
    Physical,
}

impl Format {
    /// What a person calls it.
    pub fn words(self) -> String {
        match self {
            Self::Ancient => "of before MySQL 5.7.9 and MariaDB 10.2".to_owned(),
            Self::Circular(0x5048_5953) => "MariaDB 10.5".to_owned(),
            Self::Circular(format) => format!("{format}"),
            Self::Numbered(format) => format!("MySQL {format}"),
            Self::Physical => "MariaDB 10.8".to_owned(),
        }
    }
}

/// What the first block says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The format.
    pub format: Format,
    /// MariaDB's log is encrypted. MySQL says so block by block.
    pub encrypted: bool,
    /// The LSN at the first byte of data, where the format has it.
    pub start_lsn: u64,
    /// Who wrote it.
    pub creator: String,
}

impl Header {
    /// Reads a file's first block. None for a format that nobody has had.
    pub fn of_block(block: &[u8]) -> Option<Self> {
        if block.len() < BLOCK_BYTES {
            return None;
        }
        let word = number_at::<4>(block, 0) as u32;
        let encrypted = word & ENCRYPTED != 0 && word != PHYSICAL_ENCRYPTED;
        let bare = if encrypted { word & !ENCRYPTED } else { word };
        let format = match bare {
            0 => Format::Ancient,
            0x5068_7973 | PHYSICAL_ENCRYPTED => Format::Physical,
            // MySQL 5.7.9 to 8.0.29 and MariaDB 10.2; MariaDB 10.3, 10.4, 10.5.
            format @ (1..=5 | 103 | 104 | 0x5048_5953) => Format::Circular(format),
            format @ 6..=99 => Format::Numbered(format),
            _ => return None,
        };
        let creator = block.get(16..48)?.split(|&byte| byte == 0).next().unwrap_or_default();
        let creator = String::from_utf8_lossy(creator).trim().to_owned();
        let encrypted = encrypted || word == PHYSICAL_ENCRYPTED;
        Some(Self { format, encrypted, start_lsn: number_at::<8>(block, 8), creator })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn block(format: u32, creator: &str) -> Vec<u8> {
        let mut block = vec![0; BLOCK_BYTES];
        block[..4].copy_from_slice(&format.to_be_bytes());
        block[8..16].copy_from_slice(&12_288_u64.to_be_bytes());
        block[16..16 + creator.len()].copy_from_slice(creator.as_bytes());
        block
    }

    #[test]
    fn the_first_block_says_whose_log_it_is() {
        let read = |format| Header::of_block(&block(format, "MariaDB 10.11.19"));
        let header = read(0x5068_7973).unwrap();
        assert_eq!((header.format, header.encrypted), (Format::Physical, false));
        assert_eq!((header.start_lsn, header.creator.as_str()), (12_288, "MariaDB 10.11.19"));
        assert_eq!(read(6).unwrap().format, Format::Numbered(6));
        assert_eq!(read(1).unwrap().format, Format::Circular(1));
        assert!(read(0x8000_0067).unwrap().encrypted);
        let key = read(0xF09F_979D).unwrap();
        assert_eq!((key.format, key.encrypted), (Format::Physical, true));
        assert_eq!(read(0x1234_5678), None);
        assert_eq!(Header::of_block(&[0; 100]), None);
    }
}
