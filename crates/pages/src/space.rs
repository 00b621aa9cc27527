//! What the flags of a tablespace say of its pages.
//!
//! Sources: `fsp0types.h` of MySQL 8 and MariaDB 10.11, `fsp0fsp.h` of MariaDB 10.11 for what
//! MariaDB 10.1.0 to 10.1.20 wrote.

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
    /// `ROW_FORMAT=COMPRESSED`, and not always then.
    pub physical_bytes: u32,
    /// `ROW_FORMAT=COMPRESSED`: the checksum stands in the header only.
    pub zip: bool,
    /// MariaDB's `PAGE_COMPRESSED` is on.
    pub page_compressed: bool,
    /// MySQL's `ENCRYPTION='Y'` is on. MariaDB says so page by page.
    pub encrypted: bool,
}

/// Why bytes are not the first page of a tablespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpaceError {
    /// Fewer bytes than the smallest page.
    #[error("{bytes} bytes are less than the smallest page")]
    Short {
        /// How many there are.
        bytes: usize,
    },
    /// Nothing was ever written there.
    #[error("the first page is all zero")]
    Empty,
    /// A page, perhaps, and not the first.
    #[error("the first page carries page number {number} instead of 0")]
    NotFirst {
        /// The number that it carries.
        number: u32,
    },
    /// The header of the page and that of the space contradict each other.
    #[error("the first page carries space id {page} in its header and {space} in the space's")]
    Ids {
        /// The id in the header that every page has.
        page: u32,
        /// The id in the header of the space.
        space: u32,
    },
    /// No server writes such flags.
    #[error("tablespace flags {flags:#x} are impossible: {why}")]
    Flags {
        /// The flags.
        flags: u32,
        /// What is impossible in them.
        why: &'static str,
    },
}

/// Bits of the flags; those that MariaDB's `full_crc32` has in other places are not here.
mod bit {
    pub(super) const POST_ANTELOPE: u32 = 1;
    pub(super) const FULL_CRC32: u32 = 1 << 4;
    pub(super) const ATOMIC_BLOBS: u32 = 1 << 5;
    pub(super) const SHARED: u32 = 1 << 11;
    pub(super) const TEMPORARY: u32 = 1 << 12;
    pub(super) const ENCRYPTION: u32 = 1 << 13;
    pub(super) const SDI: u32 = 1 << 14;
    pub(super) const PAGE_COMPRESSION: u32 = 1 << 16;
    /// What only MySQL sets.
    pub(super) const MYSQL: u32 = SHARED | TEMPORARY | ENCRYPTION | SDI;
}

impl Space {
    /// What `flags` say of the tablespace `id`. Where they could be those of MariaDB 10.1.0 to
    /// 10.1.20 or of a later server, the later one is believed; [`Self::of_page_zero`] looks
    /// closer.
    ///
    /// # Errors
    /// [`SpaceError::Flags`] if no server writes them.
    pub fn from_flags(flags: u32, id: u32) -> Result<Self, SpaceError> {
        if flags & bit::FULL_CRC32 != 0 {
            return full_crc32(flags, id);
        }
        classic(flags, id).or_else(|error| mariadb_101(flags, id).ok_or(error))
    }

    /// The other reading of ambiguous flags: MariaDB 10.1.0 to 10.1.20, if it differs.
    pub(crate) fn from_flags_101(flags: u32, id: u32) -> Option<Self> {
        mariadb_101(flags, id).filter(|old| classic(flags, id).as_ref() != Ok(old))
    }

    /// The method of MariaDB's `PAGE_COMPRESSED` in `full_crc32` tablespaces, where the flags say
    /// it (1 zlib, 2 lz4, 3 lzo, 4 lzma, 5 bzip2, 6 snappy).
    pub fn full_crc32_method(&self) -> Option<u16> {
        let method = (self.flags >> 5 & 7) as u16;
        (self.checksum == Checksum::FullCrc32 && method != 0).then_some(method)
    }

    /// Pages an extent: 1 MiB of pages up to 16 KiB, 64 of larger ones.
    pub fn extent_pages(&self) -> u32 {
        extent_pages(self.logical_bytes)
    }
}

/// Pages an extent, by the size of a page in the buffer pool (`FSP_EXTENT_SIZE`).
pub(crate) fn extent_pages(logical_bytes: u32) -> u32 {
    (1 << 20) / logical_bytes.clamp(4096, 16384)
}

/// MariaDB's `full_crc32` (`fil_space_t::is_fcrc32_valid_flags`).
fn full_crc32(flags: u32, id: u32) -> Result<Space, SpaceError> {
    let bytes = match flags & 15 {
        size @ 3..=7 => 512 << size,
        _ => return Err(SpaceError::Flags { flags, why: "pages are 4 to 64 KiB" }),
    };
    if flags >> 5 > 6 {
        return Err(SpaceError::Flags { flags, why: "there are six methods of compression" });
    }
    Ok(Space {
        flags,
        id,
        flavour: Some(Flavour::MariaDb),
        checksum: Checksum::FullCrc32,
        logical_bytes: bytes,
        physical_bytes: bytes,
        zip: false,
        page_compressed: flags >> 5 != 0,
        encrypted: false,
    })
}

/// Every other format (`fsp_flags_is_valid` of MySQL, `fil_space_t::is_valid_flags` of MariaDB).
fn classic(flags: u32, id: u32) -> Result<Space, SpaceError> {
    let refuse = |why| Err(SpaceError::Flags { flags, why });
    let page_compressed = flags & bit::PAGE_COMPRESSION != 0;
    if flags >> 17 != 0 || flags & 1 << 15 != 0 {
        return refuse("it has bits that nobody uses");
    }
    if page_compressed && flags & bit::MYSQL != 0 {
        return refuse("it has bits of MySQL and of MariaDB");
    }
    let (logical_bytes, physical_bytes) = match sizes(flags, flags >> 6 & 15) {
        Ok(sizes) => sizes,
        Err(why) => return refuse(why),
    };
    let zip = flags >> 1 & 15 != 0;
    if zip && page_compressed {
        return refuse("it is compressed twice");
    }
    let flavour = match flags {
        _ if page_compressed => Some(Flavour::MariaDb),
        _ if flags & bit::MYSQL != 0 => Some(Flavour::MySql),
        _ => None,
    };
    Ok(Space {
        flags,
        id,
        flavour,
        checksum: Checksum::Classic,
        logical_bytes,
        physical_bytes,
        zip,
        page_compressed,
        encrypted: flags & bit::ENCRYPTION != 0,
    })
}

/// What MariaDB 10.1.0 to 10.1.20 wrote: compression in bit 6, its level in 7 to 10, atomic
/// writes in 11 and 12, the page size in 13 to 16, the data directory in 17
/// (`fsp_flags_convert_from_101`).
fn mariadb_101(flags: u32, id: u32) -> Option<Space> {
    let (compressed, level) = (flags >> 6 & 1 != 0, flags >> 7 & 15);
    if flags >> 18 != 0 || compressed != (level != 0) || level > 9 || flags >> 11 & 3 == 3 {
        return None;
    }
    let (logical_bytes, physical_bytes) = sizes(flags, flags >> 13 & 15).ok()?;
    Some(Space {
        flags,
        id,
        flavour: Some(Flavour::MariaDb),
        checksum: Checksum::Classic,
        logical_bytes,
        physical_bytes,
        zip: flags >> 1 & 15 != 0,
        page_compressed: compressed,
        encrypted: false,
    })
}

/// Logical and physical page size, in bytes, of the low six bits and of the size's code, wherever
/// that stood; or what is impossible in them.
fn sizes(flags: u32, size: u32) -> Result<(u32, u32), &'static str> {
    let logical = match size {
        0 => 16384,
        3 | 4 | 6 | 7 => 512 << size,
        _ => return Err("pages are 4 to 64 KiB, and 16 KiB is 0"),
    };
    let row_format = flags & (bit::POST_ANTELOPE | bit::ATOMIC_BLOBS);
    if row_format == bit::ATOMIC_BLOBS {
        return Err("a row format after COMPACT that is not after COMPACT");
    }
    match flags >> 1 & 15 {
        0 => Ok((logical, logical)),
        _ if row_format != (bit::POST_ANTELOPE | bit::ATOMIC_BLOBS) => {
            Err("ROW_FORMAT=COMPRESSED without what it needs")
        }
        zip if zip > 5 || 512 << zip > logical => Err("a KEY_BLOCK_SIZE above the page size"),
        zip => Ok((logical, 512 << zip)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn flags_of_real_files_are_read() {
        // (flags, logical, physical, full_crc32, zip, page_compressed, flavour)
        let maria = Some(Flavour::MariaDb);
        let table = [
            (0x15, 16384, 16384, true, false, false, maria),
            (0x13, 4096, 4096, true, false, false, maria),
            (0x17, 65536, 65536, true, false, false, maria),
            (0x35, 16384, 16384, true, false, true, maria),
            (0x00, 16384, 16384, false, false, false, None),
            (0x21, 16384, 16384, false, false, false, None),
            (0x10021, 16384, 16384, false, false, true, maria),
            (0x27, 16384, 4096, false, true, false, None),
            (0xe1, 4096, 4096, false, false, false, None),
            (0x4021, 16384, 16384, false, false, false, Some(Flavour::MySql)),
            (0x4800, 16384, 16384, false, false, false, Some(Flavour::MySql)),
        ];
        for (flags, logical, physical, full, zip, compressed, flavour) in table {
            let space = Space::from_flags(flags, 7).unwrap();
            assert_eq!((space.flags, space.id), (flags, 7));
            assert_eq!((space.logical_bytes, space.physical_bytes), (logical, physical));
            assert_eq!(space.checksum == Checksum::FullCrc32, full, "{flags:#x}");
            assert_eq!((space.zip, space.page_compressed), (zip, compressed), "{flags:#x}");
            assert_eq!(space.flavour, flavour, "{flags:#x}");
        }
    }

    #[test]
    fn what_is_impossible_is_said() {
        for (flags, why) in [
            (0x10, "pages are 4 to 64 KiB"),
            (0x18, "pages are 4 to 64 KiB"),
            (0x15 | 7 << 5, "there are six methods of compression"),
            (0x20, "a row format after COMPACT that is not after COMPACT"),
            (0x1021 | 0x800 | 0x8000, "it has bits that nobody uses"),
            (0x8000_0021, "it has bits that nobody uses"),
            (0x21 | 1 << 6, "pages are 4 to 64 KiB, and 16 KiB is 0"),
            (0x2d | 3 << 6, "a KEY_BLOCK_SIZE above the page size"),
            (0x0a, "ROW_FORMAT=COMPRESSED without what it needs"),
        ] {
            let error = Space::from_flags(flags, 0).unwrap_err();
            assert_eq!(error, SpaceError::Flags { flags, why });
        }
    }

    #[test]
    fn the_wrong_layout_of_mariadb_10_1_is_recognised() {
        // PAGE_COMPRESSED with level 6, which would be the impossible page size 13.
        let space = Space::from_flags(0x21 | 1 << 6 | 6 << 7, 9).unwrap();
        assert!(space.page_compressed);
        assert_eq!((space.logical_bytes, space.flavour), (16384, Some(Flavour::MariaDb)));
        // 8 KiB pages: bit 15, which nobody else sets.
        assert_eq!(Space::from_flags(0x21 | 4 << 13, 9).unwrap().logical_bytes, 8192);
        // Level 3 looks like pages of 64 KiB, and 4 KiB pages like MySQL's encryption.
        let ambiguous = 0x21 | 1 << 6 | 3 << 7;
        assert_eq!(Space::from_flags(ambiguous, 9).unwrap().logical_bytes, 65536);
        assert_eq!(Space::from_flags_101(ambiguous, 9).unwrap().logical_bytes, 16384);
        assert_eq!(Space::from_flags_101(0x21 | 3 << 13, 9).unwrap().logical_bytes, 4096);
    }

    #[test]
    fn extents_are_as_long_as_upstream_says() {
        let pages = [4096, 8192, 16384, 32768, 65536].map(extent_pages);
        assert_eq!(pages, [256, 128, 64, 64, 64]);
    }

    proptest! {
        #[test]
        fn any_flags_are_refused_or_give_sizes_that_exist(flags: u32, id: u32) {
            if let Ok(space) = Space::from_flags(flags, id) {
                prop_assert!(space.logical_bytes.is_power_of_two());
                prop_assert!((4096..=65536).contains(&space.logical_bytes));
                prop_assert!(space.physical_bytes.is_power_of_two());
                prop_assert!((1024..=space.logical_bytes).contains(&space.physical_bytes));
            }
        }
    }
}
