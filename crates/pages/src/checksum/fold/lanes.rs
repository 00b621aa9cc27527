//! Sixteen folds side by side. The arithmetic is plain Rust over arrays of sixteen numbers, which
//! the compiler turns into vectors; it is compiled once for each width that a processor may have.

#![allow(unsafe_code)]

use super::step;

/// Pages side by side: what a vector of AVX-512 holds of 32-bit numbers.
pub(super) const LANES: usize = 16;
/// Bytes of each page that are turned into vectors at once: as many words of them as lanes.
const BLOCK: usize = LANES * 4;

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
    baseline(slices)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(slices: [&[u8]; LANES]) -> [u32; LANES] {
    baseline(slices)
}

/// The folds, compiled for whatever the caller is compiled for.
#[inline(always)]
fn baseline(slices: [&[u8]; LANES]) -> [u32; LANES] {
    let shortest = slices.iter().map(|slice| slice.len()).min().unwrap_or(0);
    let slices = slices.map(|slice| &slice[..shortest]);
    let blocks = slices.map(|slice| slice.as_chunks::<BLOCK>().0);
    let mut sums = [0; LANES];
    for block in 0..shortest / BLOCK {
        for words in transposed(blocks.map(|blocks| &blocks[block])) {
            for byte in 0..4 {
                add(&mut sums, words.map(|word| word >> (8 * byte) & 0xFF));
            }
        }
    }
    for place in shortest / BLOCK * BLOCK..shortest {
        add(&mut sums, slices.map(|slice| u32::from(slice[place])));
    }
    sums
}

/// A byte of each slice into its sum.
#[inline(always)]
fn add(sums: &mut [u32; LANES], bytes: [u32; LANES]) {
    for (sum, byte) in sums.iter_mut().zip(bytes) {
        *sum = step(*sum, byte);
    }
}

/// The first words of all blocks, the second ones, and so on.
#[inline(always)]
fn transposed(blocks: [&[u8; BLOCK]; LANES]) -> [[u32; LANES]; LANES] {
    let mut words = [[0; LANES]; LANES];
    for (lane, block) in blocks.into_iter().enumerate() {
        for (words, word) in words.iter_mut().zip(block.as_chunks::<4>().0) {
            words[lane] = u32::from_le_bytes(*word);
        }
    }
    words
}
