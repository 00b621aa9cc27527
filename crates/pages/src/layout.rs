//! Where things stand in a page: views over bytes that copy nothing.
//!
//! A view is made of bytes whose length was checked once; after that no accessor can fail. What
//! the fields say is not checked here: any bytes may stand in them.
//!
//! Sources: `fil0types.h`, `page0types.h` of MySQL 8, `fil0fil.h`, `page0page.h` of MariaDB 10.11.

/// Offsets in a page, in bytes. All numbers are big-endian.
pub mod field {
    /// The checksum (`FIL_PAGE_SPACE_OR_CHKSUM`); with MariaDB's `full_crc32` the version of the
    /// key that encrypted the page.
    pub const CHECKSUM: usize = 0;
    /// The page's number (`FIL_PAGE_OFFSET`).
    pub const NUMBER: usize = 4;
    /// The page before it among its siblings; in MySQL's page 0 the server's version.
    pub const PREVIOUS: usize = 8;
    /// The page after it among its siblings; in MySQL's page 0 the version of the space.
    pub const NEXT: usize = 12;
    /// The LSN of the newest change, 8 bytes.
    pub const LSN: usize = 16;
    /// The type, 2 bytes.
    pub const TYPE: usize = 24;
    /// 8 bytes that each format uses otherwise: the LSN of the last flush, the key version of
    /// MariaDB's older encryption, what MySQL says of a compressed page.
    pub const FLUSH_LSN: usize = 26;
    /// MariaDB's older encryption: the checksum of the ciphertext.
    pub const CIPHERTEXT_CHECKSUM: usize = 30;
    /// The id of the tablespace.
    pub const SPACE: usize = 34;
    /// Where the header ends.
    pub const DATA: usize = 38;
    /// From the end: the trailer's checksum; with `full_crc32` the low half of the LSN.
    pub const TRAILER_FROM_END: usize = 8;
    /// From the end: the trailer's low half of the LSN; with `full_crc32` the checksum.
    pub const LAST_FROM_END: usize = 4;

    /// MySQL's compressed pages: the version of the format, 1 byte.
    pub const COMPRESSED_VERSION: usize = 26;
    /// MySQL's compressed pages: the method, 1 byte.
    pub const COMPRESSED_METHOD: usize = 27;
    /// MySQL's compressed pages: the type before, 2 bytes.
    pub const ORIGINAL_TYPE: usize = 28;
    /// MySQL's compressed pages: bytes of data before, 2 bytes.
    pub const ORIGINAL_BYTES: usize = 30;
    /// MySQL's compressed pages: bytes of data now, 2 bytes.
    pub const COMPRESSED_BYTES: usize = 32;

    /// Index pages: end of the records' heap, 2 bytes.
    pub const HEAP_TOP: usize = DATA + 2;
    /// Index pages: records in the heap with the two that every page has; bit 15 is set unless the
    /// row format is `REDUNDANT`.
    pub const HEAP_RECORDS: usize = DATA + 4;
    /// Index pages: bytes in deleted records, 2 bytes.
    pub const GARBAGE: usize = DATA + 8;
    /// Index pages: user records, 2 bytes.
    pub const RECORDS: usize = DATA + 16;
    /// Index pages: level in the tree, leaves are 0; 2 bytes.
    pub const LEVEL: usize = DATA + 26;
    /// Index pages: id of the index, 8 bytes.
    pub const INDEX_ID: usize = DATA + 28;
}

/// The least that is a page: `KEY_BLOCK_SIZE=1`.
pub const LEAST_PAGE_BYTES: usize = 1024;
/// The most that is a page: `innodb_page_size=64k`.
pub const MOST_PAGE_BYTES: usize = 65536;
/// What stands in both checksum fields where there is no checksum (`BUF_NO_CHECKSUM_MAGIC`).
pub const NO_CHECKSUM: u32 = 0xDEAD_BEEF;

/// Any page, whatever its type.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    bytes: &'a [u8],
    /// The beginning of `bytes`, of which the compiler knows the length.
    head: &'a [u8; LEAST_PAGE_BYTES],
}

impl<'a> Page<'a> {
    /// A view of `bytes`; none if they are fewer than the smallest page has.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        bytes.first_chunk().map(|head| Self { bytes, head })
    }

    /// The bytes behind it.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The checksum field of the header.
    pub fn checksum(&self) -> u32 {
        self.u32(field::CHECKSUM)
    }

    /// The page number that it carries.
    pub fn number(&self) -> u32 {
        self.u32(field::NUMBER)
    }

    /// The sibling before it.
    pub fn previous(&self) -> u32 {
        self.u32(field::PREVIOUS)
    }

    /// The sibling after it.
    pub fn next(&self) -> u32 {
        self.u32(field::NEXT)
    }

    /// The LSN of its newest change.
    pub fn lsn(&self) -> u64 {
        u64::from(self.u32(field::LSN)) << 32 | u64::from(self.lsn_low())
    }

    /// The high 32 bits of [`Self::lsn`].
    pub fn lsn_high(&self) -> u32 {
        self.u32(field::LSN)
    }

    /// The low 32 bits of [`Self::lsn`].
    pub fn lsn_low(&self) -> u32 {
        self.u32(field::LSN + 4)
    }

    /// Its type as it stands; [`crate::PageType`] gives it a name.
    pub fn kind(&self) -> u16 {
        self.u16(field::TYPE)
    }

    /// The id of its tablespace.
    pub fn space(&self) -> u32 {
        self.u32(field::SPACE)
    }

    /// The first word of the trailer: a checksum, or the low half of the LSN.
    pub fn trailer(&self) -> u32 {
        self.bytes.last_chunk().map_or(0, |end: &[u8; 8]| word(end, 0))
    }

    /// The last word: the low half of the LSN, or a checksum.
    pub fn last(&self) -> u32 {
        self.bytes.last_chunk().map_or(0, |end: &[u8; 8]| word(end, 4))
    }

    /// What an index page says of itself; of any other page it is nonsense.
    pub fn index(&self) -> IndexHeader {
        let high = u64::from(self.u32(field::INDEX_ID));
        IndexHeader {
            index: high << 32 | u64::from(self.u32(field::INDEX_ID + 4)),
            level: self.u16(field::LEVEL),
            records: self.u16(field::RECORDS),
            heap_top: self.u16(field::HEAP_TOP),
            garbage_bytes: self.u16(field::GARBAGE),
            redundant: self.u16(field::HEAP_RECORDS) & 0x8000 == 0,
        }
    }

    /// A big-endian number at `offset`, which the caller knows to be inside the smallest page.
    #[inline]
    pub(crate) fn u16(&self, offset: usize) -> u16 {
        u16::from_be_bytes([self.head[offset], self.head[offset + 1]])
    }

    /// A big-endian number at `offset`, which the caller knows to be inside the smallest page.
    #[inline]
    pub(crate) fn u32(&self, offset: usize) -> u32 {
        word(self.head, offset)
    }
}

/// A big-endian number in bytes, which the caller knows to be inside.
#[inline]
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The header of an index page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexHeader {
    /// The id of the index that the page belongs to.
    pub index: u64,
    /// Its level in the tree; leaves are 0.
    pub level: u16,
    /// User records.
    pub records: u16,
    /// Where the heap of records ends, in bytes from the page's beginning.
    pub heap_top: u16,
    /// Bytes in records that were deleted.
    pub garbage_bytes: u16,
    /// The row format is `REDUNDANT`.
    pub redundant: bool,
}

impl IndexHeader {
    /// Bytes that live records take, of [`Self::capacity_bytes`]; 0 where the header is nonsense.
    pub fn data_bytes(&self) -> u32 {
        let records = i64::from(self.heap_top) - i64::from(self.first_record());
        u32::try_from(records - i64::from(self.garbage_bytes)).unwrap_or(0)
    }

    /// Bytes that records and their directory may take in a page of `page_bytes`.
    pub fn capacity_bytes(&self, page_bytes: u32) -> u32 {
        // The trailer, and the two slots that the directory has at least.
        page_bytes.saturating_sub(self.first_record() + 8 + 4)
    }

    /// Where user records begin: after the header, the two segments and the records that mark
    /// the ends (`PAGE_NEW_SUPREMUM_END`, `PAGE_OLD_SUPREMUM_END`).
    fn first_record(&self) -> u32 {
        if self.redundant { 125 } else { 120 }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fewer_bytes_than_the_smallest_page_are_none() {
        assert!(Page::new(&[0; 1023]).is_none());
        assert!(Page::new(&[]).is_none());
        assert!(Page::new(&[0; 1024]).is_some());
    }

    #[test]
    fn fields_are_read_where_upstream_writes_them() {
        let bytes: Vec<u8> = (0..1024).map(|at| (at % 251) as u8).collect();
        let page = Page::new(&bytes).unwrap();
        assert_eq!(page.checksum(), 0x0001_0203);
        assert_eq!(page.number(), 0x0405_0607);
        assert_eq!(page.lsn(), 0x1011_1213_1415_1617);
        assert_eq!(page.kind(), 0x1819);
        assert_eq!(page.space(), 0x2223_2425);
        assert_eq!(page.trailer(), u32::from_be_bytes(bytes[1016..1020].try_into().unwrap()));
        assert_eq!(page.last(), u32::from_be_bytes(bytes[1020..].try_into().unwrap()));
    }

    proptest! {
        #[test]
        fn nothing_panics_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 1000..1100)) {
            if let Some(page) = Page::new(&bytes) {
                let index = page.index();
                prop_assert!(index.data_bytes() <= 65536);
                prop_assert!(index.capacity_bytes(1024) < 1024);
                prop_assert_eq!(page.lsn() as u32, page.lsn_low());
                prop_assert_eq!((page.lsn() >> 32) as u32, page.lsn_high());
            }
        }
    }
}
