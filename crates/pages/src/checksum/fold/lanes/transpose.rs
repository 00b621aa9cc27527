//! Bytes of sixteen pages, turned into vectors that hold a word of each.

use super::LANES;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Bytes of each page that are turned at once: as many words of them as there are lanes.
pub(super) const BLOCK: usize = LANES * 4;

/// A block of each page.
pub(super) type Blocks<'a> = [&'a [u8; BLOCK]; LANES];

/// The first words of all blocks, the second ones, and so on.
pub(super) type Words = [[u32; LANES]; LANES];

/// Word by word.
#[inline(always)]
pub(super) fn baseline(blocks: Blocks<'_>) -> Words {
    let mut words = [[0; LANES]; LANES];
    for (lane, block) in blocks.into_iter().enumerate() {
        for (words, word) in words.iter_mut().zip(block.as_chunks::<4>().0) {
            words[lane] = u32::from_le_bytes(*word);
        }
    }
    words
}

/// In vectors of 64 bytes: pairs of words are brought together first, then fours, then the four
/// quarters of the vectors are sorted.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn avx512(blocks: Blocks<'_>) -> Words {
    let zero = _mm512_setzero_si512();
    let mut rows = [zero; LANES];
    for (row, block) in rows.iter_mut().zip(blocks) {
        // SAFETY: the reference is to 64 readable bytes, and the load wants no alignment.
        *row = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    }
    // Quarter q of fours[g][c] is column 4q + c of rows 4g to 4g + 3.
    let mut fours = [[zero; 4]; 4];
    for (four, row) in fours.iter_mut().zip(rows.as_chunks::<4>().0) {
        let [low, high] = pairs(row[0], row[1]);
        let [next_low, next_high] = pairs(row[2], row[3]);
        *four = [
            _mm512_unpacklo_epi64(low, next_low),
            _mm512_unpackhi_epi64(low, next_low),
            _mm512_unpacklo_epi64(high, next_high),
            _mm512_unpackhi_epi64(high, next_high),
        ];
    }
    let mut words = [[0; LANES]; LANES];
    for column in 0..4 {
        let [a, b, c, d] = fours.map(|four| four[column]);
        let even = [_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0x88>(c, d)];
        let odd = [_mm512_shuffle_i32x4::<0xDD>(a, b), _mm512_shuffle_i32x4::<0xDD>(c, d)];
        words[column] = store(_mm512_shuffle_i32x4::<0x88>(even[0], even[1]));
        words[column + 4] = store(_mm512_shuffle_i32x4::<0x88>(odd[0], odd[1]));
        words[column + 8] = store(_mm512_shuffle_i32x4::<0xDD>(even[0], even[1]));
        words[column + 12] = store(_mm512_shuffle_i32x4::<0xDD>(odd[0], odd[1]));
    }
    words
}

/// The words of two rows in turn: those of the lower halves of their quarters, then the upper.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn pairs(row: __m512i, next: __m512i) -> [__m512i; 2] {
    [_mm512_unpacklo_epi32(row, next), _mm512_unpackhi_epi32(row, next)]
}

/// The words of a vector.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn store(vector: __m512i) -> [u32; LANES] {
    let mut words = [0; LANES];
    // SAFETY: the reference is to 64 writable bytes, and the store wants no alignment.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) };
    words
}
