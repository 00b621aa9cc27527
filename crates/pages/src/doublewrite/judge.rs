//! Whether a copy of a page is sound, of whatever space it may be.

use crate::{Checker, Place, Reason, Space, Verdict};

/// Checks copies: a doublewrite area holds pages of all spaces of a server, side by side.
#[derive(Clone, Debug)]
pub struct Judge {
    checkers: Vec<Checker>,
}

/// Flags of a space whose pages may be compressed: a row format after `COMPACT`.
const DYNAMIC: u32 = 0x21;
/// MariaDB's `full_crc32`, and its page compression by the first method.
const FULL_CRC32: u32 = 0x10;
const FULL_CRC32_COMPRESSED: u32 = FULL_CRC32 | 1 << 5;
/// MariaDB's page compression of before.
const PAGE_COMPRESSED: u32 = DYNAMIC | 1 << 16;
/// MySQL's encryption.
const ENCRYPTED: u32 = DYNAMIC | 1 << 13;

impl Judge {
    /// For copies of pages of so many bytes in memory; those of `ROW_FORMAT=COMPRESSED` are
    /// shorter and stand at the beginning of their slot.
    pub fn new(page_bytes: u32) -> Self {
        let size = page_bytes.checked_div(512).map_or(0, u32::trailing_zeros);
        let classic = if page_bytes == 16_384 { 0 } else { size << 6 };
        let zips = (1..=5.min(size)).map(|zip| DYNAMIC | zip << 1 | classic);
        let plain = [
            FULL_CRC32 | size,
            DYNAMIC | classic,
            FULL_CRC32_COMPRESSED | size,
            PAGE_COMPRESSED | classic,
            ENCRYPTED | classic,
        ];
        let spaces =
            plain.into_iter().chain(zips).filter_map(|flags| Space::from_flags(flags, 0).ok());
        Self { checkers: spaces.map(|space| Checker { space }).collect() }
    }

    /// Looks at a slot: empty, a sound copy, or nothing that could be told.
    pub fn look(&self, slot: &[u8]) -> Verdict {
        if slot.iter().all(|&byte| byte == 0) {
            return Verdict::Empty;
        }
        let mut best = Reason::UnfinishedCopy;
        for checker in &self.checkers {
            let Some(page) = slot.get(..checker.space.physical_bytes as usize) else { continue };
            match checker.page(own_place(page), page) {
                Verdict::Ok | Verdict::Misdirected { .. } => return Verdict::Doublewrite,
                Verdict::Unverifiable { reason } => best = reason,
                _ => {}
            }
        }
        Verdict::Unverifiable { reason: best }
    }
}

/// Where a copy says that it belongs.
fn own_place(page: &[u8]) -> Place {
    let number = page.get(4..8).and_then(|bytes| bytes.try_into().ok());
    Place { page: number.map_or(0, u32::from_be_bytes), space: None }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::checksum;

    fn sealed(page_bytes: usize, crc: impl Fn(&[u8]) -> u32, trailer: bool) -> Vec<u8> {
        let mut page: Vec<u8> = (0..page_bytes).map(|at| (at % 253) as u8).collect();
        page[24..26].copy_from_slice(&17_855_u16.to_be_bytes());
        page[26..34].fill(0);
        let (low, end) = (page[20..24].to_vec(), page_bytes - 4);
        page[end..].copy_from_slice(&low);
        let sum = crc(&page);
        page[..4].copy_from_slice(&sum.to_be_bytes());
        if trailer {
            page[end - 4..end].copy_from_slice(&sum.to_be_bytes());
        }
        page
    }

    #[test]
    fn copies_of_every_format_are_known() {
        let judge = Judge::new(16_384);
        let classic = sealed(16_384, checksum::classic_crc32, true);
        assert_eq!(judge.look(&classic), Verdict::Doublewrite);
        let mut slot = sealed(8192, checksum::zip_crc32, false);
        slot.resize(16_384, 0);
        assert_eq!(judge.look(&slot), Verdict::Doublewrite);
        let mut full = classic.clone();
        full[..4].fill(0);
        let (low, end) = (full[20..24].to_vec(), 16_380);
        full[end - 4..end].copy_from_slice(&low);
        let sum = checksum::full_crc32(&full);
        full[end..].copy_from_slice(&sum.to_be_bytes());
        assert_eq!(judge.look(&full), Verdict::Doublewrite);
        assert_eq!(judge.look(&[0; 16_384]), Verdict::Empty);
    }

    #[test]
    fn a_write_that_was_cut_short_is_not_called_damage() {
        let judge = Judge::new(16_384);
        let mut page = sealed(16_384, checksum::classic_crc32, true);
        page[9000] ^= 1;
        let unfinished = Verdict::Unverifiable { reason: Reason::UnfinishedCopy };
        assert_eq!(judge.look(&page), unfinished);
        assert_eq!(Judge::new(0).look(&[1; 100]), unfinished);
    }
}
