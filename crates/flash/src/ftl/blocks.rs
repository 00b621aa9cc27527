//! Blocks: which of their pages are valid, which of them are free, open and full.

use super::{Geometry, GeometryError, memory};
use std::collections::VecDeque;

/// What a block is for, by the number that it is kept as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Erased.
    Free,
    /// Being written.
    Open,
    /// Written to its end.
    Full,
}

/// A block. While it is open, the pages that it will yet take count as valid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) valid: u32,
    pub(super) phase: Phase,
    /// Of which open block it is or was.
    pub(super) frontier: u8,
}

/// Words of a cache line.
const LINE_WORDS: usize = 8;

impl Block {
    /// As it is kept: the valid pages in the low half, then the phase and the frontier. An erased
    /// block is 0.
    const fn word(self) -> u64 {
        self.valid as u64 | (self.phase as u64) << 32 | (self.frontier as u64) << 40
    }

    #[inline(always)]
    const fn of(word: u64) -> Self {
        let phase = match (word >> 32) as u8 {
            0 => Phase::Free,
            1 => Phase::Open,
            _ => Phase::Full,
        };
        Self { valid: word as u32, phase, frontier: (word >> 40) as u8 }
    }
}

/// All blocks of a drive.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    pages: u32,
    /// 2^64 by the pages of a block, rounded up: a multiplication divides faster.
    reciprocal: u64,
    /// Words of a block's bitmap.
    words: usize,
    /// Words from one block's record to the next.
    stride: usize,
    /// Where the first record begins, so that it does at a cache line.
    start: usize,
    /// A record for each block: its state in a word, then its bitmap. What a page that becomes
    /// invalid touches lies in one cache line, if the block is not too long.
    records: Vec<u64>,
    erases: Vec<u32>,
    free: VecDeque<u32>,
}

impl Blocks {
    pub(super) fn new(geometry: &Geometry) -> Result<Self, GeometryError> {
        let count = geometry.blocks as usize;
        let words = geometry.block_pages.div_ceil(64) as usize;
        let stride = match 1 + words {
            short @ ..LINE_WORDS => short.next_power_of_two(),
            long => long.next_multiple_of(LINE_WORDS),
        };
        let records = memory::filled(0, count * stride + LINE_WORDS)?;
        Ok(Self {
            pages: geometry.block_pages,
            reciprocal: u64::MAX / u64::from(geometry.block_pages) + 1,
            words,
            stride,
            // Misaligned, as a clone may be, it is slower and nothing else.
            start: records.as_ptr().align_offset(LINE_WORDS * size_of::<u64>()) % LINE_WORDS,
            records,
            erases: memory::filled(0, count)?,
            free: (0..geometry.blocks).collect(),
        })
    }

    /// All blocks, from the first on.
    pub(super) fn all(&self) -> impl Iterator<Item = Block> {
        (0..self.erases.len() as u32).map(|number| self.block(number))
    }

    /// A block.
    #[inline(always)]
    pub(super) fn block(&self, number: u32) -> Block {
        Block::of(self.records[self.record(number)])
    }

    fn set(&mut self, number: u32, block: Block) {
        let record = self.record(number);
        self.records[record] = block.word();
    }

    /// Where a block's record begins.
    #[inline(always)]
    fn record(&self, number: u32) -> usize {
        self.start + number as usize * self.stride
    }

    pub(super) fn erases(&self) -> &[u32] {
        &self.erases
    }

    pub(super) fn free(&self) -> usize {
        self.free.len()
    }

    /// Block of a physical page. Exact for every page and divisor of 32 bits (Lemire, Kaser and
    /// Kurz, 2019).
    #[inline(always)]
    pub(super) fn of(&self, page: u32) -> u32 {
        ((u128::from(self.reciprocal) * u128::from(page)) >> 64) as u32
    }

    /// Place of a physical page in a bitmap: its block, a word of the records, a bit.
    #[inline(always)]
    fn bit(&self, page: u32) -> (u32, usize, u64) {
        let block = self.of(page);
        let offset = page - block * self.pages;
        (block, self.record(block) + 1 + offset as usize / 64, 1 << (offset % 64))
    }

    /// Fetches what collecting a block will read first of the bitmap.
    pub(super) fn prefetch_words(&self, block: u32) {
        memory::prefetch(&self.records, self.record(block));
    }

    /// Fetches what [`Self::invalidate`] will touch.
    #[inline(always)]
    pub(super) fn prefetch(&self, page: u32) {
        let (block, word, _) = self.bit(page);
        memory::prefetch(&self.records, word);
        if self.stride > LINE_WORDS {
            memory::prefetch(&self.records, self.record(block));
        }
    }

    /// A valid physical page is so no longer. Its block, with what is left.
    #[inline(always)]
    pub(super) fn invalidate(&mut self, page: u32) -> (u32, Block) {
        let (block, word, bit) = self.bit(page);
        debug_assert!(self.records[word] & bit != 0, "page {page} was valid");
        self.records[word] &= !bit;
        let record = self.record(block);
        // The valid pages are the low half of the word, and there was one at least.
        let state = self.records[record] - 1;
        self.records[record] = state;
        (block, Block::of(state))
    }

    /// Takes a free block to be written: the one that has been free for longest.
    pub(super) fn open(&mut self, frontier: u8) -> Option<u32> {
        let block = self.free.pop_front()?;
        self.set(block, Block { valid: self.pages, phase: Phase::Open, frontier });
        let record = self.record(block);
        let words = &mut self.records[record + 1..][..self.words];
        words.fill(u64::MAX);
        if !self.pages.is_multiple_of(64) {
            words[self.words - 1] = (1 << (self.pages % 64)) - 1;
        }
        Some(block)
    }

    /// An open block has been written to its end.
    pub(super) fn seal(&mut self, block: u32) -> Block {
        let state = self.block(block);
        debug_assert_eq!(state.phase, Phase::Open);
        let full = Block { phase: Phase::Full, ..state };
        self.set(block, full);
        full
    }

    /// Makes a block free, whatever it held.
    pub(super) fn erase(&mut self, block: u32) {
        let state = self.block(block);
        debug_assert_eq!(state.phase, Phase::Full);
        self.set(block, Block { valid: 0, phase: Phase::Free, ..state });
        self.erases[block as usize] += 1;
        self.free.push_back(block);
    }

    /// The bitmap of a block: bit by bit, which of its pages are valid.
    pub(super) fn words(&self, block: u32) -> &[u64] {
        &self.records[self.record(block) + 1..][..self.words]
    }
}
