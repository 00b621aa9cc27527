//! What the first page of a tablespace says, as far as the front end needs it.

use pages::{Checker, Flavour, Space, doublewrite::Area};
use std::{fs::File, os::unix::fs::FileExt};

/// The smallest page, and what is read of a file before its page size is known, in bytes.
pub(super) const LEAST_BYTES: usize = 1024;
/// The page of the system tablespace that says where the doublewrite area is.
pub(super) const TRX_SYS_PAGE: u32 = 5;
/// Where extent descriptors begin in their page, in bytes.
const DESCRIPTORS: usize = 150;
/// Where the bitmap of pages begins in a descriptor.
const BITMAP: usize = 24;

/// A big-endian number in a page; 0 behind its end.
pub(super) fn u16_at(page: &[u8], at: usize) -> u16 {
    page.get(at..at + 2).map_or(0, |bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
}

/// A big-endian number in a page; 0 behind its end.
pub(super) fn u32_at(page: &[u8], at: usize) -> u32 {
    u32::from(u16_at(page, at)) << 16 | u32::from(u16_at(page, at + 2))
}

/// A big-endian number in a page; 0 behind its end.
pub(super) fn u64_at(page: &[u8], at: usize) -> u64 {
    u64::from(u32_at(page, at)) << 32 | u64::from(u32_at(page, at + 4))
}

/// The flags in a first page.
pub(super) fn flags(head: &[u8]) -> u32 {
    u32_at(head, 54)
}

/// Whether nothing stands in a page.
pub(super) fn is_zero(page: &[u8]) -> bool {
    page.iter().all(|byte| *byte == 0)
}

/// Bytes of a page in the file, as the stock tools read them off any flags; 0 for a size that
/// does not exist.
pub(super) fn stock_page_bytes(flavour: Flavour, flags: u32) -> u64 {
    if flags & 16 != 0 && flavour == Flavour::MariaDb {
        return 512 << (flags & 15);
    }
    let (logical, zip) = (flags >> 6 & 15, flags >> 1 & 15);
    let logical = match logical {
        0 => 16384,
        3 | 4 | 6 | 7 => 512 << logical,
        _ => 0,
    };
    if zip == 0 || logical == 0 { logical } else { 512 << zip }
}

/// A tablespace of which one file is looked at.
#[derive(Clone, Debug)]
pub(super) struct Tablespace {
    pub(super) checker: Checker,
    /// The number of the first page in the file; 0 but for later files of several.
    pub(super) first_page: u32,
    /// Copies of other pages: the pages of the doublewrite area.
    pub(super) doublewrite: Option<Area>,
}

impl Tablespace {
    pub(super) fn new(space: Space, first_page: u32) -> Self {
        Self { checker: Checker { space }, first_page, doublewrite: None }
    }

    pub(super) fn space(&self) -> &Space {
        &self.checker.space
    }

    /// Bytes of a page in the file.
    pub(super) fn page_bytes(&self) -> usize {
        self.space().physical_bytes as usize
    }

    /// MariaDB's newer format.
    pub(super) fn is_full_crc32(&self) -> bool {
        self.space().checksum == pages::Checksum::FullCrc32
    }

    /// Whether a page's number is that of a page of extent descriptors.
    pub(super) fn has_descriptors(&self, page: u32) -> bool {
        page.is_multiple_of(self.space().physical_bytes)
    }

    /// Whether `page` is marked free in the page of extent descriptors that is its own.
    pub(super) fn is_free(&self, descriptors: &[u8], page: u32) -> bool {
        let extent = self.space().extent_pages();
        let in_group = (page & (self.space().physical_bytes - 1)) / extent;
        let bytes = descriptor_bytes(extent);
        let bit = 2 * (page % extent) as usize;
        let at = DESCRIPTORS + bytes * in_group as usize + BITMAP + bit / 8;
        descriptors.get(at).is_some_and(|byte| byte >> (bit % 8) & 1 != 0)
    }

    /// Looks up where the doublewrite area of a system tablespace is, in its first file.
    pub(super) fn find_doublewrite(&mut self, file: &File) {
        if self.space().id == 0 && self.first_page == 0 {
            let page = self.read(file, TRX_SYS_PAGE);
            self.doublewrite = page.and_then(|page| Area::of_trx_sys(&page));
        }
    }

    /// The page of extent descriptors with this number, or nothing if the file does not have it.
    pub(super) fn descriptors(&self, file: &File, number: u32) -> Vec<u8> {
        self.read(file, number).unwrap_or_default()
    }

    /// A page by its number, if the file has it.
    fn read(&self, file: &File, number: u32) -> Option<Vec<u8>> {
        let at = u64::from(number.checked_sub(self.first_page)?);
        let mut page = vec![0; self.page_bytes()];
        file.read_exact_at(&mut page, at * self.page_bytes() as u64).ok()?;
        Some(page)
    }

    /// What MariaDB says of encryption in the first page: the key's version and id, if the
    /// tablespace is encrypted.
    pub(super) fn mariadb_key(&self, first: &[u8]) -> Option<[u32; 2]> {
        let extent = self.space().extent_pages();
        let descriptors = descriptor_bytes(extent) * self.page_bytes() / extent as usize;
        // Upstream counts the header of the page twice, and so do its files.
        let at = 38 + DESCRIPTORS + descriptors;
        let data = first.get(at..at + 32)?;
        let (magic, scheme, iv_bytes) = (&data[..6], data[6], data[7]);
        (magic == b"s\x0e\x0cREt" && scheme == 1 && iv_bytes == 16)
            .then(|| [u32_at(data, 24), u32_at(data, 28)])
    }
}

/// Bytes of a descriptor of an extent of so many pages, two bits each.
fn descriptor_bytes(extent: u32) -> usize {
    BITMAP + (extent as usize * 2).div_ceil(8)
}
