//! Numbers and strings of MySQL's protocol, read from bytes that nobody vouches for.

use super::Fault;

/// Reads a packet from its start. Every read past the end is a fault, never a panic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Fault::CUT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Fault::CUT)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Fault> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Fault> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Fault> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Fault> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number whose first byte says how long it is.
    pub(crate) fn length(&mut self) -> Result<u64, Fault> {
        match self.u8()? {
            short @ 0..=0xfa => Ok(short.into()),
            0xfc => self.u16().map(u64::from),
            0xfd => self.array::<3>().map(|[a, b, c]| u32::from_le_bytes([a, b, c, 0]).into()),
            0xfe => self.u64(),
            _ => Err(Fault::nonsense("a length that is none")),
        }
    }

    /// Bytes after their length.
    pub(crate) fn string(&mut self) -> Result<&'a [u8], Fault> {
        let length = self.length()?;
        self.take(usize::try_from(length).map_err(|_| Fault::CUT)?)
    }

    /// The same, or NULL, as the text protocol sends a value.
    pub(crate) fn string_or_null(&mut self) -> Result<Option<&'a [u8]>, Fault> {
        if self.0.first() == Some(&0xfb) {
            self.u8()?;
            return Ok(None);
        }
        self.string().map(Some)
    }

    /// Bytes up to a zero, which is taken as well; all that is left where there is no zero.
    pub(crate) fn until_zero(&mut self) -> &'a [u8] {
        match self.0.iter().position(|byte| *byte == 0) {
            Some(end) => {
                let text = &self.0[..end];
                self.0 = &self.0[end + 1..];
                text
            }
            None => self.rest(),
        }
    }
}

/// Appends a number in the form whose first byte says how long it is.
pub(crate) fn put_length(out: &mut Vec<u8>, length: usize) {
    let bytes = (length as u64).to_le_bytes();
    match length {
        0..=0xfa => out.push(bytes[0]),
        0xfb..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend_from_slice(&bytes[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&bytes);
        }
    }
}

/// Appends bytes after their length.
pub(crate) fn put_string(out: &mut Vec<u8>, bytes: &[u8]) {
    put_length(out, bytes.len());
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_length_takes_as_few_bytes_as_it_can() {
        for (length, bytes) in [(0, 1), (250, 1), (251, 3), (65_535, 3), (65_536, 4), (1 << 24, 9)]
        {
            let mut out = Vec::new();
            put_length(&mut out, length);
            assert_eq!(out.len(), bytes, "{length}");
            assert_eq!(Reader::new(&out).length().unwrap(), length as u64);
        }
    }

    #[test]
    fn null_is_told_from_an_empty_string() {
        let mut reader = Reader::new(&[0xfb, 0, 1, b'x']);
        assert_eq!(reader.string_or_null().unwrap(), None);
        assert_eq!(reader.string_or_null().unwrap(), Some(&b""[..]));
        assert_eq!(reader.string_or_null().unwrap(), Some(&b"x"[..]));
        assert!(reader.string_or_null().is_err());
    }

    proptest! {
        #[test]
        fn strings_read_back(text in proptest::collection::vec(any::<u8>(), 0..600)) {
            let mut out = Vec::new();
            put_string(&mut out, &text);
            prop_assert_eq!(Reader::new(&out).string().unwrap(), &text[..]);
        }

        #[test]
        fn hostile_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
            let mut reader = Reader::new(&bytes);
            while !reader.is_empty() && reader.string_or_null().is_ok() {}
            let _answer = (reader.until_zero(), reader.u64());
        }
    }
}
