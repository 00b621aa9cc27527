//! CRC-32C: polynomial 0x82F63B78 reflected, begun and ended with an inversion.

use std::ops::Range;

/// The CRC-32C of `bytes`.
pub fn crc32c(bytes: &[u8]) -> u32 {
    ::crc32c::crc32c(bytes)
}

/// The CRC-32C of a range of a page, each aligned 8 bytes of the page back to front.
pub(super) fn big_endian(page: &[u8], range: Range<usize>) -> u32 {
    let end = range.end.min(page.len());
    let aligned = range.start.next_multiple_of(8).min(end);
    let head = page.get(range.start..aligned).unwrap_or_default();
    let body = page.get(aligned..end).unwrap_or_default();
    let mut sum = ::crc32c::crc32c(head);
    let (steps, tail) = body.as_chunks::<8>();
    for step in steps {
        let mut swapped = *step;
        swapped.reverse();
        sum = ::crc32c::crc32c_append(sum, &swapped);
    }
    ::crc32c::crc32c_append(sum, tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_standard_comes_out() {
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
        assert_eq!(crc32c(b""), 0);
    }
}
