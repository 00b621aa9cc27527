//! What a tablespace is when its first page cannot say: what most of its pages agree on.

use crate::{Checker, Place, Reason, Space, Verdict, layout::Page};
use std::collections::HashMap;

/// What the pages of a file agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recovered {
    /// Its id is 0 where that is not known.
    pub(super) space: Space,
    /// None where no page has it in the clear.
    pub(super) id: Option<u32>,
    /// The number of the file's first page.
    pub(super) first_page: u32,
    /// How many pages say so.
    pub(super) pages: usize,
}

/// Most pages that are asked.
const PAGES_MAX: usize = 64;

/// Flags of a space whose pages may be compressed: a row format after `COMPACT`.
const DYNAMIC: u32 = 0x21;
const FULL_CRC32: u32 = 0x10;
const FULL_CRC32_COMPRESSED: u32 = FULL_CRC32 | 1 << 5;
const PAGE_COMPRESSED: u32 = DYNAMIC | 1 << 16;
/// MySQL's encryption.
const ENCRYPTED: u32 = DYNAMIC | 1 << 13;

/// Flags of every format and page size.
fn candidates() -> impl Iterator<Item = u32> {
    let classic = |size: u32| if size == 5 { 0 } else { size << 6 };
    [5, 3, 4, 6, 7].into_iter().flat_map(move |size| {
        let plain = [
            FULL_CRC32 | size,
            DYNAMIC | classic(size),
            FULL_CRC32_COMPRESSED | size,
            PAGE_COMPRESSED | classic(size),
            ENCRYPTED | classic(size),
        ];
        plain
            .into_iter()
            .chain((1..=size.min(5)).map(move |zip| DYNAMIC | zip << 1 | classic(size)))
    })
}

/// Tries every page size on the first pages of a file, and believes the one by which most are
/// sound, with the space id and the numbers that most of those carry.
pub(super) fn recover(head: &[u8]) -> Option<Recovered> {
    let mut best: Option<Recovered> = None;
    for flags in candidates() {
        let Ok(space) = Space::from_flags(flags, 0) else { continue };
        if let Some(found) = agreed(space, head)
            && best.is_none_or(|known| known.pages < found.pages)
        {
            best = Some(found);
        }
    }
    best
}

/// Pages that agree on the number of the first one, and the ids that they carry.
#[derive(Default)]
struct Votes {
    pages: usize,
    ids: HashMap<u32, usize>,
}

/// What most of the pages carry that are sound by `space`.
fn agreed(space: Space, head: &[u8]) -> Option<Recovered> {
    let checker = Checker { space };
    let mut votes: HashMap<u32, Votes> = HashMap::new();
    let pages = head.chunks_exact(space.physical_bytes as usize).take(PAGES_MAX);
    for (at, bytes) in (0..).zip(pages) {
        let Some(page) = Page::new(bytes) else { continue };
        let id = checker.space_id(page);
        let place = Place { page: page.number(), space: id };
        // Of what is encrypted, or carries no sum, only the place can be asked.
        let fits = match checker.page(place, bytes) {
            Verdict::Ok => true,
            // The constant in the header makes a page of every compressed size.
            Verdict::Unverifiable { reason: Reason::NoChecksum } => !space.zip,
            Verdict::Unverifiable { reason } => reason == Reason::Encrypted,
            _ => false,
        };
        if fits && let Some(first) = page.number().checked_sub(at) {
            let votes = votes.entry(first).or_default();
            votes.pages += 1;
            if let Some(id) = id {
                *votes.ids.entry(id).or_default() += 1;
            }
        }
    }
    let most = votes.into_iter().max_by_key(|(first, votes)| (votes.pages, u32::MAX - first));
    let (first_page, Votes { pages, ids }) = most?;
    let id = ids.into_iter().max_by_key(|&(id, votes)| (votes, u32::MAX - id)).map(|(id, _)| id);
    Some(Recovered { space: Space { id: id.unwrap_or(0), ..space }, id, first_page, pages })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::checksum;

    /// Sound `full_crc32` pages of 4 KiB from number `first` on.
    fn pages(first: u32, count: u32, id: u32) -> Vec<u8> {
        let page = |number: u32| {
            let mut page = vec![0; 4096];
            page[4..8].copy_from_slice(&number.to_be_bytes());
            page[25] = 6;
            page[34..38].copy_from_slice(&id.to_be_bytes());
            let sum = checksum::full_crc32(&page);
            page[4092..].copy_from_slice(&sum.to_be_bytes());
            page
        };
        (first..first + count).flat_map(page).collect()
    }

    #[test]
    fn most_pages_say_what_the_space_is_when_the_first_does_not() {
        let mut head = pages(0, 40, 9);
        head[..4096].fill(0xAA);
        // One that was written to the wrong place.
        let stray = pages(77, 1, 3);
        head[4096 * 5..4096 * 6].copy_from_slice(&stray);
        let found = recover(&head).unwrap();
        assert_eq!((found.space.id, found.space.physical_bytes), (9, 4096));
        assert_eq!((found.first_page, found.pages), (0, 38));
    }

    /// A sound compressed page of `full_crc32`, in which the space id is not in the clear.
    fn packed(number: u32) -> Vec<u8> {
        let mut page = vec![0; 4096];
        page[4..8].copy_from_slice(&number.to_be_bytes());
        page[24..26].copy_from_slice(&0x8004_u16.to_be_bytes());
        page[30..1020].fill(number as u8);
        let sum = checksum::full_crc32(&page[..1024]);
        page[1020..1024].copy_from_slice(&sum.to_be_bytes());
        page
    }

    #[test]
    fn what_stands_for_the_id_in_compressed_pages_is_none() {
        let mut head = vec![0; 4096];
        head.extend((1..20).flat_map(packed));
        let found = recover(&head).unwrap();
        assert_eq!((found.id, found.first_page, found.pages), (None, 0, 19));
        head[4096 * 3..4096 * 4].copy_from_slice(&pages(3, 1, 9));
        let found = recover(&head).unwrap();
        assert_eq!((found.id, found.space.id, found.pages), (Some(9), 9, 19));
    }

    #[test]
    fn a_further_file_says_with_which_page_it_begins() {
        let found = recover(&pages(768, 10, 0)).unwrap();
        assert_eq!((found.space.id, found.first_page), (0, 768));
    }

    #[test]
    fn what_has_no_sound_page_tells_nothing() {
        assert_eq!(recover(&[0; 65_536]), None);
        assert_eq!(recover(&[0x5A; 65_536]), None);
        assert_eq!(recover(&[1, 2, 3]), None);
    }
}
