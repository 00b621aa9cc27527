//! Which sum a page carries, format by format, in the order of how common they are.
//!
//! Where upstream's tools are lenient in a way that lets damage pass, this is not: a checksum field
//! of 0 beside a trailer of 0 passes as `innodb` upstream, whatever the page holds, since releases
//! before 4.0.14 wrote no sum; here the sum has to be there.

use super::packed;
use crate::{
    Checker, Checksum, Damage, Flavour, PageType, Reason, Space, checksum,
    layout::{NO_CHECKSUM, Page, field},
};
use serde::Serialize;

/// A method by which a checksum was made, as `innodb_checksum_algorithm` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// MariaDB's `full_crc32`.
    FullCrc32,
    /// `crc32`.
    Crc32,
    /// `crc32` as early releases wrote it on big-endian machines.
    Crc32BigEndian,
    /// `innodb`: two folds; with `ROW_FORMAT=COMPRESSED` Adler-32.
    Innodb,
    /// `none`: a constant.
    None,
}

/// What the sums say of a page, its place left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// This sum fits.
    Sound(Algorithm),
    /// Nothing was ever written there.
    Empty,
    /// Nothing can be said.
    Unverifiable(Reason),
    /// What was compressed is of two writes.
    Torn {
        /// As in [`crate::Verdict::Torn`].
        header_lsn: u32,
        /// As in [`crate::Verdict::Torn`].
        trailer_lsn: u32,
    },
    /// No sum fits, or something else is wrong.
    Damaged(Damage),
}

impl Checker {
    /// What the sums say of a page; none if only the `innodb` sum may still fit, which the caller
    /// has computed, for many pages at once where it can, and gives to [`folded`].
    #[inline]
    pub(super) fn find(&self, page: Page<'_>) -> Option<Finding> {
        match self.space.checksum {
            Checksum::FullCrc32 => Some(full_crc32(&self.space, page)),
            Checksum::Classic if self.space.zip => Some(zip(&self.space, page)),
            Checksum::Classic => classic(&self.space, page).or_else(|| rare(&self.space, page)),
        }
    }
}

/// MariaDB's `full_crc32`: one sum over all, ciphertext or compressed payload as it stands
/// (`buf_page_is_corrupted`, `buf_page_full_crc32_size`).
fn full_crc32(space: &Space, page: Page<'_>) -> Finding {
    let Some(length) = full_crc32_bytes(space, page) else {
        return Finding::Damaged(Damage::Header);
    };
    let bytes = &page.bytes()[..length];
    let stored = last_word(bytes);
    if stored == 0 && page.lsn() == 0 && is_zero(page.bytes()) {
        return Finding::Empty;
    }
    let calculated = checksum::full_crc32(bytes);
    if stored == calculated {
        return Finding::Sound(Algorithm::FullCrc32);
    }
    Finding::Damaged(Damage::Checksum { stored, calculated })
}

/// How much of a page of `full_crc32` there is, its checksum included, in bytes; none if what it
/// says of that is impossible.
pub(super) fn full_crc32_bytes(space: &Space, page: Page<'_>) -> Option<usize> {
    let page_bytes = page.bytes().len();
    match compressed_bytes(page) {
        None => Some(page_bytes),
        Some(bytes) => {
            (space.page_compressed && (256..page_bytes).contains(&bytes)).then_some(bytes)
        }
    }
}

/// `crc32`, by far the most common of all formats before `full_crc32`, and empty pages; none of
/// any other.
#[inline]
fn classic(space: &Space, page: Page<'_>) -> Option<Finding> {
    let (stored, trailer) = (page.checksum(), page.trailer());
    let ciphertext = ciphertext_checksum(space, page);
    if stored == trailer || ciphertext.is_some() {
        if stored == 0 && page.lsn() == 0 && is_empty(page.bytes()) {
            return Some(Finding::Empty);
        }
        let calculated = checksum::classic_crc32(page.bytes());
        if stored == calculated && stored == trailer || ciphertext == Some(calculated) {
            return Some(Finding::Sound(Algorithm::Crc32));
        }
    }
    None
}

/// Any page of the classic formats that is not compressed; none if the fold decides.
pub(super) fn plain(space: &Space, page: Page<'_>) -> Option<Finding> {
    classic(space, page).or_else(|| seldom(space, page))
}

/// The other classic formats; none if the fold decides.
#[cold]
fn rare(space: &Space, page: Page<'_>) -> Option<Finding> {
    packed::find(space, page).or_else(|| seldom(space, page))
}

/// The classic formats that are not compressed and seldom seen; none if the fold decides.
fn seldom(space: &Space, page: Page<'_>) -> Option<Finding> {
    let (stored, trailer) = (page.checksum(), page.trailer());
    if stored == trailer {
        if stored == NO_CHECKSUM {
            return Some(Finding::Sound(Algorithm::None));
        }
        if stored == checksum::classic_crc32_big_endian(page.bytes()) {
            return Some(Finding::Sound(Algorithm::Crc32BigEndian));
        }
    }
    if encrypted_by_mysql(space, page) {
        return Some(Finding::Unverifiable(Reason::Encrypted));
    }
    let old = checksum::innodb_old(page.bytes());
    if stored != 0 && (trailer == old || trailer == page.lsn_high()) {
        return None;
    }
    Some(Finding::Damaged(mismatch(page)))
}

/// What is said of a page whose `innodb` sum is `sum`, where nothing else fitted.
pub(super) fn folded(page: Page<'_>, sum: u32) -> Finding {
    if page.checksum() == sum {
        return Finding::Sound(Algorithm::Innodb);
    }
    Finding::Damaged(mismatch(page))
}

/// What a classic page that no sum fits carries, and what it should.
fn mismatch(page: Page<'_>) -> Damage {
    let calculated = checksum::classic_crc32(page.bytes());
    let (field, trailer) = (page.checksum(), page.trailer());
    let stored = if field == calculated { trailer } else { field };
    Damage::Checksum { stored, calculated }
}

/// `ROW_FORMAT=COMPRESSED`: a sum in the header, none in the trailer, the LSN not summed
/// (`page_zip_verify_checksum`).
fn zip(space: &Space, page: Page<'_>) -> Finding {
    let (stored, bytes) = (page.checksum(), page.bytes());
    if stored == 0 && page.lsn() == 0 && is_zero(bytes) {
        return Finding::Empty;
    }
    let calculated = checksum::zip_crc32(bytes);
    if stored == calculated || ciphertext_checksum(space, page) == Some(calculated) {
        return Finding::Sound(Algorithm::Crc32);
    }
    if stored == NO_CHECKSUM {
        return Finding::Sound(Algorithm::None);
    }
    if stored == checksum::zip_adler32(bytes) {
        return Finding::Sound(Algorithm::Innodb);
    }
    if stored == checksum::zip_crc32_big_endian(bytes) {
        return Finding::Sound(Algorithm::Crc32BigEndian);
    }
    if encrypted_by_mysql(space, page) {
        return Finding::Unverifiable(Reason::Encrypted);
    }
    Finding::Damaged(Damage::Checksum { stored, calculated })
}

/// The low half of the LSN in the trailer, if the page has it there in the clear.
pub(super) fn trailer_lsn(space: &Space, page: Page<'_>) -> Option<u32> {
    match space.checksum {
        Checksum::FullCrc32 => is_clear(page).then(|| page.trailer()),
        Checksum::Classic if space.zip || is_packed(space, page) => None,
        Checksum::Classic => Some(page.last()),
    }
}

/// The space id that the page carries, if it stands there in the clear: `full_crc32` compresses
/// and encrypts it with the data.
pub(super) fn space_id(space: &Space, page: Page<'_>) -> Option<u32> {
    (space.checksum == Checksum::Classic || is_clear(page)).then(|| page.space())
}

/// Whether a page of `full_crc32` is neither compressed nor encrypted.
fn is_clear(page: Page<'_>) -> bool {
    // Where other formats have the checksum, the version of the key.
    compressed_bytes(page).is_none() && page.checksum() == 0
}

/// Whether the end of a classic page is not that of the page in the buffer pool.
pub(super) fn is_packed(space: &Space, page: Page<'_>) -> bool {
    let kind = PageType(page.kind());
    kind == PageType::COMPRESSED && space.flavour != Some(Flavour::MariaDb)
        || encrypted_by_mysql(space, page)
        || space.page_compressed
            && matches!(kind, PageType::PAGE_COMPRESSED | PageType::PAGE_COMPRESSED_ENCRYPTED)
}

/// How long a page of `full_crc32` is if it is compressed, its checksum included; as it says.
fn compressed_bytes(page: Page<'_>) -> Option<usize> {
    let kind = page.kind();
    let length = kind & !PageType::FULL_CRC32_COMPRESSED;
    (kind & PageType::FULL_CRC32_COMPRESSED != 0).then_some(usize::from(length) << 8)
}

/// Whether MySQL encrypted a page. While a tablespace is being decrypted its flags may be ahead of
/// its pages; a page is believed against them only if the rest of its header agrees with its type,
/// or a single flipped bit would excuse it from being checked.
fn encrypted_by_mysql(space: &Space, page: Page<'_>) -> bool {
    let kind = PageType(page.kind());
    let possible = kind.is_mysql_encrypted() && space.flavour != Some(Flavour::MariaDb);
    // Compressed BLOBs have the number of the next page there, which may look like a type.
    possible && (space.encrypted || !space.zip && is_headed_as_encrypted(kind, page))
}

/// Whether the header says what the type was before, and of compression what fits the type.
fn is_headed_as_encrypted(kind: PageType, page: Page<'_>) -> bool {
    let original = page.u16(field::ORIGINAL_TYPE);
    let compression = page.u16(field::COMPRESSED_VERSION);
    let compressed = matches!(compression, 0x0101 | 0x0102 | 0x0201 | 0x0202);
    let fits = match kind {
        PageType::COMPRESSED_AND_ENCRYPTED => compressed,
        _ => compression == 0,
    };
    fits && original != 0 && !PageType(original).is_mysql_encrypted()
}

/// The checksum over the ciphertext, if this is a page of MariaDB's older encryption
/// (`fil_space_verify_crypt_checksum`).
fn ciphertext_checksum(space: &Space, page: Page<'_>) -> Option<u32> {
    let encrypted = space.flavour != Some(Flavour::MySql) && page.u32(field::FLUSH_LSN) != 0;
    encrypted.then(|| page.u32(field::CIPHERTEXT_CHECKSUM))
}

/// The last word of some bytes.
fn last_word(bytes: &[u8]) -> u32 {
    bytes.last_chunk().map_or(0, |word| u32::from_be_bytes(*word))
}

/// Whether nothing was ever written. MySQL and MariaDB leave what once was the LSN of the last
/// flush aside.
fn is_empty(bytes: &[u8]) -> bool {
    is_zero(&bytes[..field::FLUSH_LSN]) && is_zero(&bytes[field::SPACE..])
}

/// Whether all bytes are zero, at the speed of memory.
fn is_zero(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<64>();
    words.iter().all(|word| *word == [0; 64]) && rest.iter().all(|byte| *byte == 0)
}
