//! What a tablespace is, from its first page, or from the others where that one is damaged.

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
    /// and if it is not, [`Space::recover`] knows more.
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
