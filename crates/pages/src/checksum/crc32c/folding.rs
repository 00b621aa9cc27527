//! CRC-32C by carry-less multiplication on vectors of 64 bytes.
//!
//! A message is a polynomial over GF(2), and its sum the remainder by P. Sixteen bytes that stand D
//! bits before others may be replaced by their product with x^D mod P, xor the others: so whole
//! vectors are folded into the next ones, four side by side to hide the latency of the
//! multiplication, and only the last sixteen bytes are divided, by the instruction of SSE 4.2.
//! (V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", Intel 2009.)

#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// The polynomial without its highest term, reflected: bit 31-k stands for x^k.
const POLYNOMIAL: u32 = 0x82F6_3B78;
/// Bytes of a vector.
const VECTOR: usize = 64;

/// Whether this processor, and the system on it, can do it.
#[inline]
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("vpclmulqdq")
        && is_x86_feature_detected!("sse4.2")
}

/// The CRC-32C of `bytes`.
///
/// # Panics
/// Where it is not available.
#[inline]
pub(super) fn sum(bytes: &[u8]) -> u32 {
    assert!(is_available(), "AVX-512 with VPCLMULQDQ");
    // SAFETY: the processor has all features that the function is compiled for, as asserted.
    unsafe { fold_all(bytes) }
}

/// x^exponent mod P, reflected.
const fn power(exponent: usize) -> u32 {
    let mut value = 1 << 31;
    let mut done = 0;
    while done < exponent {
        value = value >> 1 ^ if value & 1 == 1 { POLYNOMIAL } else { 0 };
        done += 1;
    }
    value
}

/// What sixteen bytes are multiplied by to be moved forward by so many bytes: one factor for the
/// first eight, which stand 64 bits further from the end, and one for the last eight.
///
/// A factor stands in the upper half of its 64 bits. The product of two reflected numbers of 64
/// bits has 127, and comes out a bit too low: x times too much, so each power is one less.
const fn factors(bytes: usize) -> [u64; 2] {
    let bits = bytes * 8;
    [(power(bits + 64 - 1) as u64) << 32, (power(bits - 1) as u64) << 32]
}

/// Forward by four vectors, in each lane of sixteen bytes.
const FOUR_VECTORS: [[u64; 2]; 4] = [factors(4 * VECTOR); 4];
/// Forward by one vector.
const ONE_VECTOR: [[u64; 2]; 4] = [factors(VECTOR); 4];
/// All lanes of a vector forward to its last one, which stays where it is and is left out.
const LAST_LANE: [[u64; 2]; 4] = [factors(48), factors(32), factors(16), [0, 0]];

/// The CRC-32C of `bytes`: up to a boundary of 64 bytes by the instruction of SSE 4.2, then
/// vectors, then the rest.
#[target_feature(enable = "avx512f,vpclmulqdq,sse4.2")]
fn fold_all(bytes: &[u8]) -> u32 {
    let head = bytes.as_ptr().align_offset(VECTOR);
    let (head, body) = bytes.split_at(head.min(bytes.len()));
    let state = divide(!0, head);
    let (vectors, tail) = body.as_chunks::<VECTOR>();
    !divide(fold_vectors(state, vectors), tail)
}

/// Goes on from a state (not inverted) over some vectors.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq,sse4.2")]
fn fold_vectors(state: u32, vectors: &[[u8; VECTOR]]) -> u32 {
    let (fours, ones) = vectors.as_chunks::<4>();
    // What went before is a summand of the first four bytes.
    let state = _mm512_zextsi128_si512(_mm_cvtsi32_si128(state.cast_signed()));
    let mut ones = ones.iter();
    let mut sum = if let Some((first, rest)) = fours.split_first() {
        let key = constant(&FOUR_VECTORS);
        let mut sums = first.each_ref().map(|vector| load(vector));
        sums[0] = _mm512_xor_si512(sums[0], state);
        for four in rest {
            for (sum, vector) in sums.iter_mut().zip(four) {
                *sum = _mm512_xor_si512(forward(*sum, key), load(vector));
            }
        }
        let key = constant(&ONE_VECTOR);
        let [mut sum, rest @ ..] = sums;
        for next in rest {
            sum = _mm512_xor_si512(forward(sum, key), next);
        }
        sum
    } else if let Some(first) = ones.next() {
        _mm512_xor_si512(load(first), state)
    } else {
        return _mm_cvtsi128_si32(_mm512_castsi512_si128(state)).cast_unsigned();
    };
    let key = constant(&ONE_VECTOR);
    for vector in ones {
        sum = _mm512_xor_si512(forward(sum, key), load(vector));
    }
    divide_vector(sum)
}

/// Moves each lane forward by the factors of `key`.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn forward(sum: __m512i, key: __m512i) -> __m512i {
    let first = _mm512_clmulepi64_epi128::<0x00>(sum, key);
    let last = _mm512_clmulepi64_epi128::<0x11>(sum, key);
    _mm512_xor_si512(first, last)
}

/// The state after a vector.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq,sse4.2")]
fn divide_vector(sum: __m512i) -> u32 {
    let moved = forward(sum, constant(&LAST_LANE));
    let lanes = [
        _mm512_extracti32x4_epi32::<0>(moved),
        _mm512_extracti32x4_epi32::<1>(moved),
        _mm512_extracti32x4_epi32::<2>(moved),
    ];
    let last = _mm512_extracti32x4_epi32::<3>(sum);
    let lane = lanes.into_iter().fold(last, |lane, other| _mm_xor_si128(lane, other));
    let first = _mm_cvtsi128_si64(lane).cast_unsigned();
    let second = _mm_extract_epi64::<1>(lane).cast_unsigned();
    _mm_crc32_u64(_mm_crc32_u64(0, first), second) as u32
}

/// Goes on from a state (not inverted) by the instruction of SSE 4.2.
#[inline]
#[target_feature(enable = "sse4.2")]
fn divide(state: u32, bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<8>();
    let state = words
        .iter()
        .fold(u64::from(state), |state, word| _mm_crc32_u64(state, u64::from_le_bytes(*word)));
    rest.iter().fold(state as u32, |state, &byte| _mm_crc32_u8(state, byte))
}

/// Loads a vector; it need not be aligned.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(vector: &[u8; VECTOR]) -> __m512i {
    // SAFETY: the reference is to 64 readable bytes, and the load wants no alignment.
    unsafe { _mm512_loadu_si512(vector.as_ptr().cast()) }
}

/// Loads constants.
#[inline]
#[target_feature(enable = "avx512f")]
fn constant(lanes: &[[u64; 2]; 4]) -> __m512i {
    // SAFETY: the reference is to 64 readable bytes, and the load wants no alignment.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}
