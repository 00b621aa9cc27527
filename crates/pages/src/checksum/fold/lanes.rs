//! Sixteen folds side by side. The arithmetic is plain Rust over arrays of sixteen numbers, which
//! the compiler turns into vectors; it is compiled once for each width that a processor may have.

#![allow(unsafe_code)]

mod transpose;

use super::step;
use transpose::{BLOCK, Blocks, Words};

/// Pages side by side: what a vector of AVX-512 holds of 32-bit numbers.
pub(super) const LANES: usize = 16;

/// Which instructions are used. All agree; which are is the processor's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    /// All lanes in one vector.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// In two vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Whatever every processor of the architecture has (SSE 2, NEON: four vectors).
    Baseline,
}

impl Kernel {
    /// All of them, the fastest first.
    pub(super) const ALL: &[Self] = &[
        #[cfg(target_arch = "x86_64")]
        Self::Avx512,
        #[cfg(target_arch = "x86_64")]
        Self::Avx2,
        Self::Baseline,
    ];

    /// Whether this processor, and the system on it, can do it.
    pub(super) fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            Self::Baseline => true,
        }
    }

    /// The fastest one here. What the processor can do is looked up once a process.
    pub(super) fn fastest() -> Self {
        Self::ALL.iter().copied().find(|kernel| kernel.is_available()).unwrap_or(Self::Baseline)
    }

    /// The fold of each of sixteen slices, up to the length of the shortest.
    ///
    /// # Panics
    /// Where it is not available.
    pub(super) fn fold(self, slices: [&[u8]; LANES]) -> [u32; LANES] {
        assert!(self.is_available(), "{self:?}");
        match self {
            // SAFETY: the processor has the feature, as asserted.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { avx512(slices) },
            // SAFETY: the processor has the feature, as asserted.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { avx2(slices) },
            Self::Baseline => baseline(slices),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512(slices: [&[u8]; LANES]) -> [u32; LANES] {
    folds(slices, |blocks| transpose::avx512(blocks))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(slices: [&[u8]; LANES]) -> [u32; LANES] {
    folds(slices, transpose::baseline)
}

fn baseline(slices: [&[u8]; LANES]) -> [u32; LANES] {
    folds(slices, transpose::baseline)
}

/// The folds, compiled for whatever the caller is compiled for.
#[inline(always)]
fn folds(slices: [&[u8]; LANES], transpose: impl Fn(Blocks<'_>) -> Words) -> [u32; LANES] {
    let shortest = slices.iter().map(|slice| slice.len()).min().unwrap_or(0);
    let blocks = slices.map(|slice| slice.as_chunks::<BLOCK>().0);
    let mut sums = [0; LANES];
    let whole = shortest / BLOCK;
    for block in 0..whole {
        for words in transpose(blocks.map(|blocks| &blocks[block])) {
            for byte in 0..4 {
                add(&mut sums, words, byte);
            }
        }
    }
    let mut padded = [[0; BLOCK]; LANES];
    let rest = shortest % BLOCK;
    for (padded, slice) in padded.iter_mut().zip(slices) {
        padded[..rest].copy_from_slice(&slice[shortest - rest..shortest]);
    }
    let words = transpose(padded.each_ref());
    for byte in 0..rest {
        add(&mut sums, words[byte / 4], byte % 4);
    }
    sums
}

/// A byte of each word into its sum.
#[inline(always)]
fn add(sums: &mut [u32; LANES], words: [u32; LANES], byte: usize) {
    for (sum, word) in sums.iter_mut().zip(words) {
        *sum = step(*sum, word >> (8 * byte) & 0xFF);
    }
}
