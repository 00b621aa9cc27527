//! What a tablespace is, by its first page.

use crate::{
    Checker, Place, Space, SpaceError,
    layout::{Page, field},
};

impl Space {
    /// What the first page of a tablespace says of it. `bytes` begin with that page and may be
    /// more or less than it, down to 1 KiB. Where two servers would have meant two things by the
    /// same flags, that one is believed by which the page's checksum holds.
    ///
    /// The page itself may still be damaged: whether it is sound is for [`Checker::page`] to say,
    /// and if it is not, what the other pages agree on is better.
    ///
    /// # Errors
    /// [`SpaceError`] if these bytes are not the first page of a tablespace.
    pub fn of_page_zero(bytes: &[u8]) -> Result<Self, SpaceError> {
        let page = Page::new(bytes).ok_or(SpaceError::Short { bytes: bytes.len() })?;
        let first = &bytes[..crate::layout::LEAST_PAGE_BYTES];
        if first.iter().all(|byte| *byte == 0) {
            return Err(SpaceError::Empty);
        }
        if page.number() != 0 {
            return Err(SpaceError::NotFirst { number: page.number() });
        }
        let (id, space) = (page.space(), page.u32(field::DATA));
        if id != space {
            return Err(SpaceError::Ids { page: id, space });
        }
        let flags = page.u32(field::DATA + 16);
        let later = Self::from_flags(flags, id)?;
        let earlier = Self::from_flags_101(flags, id);
        Ok([later].into_iter().chain(earlier).find(|space| space.fits(bytes)).unwrap_or(later))
    }

    /// Whether the first page is sound if the tablespace is this one.
    fn fits(&self, bytes: &[u8]) -> bool {
        let place = Place { page: 0, space: Some(self.id) };
        let page = bytes.get(..self.physical_bytes as usize);
        page.is_some_and(|page| !Checker { space: *self }.page(place, page).is_bad())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The beginning of a first page, as far as it is looked at.
    fn first_page(number: u32, ids: [u32; 2], flags: u32) -> Vec<u8> {
        let mut page = vec![0; 1024];
        let fields = [(4, number), (field::SPACE, ids[0]), (field::DATA, ids[1]), (54, flags)];
        for (at, value) in fields {
            page[at..at + 4].copy_from_slice(&value.to_be_bytes());
        }
        page[field::TYPE + 1] = 8;
        page
    }

    #[test]
    fn what_is_no_first_page_says_why() {
        let refused = |bytes: &[u8]| Space::of_page_zero(bytes).map_err(|error| error.to_string());
        let error = |text: &str| Err(text.to_owned());
        assert_eq!(refused(&[1; 1000]), error("1000 bytes are less than the smallest page"));
        assert_eq!(refused(&[0; 4096]), error("the first page is all zero"));
        assert_eq!(
            refused(&first_page(3, [7, 7], 0x15)),
            error("the first page carries page number 3 instead of 0")
        );
        assert_eq!(
            refused(&first_page(0, [7, 8], 0x15)),
            error("the first page carries space id 7 in its header and 8 in the space's")
        );
        assert_eq!(
            refused(&first_page(0, [7, 7], 0x1f)),
            error("tablespace flags 0x1f are impossible: pages are 4 to 64 KiB")
        );
    }

    #[test]
    fn a_kilobyte_is_enough_to_know_a_space() {
        let space = Space::of_page_zero(&first_page(0, [7, 7], 0x35));
        assert_eq!(space, Space::from_flags(0x35, 7));
    }

    proptest! {
        #[test]
        fn any_flags_in_any_bytes_are_looked_at(flags: u32, bytes in 1024_usize..70_000) {
            let mut page = first_page(0, [7, 7], flags);
            page.resize(bytes, 0x5A);
            let known = Space::from_flags(flags, 7);
            prop_assert_eq!(Space::of_page_zero(&page).is_ok(), known.is_ok());
        }
    }
}
