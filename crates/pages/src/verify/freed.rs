//! Whether a page is marked free, by the extent descriptors (`fsp0fsp.h`).

use super::again::Suspect;
use crate::{Checker, Place, Reason, Space, Verdict, layout::Page};
use std::{collections::HashMap, ops::RangeInclusive};

/// Where the descriptors begin in a page that holds them.
const ARRAY_AT: usize = 150;
/// Where a descriptor says what its extent is for.
const STATE_AT: usize = 20;
/// What it is for: all free, shared with free pages, shared and full, of a segment, of a segment
/// and shared (MySQL 8).
const STATES: RangeInclusive<u32> = FREE..=5;
const FREE: u32 = 1;
/// Where a descriptor's bits are, two a page; the lower one says that the page is free, the upper
/// one is always set.
const BITMAP_AT: usize = 24;
/// The types of pages that hold descriptors: the first, and the others.
const TYPES: [u16; 2] = [8, 9];

/// Reads a page of the space by its number; none if it cannot be had.
pub(crate) type ReadPage<'a> = &'a mut dyn FnMut(u32) -> Option<Vec<u8>>;

/// Parts suspects into those that stay so, and the number of those that are free. A page that
/// could not be read, or in which the file ends, stays suspicious: that is no fault of the page.
pub(crate) fn part(
    checker: &Checker,
    space: Option<u32>,
    suspects: Vec<Suspect>,
    read: ReadPage<'_>,
) -> (Vec<Suspect>, u64) {
    let mut pages: HashMap<u32, Option<Holder>> = HashMap::new();
    let all = suspects.len() as u64;
    let stay = |suspect: &Suspect| {
        let number = holder(&checker.space, suspect.page);
        let holder = pages
            .entry(number)
            .or_insert_with(|| Holder::new(checker, Place { page: number, space }, read(number)?));
        let free = holder.as_ref().is_some_and(|it| it.says_free(&checker.space, suspect.page));
        !free || is_of_the_file(&suspect.verdict)
    };
    let stay: Vec<Suspect> = suspects.into_iter().filter(stay).collect();
    let free = all - stay.len() as u64;
    (stay, free)
}

/// A page of descriptors that can be believed.
struct Holder {
    bytes: Vec<u8>,
    /// Its sum holds; otherwise its format has none, and each descriptor has to be plausible.
    summed: bool,
}

impl Holder {
    /// None if the page is damaged, or holds no descriptors.
    fn new(checker: &Checker, place: Place, bytes: Vec<u8>) -> Option<Self> {
        let summed = match checker.page(place, &bytes) {
            Verdict::Ok => true,
            Verdict::Unverifiable { reason: Reason::NoChecksum } => false,
            _ => return None,
        };
        let typed = Page::new(&bytes).is_some_and(|page| TYPES.contains(&page.kind()));
        typed.then_some(Self { bytes, summed })
    }

    fn says_free(&self, space: &Space, page: u32) -> bool {
        is_free(space, &self.bytes, page) && (self.summed || is_plausible(space, &self.bytes, page))
    }
}

/// Whether the descriptor of `page` in the `bytes` of its holder, which no sum guards, looks as a
/// server writes it: a state that exists, the upper bits all set, the lower ones as the state has
/// it, and the holder itself in use.
fn is_plausible(space: &Space, bytes: &[u8], page: u32) -> bool {
    let extent_pages = space.extent_pages();
    let descriptor = descriptor_at(space, page);
    let part = |at: usize, length| bytes.get(descriptor + at..descriptor + at + length);
    let state = part(STATE_AT, 4).and_then(|state| state.try_into().ok()).map(u32::from_be_bytes);
    let bitmap = part(BITMAP_AT, descriptor_bytes(space) - BITMAP_AT).unwrap_or_default();
    let first = page - page % extent_pages;
    let all_free = (first..first + extent_pages).all(|page| is_free(space, bytes, page));
    let holder = holder(space, page);
    state.is_some_and(|state| STATES.contains(&state) && (state == FREE) == all_free)
        && bitmap.iter().all(|byte| byte & 0xAA == 0xAA)
        && !is_free(space, bytes, holder)
}

/// Whether it is the file or the device that is at fault, whatever the page held.
fn is_of_the_file(verdict: &Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Bad { damage: crate::Damage::Unreadable | crate::Damage::Truncated { .. } }
    )
}

/// The page that holds the descriptor of `page`: one in as many as a page has bytes.
fn holder(space: &Space, page: u32) -> u32 {
    page - page % space.physical_bytes.max(1)
}

/// Whether `page` is marked free in the descriptors that its holder's `bytes` carry.
pub(crate) fn is_free(space: &Space, bytes: &[u8], page: u32) -> bool {
    let bit = (page % space.extent_pages()) as usize * 2;
    let at = descriptor_at(space, page) + BITMAP_AT + bit / 8;
    bytes.get(at).copied().unwrap_or(0) >> (bit % 8) & 1 == 1
}

/// Where the descriptor of the extent of `page` begins in its holder.
fn descriptor_at(space: &Space, page: u32) -> usize {
    let extent = page % space.physical_bytes.max(1) / space.extent_pages();
    ARRAY_AT + extent as usize * descriptor_bytes(space)
}

/// A descriptor's size, bytes: two bits a page of the extent behind the head.
fn descriptor_bytes(space: &Space) -> usize {
    BITMAP_AT + (space.extent_pages() as usize * 2).div_ceil(8)
}

/// How many of the pages from `from` to before `to`, all described here, are marked free.
pub(crate) fn count_free(space: &Space, bytes: &[u8], from: u32, to: u32) -> u64 {
    (from..to).filter(|&page| is_free(space, bytes, page)).count() as u64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn descriptors_are_as_long_as_their_extents_have_pages() {
        let bytes = |flags| descriptor_bytes(&Space::from_flags(flags, 1).unwrap());
        // full_crc32 with 4K, 8K, 16K and 64K.
        assert_eq!([0x13, 0x14, 0x15, 0x17].map(bytes), [88, 56, 40, 40]);
    }

    /// A page 0 whose format has no sum, in which page 70 of 576 is free, then `change`d; and
    /// whether page 70, if its sum does not hold, is passed over.
    fn is_passed_over(change: impl Fn(&mut [u8])) -> bool {
        let checker = Checker { space: Space::from_flags(0x21, 7).unwrap() };
        let mut bytes = vec![0; 16_384];
        bytes[24..26].copy_from_slice(&8_u16.to_be_bytes());
        bytes[37] = 7;
        for extent in 0..9 {
            let descriptor = 150 + 40 * extent;
            bytes[descriptor + 23] = 4;
            bytes[descriptor + 24..descriptor + 40].fill(0xAA);
        }
        bytes[150 + 40 + 24 + 1] |= 1 << 4;
        change(&mut bytes);
        let none = crate::layout::NO_CHECKSUM.to_be_bytes();
        bytes[..4].copy_from_slice(&none);
        bytes[16_376..16_380].copy_from_slice(&none);
        let verdict = Verdict::Bad { damage: crate::Damage::Checksum { stored: 0, calculated: 1 } };
        let suspect = Suspect { page: 70, verdict };
        let read = &mut |page| (page == 0).then(|| bytes.clone());
        part(&checker, Some(7), vec![suspect], read).1 == 1
    }

    #[test]
    fn descriptors_without_a_sum_are_believed_where_they_look_like_some() {
        assert!(is_passed_over(|_| {}));
        // A state that does not exist; all pages free, which their bits deny; no page free.
        for state in [0, 1, 6] {
            assert!(!is_passed_over(|bytes| bytes[150 + 40 + 23] = state), "state {state}");
        }
        assert!(!is_passed_over(|bytes| bytes[150 + 40 + 24] = 0x2A), "an upper bit is missing");
        assert!(!is_passed_over(|bytes| bytes[150 + 24] |= 1), "page 0 is said to be free");
        assert!(!is_passed_over(|bytes| bytes[25] = 6), "another type");
        assert!(!is_passed_over(|bytes| bytes[7] = 1), "another page");
    }

    #[test]
    fn the_lower_of_two_bits_says_that_a_page_is_free() {
        let space = Space::from_flags(0x15, 1).unwrap();
        let mut holder_page = vec![0; 16_384];
        // Page 70: extent 1, page 6 of it, bits 12 and 13.
        holder_page[150 + 40 + 24 + 1] = 1 << 4;
        let free: Vec<u32> = (0..200).filter(|&p| is_free(&space, &holder_page, p)).collect();
        assert_eq!(free, [70]);
        assert!(is_free(&space, &holder_page, 16_384 + 70));
        assert_eq!(count_free(&space, &holder_page, 60, 80), 1);
        assert_eq!((holder(&space, 16_383), holder(&space, 16_384)), (0, 16_384));
    }
}
