//! A page as it was answered. What lies beyond its end reads as zero, as drives themselves pad.

/// Little-endian numbers and text of a page, by offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    fn array<const N: usize>(self, at: usize) -> [u8; N] {
        let bytes = self.0.iter().skip(at).copied().chain(std::iter::repeat(0));
        let mut array = [0; N];
        array.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        array
    }

    pub(crate) fn u8(self, at: usize) -> u8 {
        self.array::<1>(at)[0]
    }

    pub(crate) fn u16(self, at: usize) -> u16 {
        u16::from_le_bytes(self.array(at))
    }

    pub(crate) fn u32(self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    pub(crate) fn u64(self, at: usize) -> u64 {
        u64::from_le_bytes(self.array(at))
    }

    /// Six bytes, as vendors' raw values have.
    pub(crate) fn u48(self, at: usize) -> u64 {
        self.u64(at) & 0xffff_ffff_ffff
    }

    pub(crate) fn u128(self, at: usize) -> u128 {
        u128::from_le_bytes(self.array(at))
    }

    /// ASCII padded by blanks; anything else is shown as a question mark.
    pub(crate) fn text(self, at: usize, length: usize) -> String {
        let bytes = self.0.iter().skip(at).take(length).take_while(|byte| **byte != 0);
        let shown = |byte: &u8| if matches!(byte, 0x20..0x7f) { char::from(*byte) } else { '?' };
        bytes.map(shown).collect::<String>().trim().to_owned()
    }

    /// The rest of the page from an offset.
    pub(crate) fn from(self, at: usize) -> Self {
        Bytes(self.0.get(at..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_little_endian_and_zero_beyond_the_end() {
        let page = Bytes(&[1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(page.u16(1), 0x0302);
        assert_eq!(page.u48(2), 0x0807_0605_0403);
        assert_eq!(page.u32(7), 0x0908);
        assert_eq!(page.u128(100), 0);
        assert_eq!(page.from(8).u8(0), 9);
        assert_eq!(page.from(80).u8(0), 0);
    }

    #[test]
    fn text_has_no_padding_and_nothing_that_a_terminal_obeys() {
        assert_eq!(Bytes(b"  ab\x1b[2Jc   \0xyz").text(0, 17), "ab?[2Jc");
    }
}
