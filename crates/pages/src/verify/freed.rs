//! Whether a page is marked free, by the extent descriptors (`fsp0fsp.h`).

use super::again::Suspect;
use crate::{Checker, Place, Space, Verdict, layout::Page};
use std::collections::HashMap;

/// Where the descriptors begin in a page that holds them.
const ARRAY_AT: usize = 150;
/// Where a descriptor's bits are, two a page; the lower one says that the page is free.
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
    let mut pages: HashMap<u32, Option<Vec<u8>>> = HashMap::new();
    let all = suspects.len() as u64;
    let stay = |suspect: &Suspect| {
        let holder = holder(&checker.space, suspect.page);
        let descriptors = pages.entry(holder).or_insert_with(|| {
            let page = read(holder)?;
            let sound = checker.page(Place { page: holder, space }, &page) == Verdict::Ok;
            let typed = Page::new(&page).is_some_and(|page| TYPES.contains(&page.kind()));
            (sound && typed).then_some(page)
        });
        let free = descriptors
            .as_deref()
            .is_some_and(|bytes| is_free(&checker.space, bytes, suspect.page));
        !free || is_of_the_file(&suspect.verdict)
    };
    let stay: Vec<Suspect> = suspects.into_iter().filter(stay).collect();
    let free = all - stay.len() as u64;
    (stay, free)
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
    let extent_pages = space.extent_pages();
    let inside = page % space.physical_bytes.max(1);
    let (extent, at) = (inside / extent_pages, inside % extent_pages);
    let descriptor = ARRAY_AT + extent as usize * descriptor_bytes(space);
    let bit = at as usize * 2;
    let byte = bytes.get(descriptor + BITMAP_AT + bit / 8).copied().unwrap_or(0);
    byte >> (bit % 8) & 1 == 1
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
