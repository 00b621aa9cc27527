//! CRC-32C: polynomial 0x82F63B78 reflected, begun and ended with an inversion.

#[cfg(target_arch = "x86_64")]
mod folding;

use std::ops::Range;

/// Words that are turned round at once.
const WORDS: usize = 128;

/// A way to compute it. All agree; which is used is the processor's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    /// 256 bytes a step by carry-less multiplication (AVX-512 and VPCLMULQDQ).
    #[cfg(target_arch = "x86_64")]
    Folding,
    /// Crate `crc32c`: the instructions of SSE 4.2 or ARMv8, or tables.
    Crate,
}

impl Kernel {
    /// The fastest one here. What the processor can do is looked up once a process.
    #[inline]
    fn fastest() -> Self {
        #[cfg(target_arch = "x86_64")]
        if folding::is_available() {
            return Self::Folding;
        }
        Self::Crate
    }

    /// The CRC-32C of `bytes`.
    #[inline]
    fn sum(self, bytes: &[u8]) -> u32 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Folding => folding::sum(bytes),
            Self::Crate => ::crc32c::crc32c(bytes),
        }
    }
}

/// The CRC-32C of `bytes`.
pub fn crc32c(bytes: &[u8]) -> u32 {
    Kernel::fastest().sum(bytes)
}

/// The CRC-32C of a range of a page, each aligned 8 bytes of the page back to front.
pub(super) fn big_endian(page: &[u8], range: Range<usize>) -> u32 {
    let end = range.end.min(page.len());
    let aligned = range.start.next_multiple_of(8).min(end);
    let head = page.get(range.start..aligned).unwrap_or_default();
    let body = page.get(aligned..end).unwrap_or_default();
    let mut sum = ::crc32c::crc32c(head);
    let (words, tail) = body.as_chunks::<8>();
    for words in words.chunks(WORDS) {
        let mut swapped = [[0; 8]; WORDS];
        for (swapped, word) in swapped.iter_mut().zip(words) {
            *swapped = u64::from_be_bytes(*word).to_le_bytes();
        }
        sum = ::crc32c::crc32c_append(sum, swapped[..words.len()].as_flattened());
    }
    ::crc32c::crc32c_append(sum, tail)
}

#[cfg(test)]
mod tests;
