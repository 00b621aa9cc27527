//! Pages that are compressed and carry no sum but that of their contents: they are unpacked.

use super::sums::{self, Finding};
use crate::{
    Damage, Flavour, PageType, Reason, Space, checksum,
    layout::{NO_CHECKSUM, Page, field},
    unpack::Method,
};

/// MariaDB: where the method stands, 8 bytes of which the last two can be set.
const METHOD: usize = field::FLUSH_LSN;
/// MariaDB: the length of the payload, which follows.
const PAYLOAD_BYTES: usize = field::DATA;
/// MariaDB: where the payload begins.
const PAYLOAD: usize = PAYLOAD_BYTES + 2;

/// What is said of a compressed page of the classic formats; none of any other page.
pub(super) fn find(space: &Space, page: Page<'_>) -> Option<Finding> {
    match PageType(page.kind()) {
        PageType::COMPRESSED if space.flavour != Some(Flavour::MariaDb) => Some(mysql(space, page)),
        PageType::PAGE_COMPRESSED if space.page_compressed => Some(mariadb(space, page)),
        // The sum over the ciphertext is missing where the end of the page was given back to the
        // file system before it was made.
        PageType::PAGE_COMPRESSED_ENCRYPTED if space.page_compressed => {
            Some(Finding::Unverifiable(Reason::Encrypted))
        }
        _ => None,
    }
}

/// MySQL's `COMPRESSION`.
fn mysql(space: &Space, page: Page<'_>) -> Finding {
    match unpacked_mysql(page) {
        Ok(whole) => Page::new(&whole)
            .map_or(Finding::Damaged(Damage::Compressed), |whole| contents(space, whole)),
        Err(damage) => Finding::Damaged(damage),
    }
}

/// A page of MySQL's `COMPRESSION` as it was: header as it is but for the type, data unpacked
/// (`Compression::deserialize`).
pub(super) fn unpacked_mysql(page: Page<'_>) -> Result<Vec<u8>, Damage> {
    let bytes = page.bytes();
    let original_bytes = bytes.len() - field::DATA;
    let version = bytes[field::COMPRESSED_VERSION];
    let method = Method::of_mysql(bytes[field::COMPRESSED_METHOD]);
    let told = usize::from(page.u16(field::ORIGINAL_BYTES));
    let end = field::DATA + usize::from(page.u16(field::COMPRESSED_BYTES));
    let (Some(method), Some(packed)) = (method, bytes.get(field::DATA..end)) else {
        return Err(Damage::Header);
    };
    if !(1..=2).contains(&version) || told != original_bytes {
        return Err(Damage::Header);
    }
    let mut whole = bytes.to_vec();
    whole.copy_within(field::ORIGINAL_TYPE..field::ORIGINAL_BYTES, field::TYPE);
    method.unpack(packed, &mut whole[field::DATA..]).ok_or(Damage::Compressed)?;
    Ok(whole)
}

/// MariaDB's `PAGE_COMPRESSED` before `full_crc32`: the whole page compressed, behind a copy of
/// its header (`fil_page_decompress_for_non_full_crc32`).
fn mariadb(space: &Space, page: Page<'_>) -> Finding {
    let bytes = page.bytes();
    let method = Method::of_mariadb(page.u16(METHOD + 6));
    let end = PAYLOAD + usize::from(page.u16(PAYLOAD_BYTES));
    let told = bytes[METHOD..METHOD + 6] == [0; 6] && page.checksum() == NO_CHECKSUM;
    let (true, Some(method), Some(packed)) = (told, method, bytes.get(PAYLOAD..end)) else {
        return Finding::Damaged(Damage::Header);
    };
    let mut whole = vec![0; bytes.len()];
    if method.unpack(packed, &mut whole).is_none() {
        return Finding::Damaged(Damage::Compressed);
    }
    // Nothing sums up the header outside, but it is a copy of that inside.
    let copied = [field::NUMBER..field::TYPE, field::SPACE..field::DATA];
    let alike = copied.into_iter().all(|range| bytes[range.clone()] == whole[range]);
    match Page::new(&whole) {
        Some(whole) if alike => contents(space, whole),
        _ => Finding::Damaged(Damage::Header),
    }
}

/// What is said of a page that was unpacked.
fn contents(space: &Space, page: Page<'_>) -> Finding {
    let finding = sums::plain(space, page)
        .unwrap_or_else(|| sums::folded(page, checksum::innodb_new(page.bytes())));
    let (header_lsn, trailer_lsn) = (page.lsn_low(), page.last());
    match finding {
        Finding::Sound(_) if header_lsn != trailer_lsn => Finding::Torn { header_lsn, trailer_lsn },
        finding => finding,
    }
}
