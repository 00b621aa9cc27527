//! The types of pages, and what both flavours call them.

use crate::Flavour;

/// The type of a page, as it stands in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageType(pub u16);

impl PageType {
    /// Allocated and not yet used for anything.
    pub const ALLOCATED: Self = Self(0);
    /// The first page of a tablespace.
    pub const FSP_HDR: Self = Self(8);
    /// A page of extent descriptors other than the first.
    pub const XDES: Self = Self(9);
    /// The transaction system's header, page 5 of the system tablespace.
    pub const TRX_SYS: Self = Self(7);
    /// MySQL: compressed (`COMPRESSION=…`).
    pub const COMPRESSED: Self = Self(14);
    /// MySQL: encrypted.
    pub const ENCRYPTED: Self = Self(15);
    /// MySQL: compressed, then encrypted.
    pub const COMPRESSED_AND_ENCRYPTED: Self = Self(16);
    /// MySQL: an encrypted page of a spatial index.
    pub const ENCRYPTED_RTREE: Self = Self(17);
    /// MariaDB: root of a clustered index with instantly changed columns. MySQL gives this number
    /// to [`Self::name`] `SDI_BLOB`.
    pub const INSTANT: Self = Self(18);
    /// MySQL: a page of serialized dictionary information.
    pub const SDI: Self = Self(17853);
    /// A page of a spatial index.
    pub const RTREE: Self = Self(17854);
    /// A page of a B-tree.
    pub const INDEX: Self = Self(17855);
    /// MariaDB, formats before `full_crc32`: page_compressed.
    pub const PAGE_COMPRESSED: Self = Self(34354);
    /// MariaDB, formats before `full_crc32`: page_compressed, then encrypted.
    pub const PAGE_COMPRESSED_ENCRYPTED: Self = Self(37401);
    /// MariaDB's `full_crc32`: set in the type of a page that is page_compressed; the low bits
    /// are then its length in units of 256 bytes.
    pub const FULL_CRC32_COMPRESSED: u16 = 0x8000;

    /// Whether it has the header of an index page ([`crate::layout::IndexHeader`]).
    pub fn is_index(self, flavour: Option<Flavour>) -> bool {
        matches!(self, Self::INDEX | Self::RTREE | Self::SDI)
            || self == Self::INSTANT && flavour == Some(Flavour::MariaDb)
    }

    /// Whether MySQL encrypted the page; it carries no sum over the ciphertext then.
    pub fn is_mysql_encrypted(self) -> bool {
        matches!(self, Self::ENCRYPTED | Self::COMPRESSED_AND_ENCRYPTED | Self::ENCRYPTED_RTREE)
    }

    /// What upstream calls it, without its prefix `FIL_PAGE_` or `FIL_PAGE_TYPE_`; none for a
    /// number that is no type. `flavour` decides about 18, which both use.
    pub fn name(self, flavour: Option<Flavour>) -> Option<&'static str> {
        Some(match self.0 {
            0 => "ALLOCATED",
            1 => "UNUSED",
            2 => "UNDO_LOG",
            3 => "INODE",
            4 => "IBUF_FREE_LIST",
            5 => "IBUF_BITMAP",
            6 => "SYS",
            7 => "TRX_SYS",
            8 => "FSP_HDR",
            9 => "XDES",
            10 => "BLOB",
            11 => "ZBLOB",
            12 => "ZBLOB2",
            13 => "UNKNOWN",
            14 => "COMPRESSED",
            15 => "ENCRYPTED",
            16 => "COMPRESSED_AND_ENCRYPTED",
            17 => "ENCRYPTED_RTREE",
            18 if flavour == Some(Flavour::MariaDb) => "INSTANT",
            18 => "SDI_BLOB",
            19 => "SDI_ZBLOB",
            20 => "LEGACY_DBLWR",
            21 => "RSEG_ARRAY",
            22 => "LOB_INDEX",
            23 => "LOB_DATA",
            24 => "LOB_FIRST",
            25 => "ZLOB_FIRST",
            26 => "ZLOB_DATA",
            27 => "ZLOB_INDEX",
            28 => "ZLOB_FRAG",
            29 => "ZLOB_FRAG_ENTRY",
            17853 => "SDI",
            17854 => "RTREE",
            17855 => "INDEX",
            34354 => "PAGE_COMPRESSED",
            37401 => "PAGE_COMPRESSED_ENCRYPTED",
            kind if kind & Self::FULL_CRC32_COMPRESSED != 0 => "PAGE_COMPRESSED",
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_that_both_flavours_use_is_told_apart() {
        assert_eq!(PageType::INSTANT.name(Some(Flavour::MariaDb)), Some("INSTANT"));
        assert_eq!(PageType::INSTANT.name(Some(Flavour::MySql)), Some("SDI_BLOB"));
        assert!(PageType::INSTANT.is_index(Some(Flavour::MariaDb)));
        assert!(!PageType::INSTANT.is_index(None));
    }

    #[test]
    fn a_number_that_is_no_type_has_no_name() {
        assert_eq!(PageType(30).name(None), None);
        assert_eq!(PageType(17852).name(None), None);
        assert_eq!(PageType(0x8004).name(Some(Flavour::MariaDb)), Some("PAGE_COMPRESSED"));
    }
}
