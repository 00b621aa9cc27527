//! Checksums written anew.

use super::{Algorithm, Checker, sums};
use crate::{
    Checksum, checksum,
    layout::{NO_CHECKSUM, Page, field},
};

/// A page that cannot carry the sum that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a page of this format cannot carry this checksum")]
pub struct WrongFormat;

impl Checker {
    /// Writes the checksum of a page of exactly [`crate::Space::physical_bytes`] anew, by
    /// `algorithm`, over whatever the page holds; the low half of the LSN in the trailer is left
    /// as it is. With `ROW_FORMAT=COMPRESSED`, [`Algorithm::Innodb`] is Adler-32.
    ///
    /// # Errors
    /// [`WrongFormat`] if the page is of another length, or of a format that does not carry this
    /// sum: classic sums in `full_crc32` tablespaces, `full_crc32` in all others, and any in pages
    /// whose sum is inside of what is compressed or encrypted. The page is as it was then.
    pub fn write_checksum(&self, page: &mut [u8], algorithm: Algorithm) -> Result<(), WrongFormat> {
        let view = Page::new(page).filter(|_| page.len() == self.space.physical_bytes as usize);
        let view = view.ok_or(WrongFormat)?;
        if self.space.checksum == Checksum::FullCrc32 {
            let bytes = sums::full_crc32_bytes(&self.space, view).ok_or(WrongFormat)?;
            return match algorithm {
                Algorithm::FullCrc32 => {
                    let sum = checksum::full_crc32(&page[..bytes]);
                    put(page, bytes - field::LAST_FROM_END, sum);
                    Ok(())
                }
                _ => Err(WrongFormat),
            };
        }
        if algorithm == Algorithm::FullCrc32 || sums::is_packed(&self.space, view) {
            return Err(WrongFormat);
        }
        match self.space.zip {
            true => put(page, field::CHECKSUM, zip(page, algorithm)),
            false => classic(page, algorithm),
        }
        Ok(())
    }
}

/// The sum of a page of `ROW_FORMAT=COMPRESSED`.
fn zip(page: &[u8], algorithm: Algorithm) -> u32 {
    match algorithm {
        Algorithm::FullCrc32 | Algorithm::Crc32 => checksum::zip_crc32(page),
        Algorithm::Crc32BigEndian => checksum::zip_crc32_big_endian(page),
        Algorithm::Innodb => checksum::zip_adler32(page),
        Algorithm::None => NO_CHECKSUM,
    }
}

/// Writes field and trailer.
fn classic(page: &mut [u8], algorithm: Algorithm) {
    let sum = match algorithm {
        Algorithm::FullCrc32 | Algorithm::Crc32 => checksum::classic_crc32(page),
        Algorithm::Crc32BigEndian => checksum::classic_crc32_big_endian(page),
        Algorithm::Innodb => checksum::innodb_new(page),
        Algorithm::None => NO_CHECKSUM,
    };
    put(page, field::CHECKSUM, sum);
    // The old sum covers the field of the new one.
    let trailer = if algorithm == Algorithm::Innodb { checksum::innodb_old(page) } else { sum };
    put(page, page.len() - field::TRAILER_FROM_END, trailer);
}

fn put(page: &mut [u8], at: usize, sum: u32) {
    page[at..at + 4].copy_from_slice(&sum.to_be_bytes());
}
