//! Blocks: which of their pages are valid, which of them are free, open and full.

use super::{Geometry, GeometryError, memory};
use std::collections::VecDeque;

/// What a block is for.
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

/// All blocks of a drive.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    pages: u32,
    /// 2^64 by the pages of a block, rounded up: a multiplication divides faster.
    reciprocal: u64,
    /// Words of the bitmap that a block takes.
    words: usize,
    bitmap: Vec<u64>,
    blocks: Vec<Block>,
    erases: Vec<u32>,
    free: VecDeque<u32>,
}

impl Blocks {
    pub(super) fn new(geometry: &Geometry) -> Result<Self, GeometryError> {
        let count = geometry.blocks as usize;
        let words = geometry.block_pages.div_ceil(64) as usize;
        Ok(Self {
            pages: geometry.block_pages,
            reciprocal: u64::MAX / u64::from(geometry.block_pages) + 1,
            words,
            bitmap: memory::filled(0, count * words)?,
            blocks: memory::filled(Block { valid: 0, phase: Phase::Free, frontier: 0 }, count)?,
            erases: memory::filled(0, count)?,
            free: (0..geometry.blocks).collect(),
        })
    }

    pub(super) fn all(&self) -> &[Block] {
        &self.blocks
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

    /// Place of a physical page in the bitmap: its block, a word, a bit.
    #[inline(always)]
    fn bit(&self, page: u32) -> (u32, usize, u64) {
        let block = self.of(page);
        let offset = page - block * self.pages;
        (block, block as usize * self.words + offset as usize / 64, 1 << (offset % 64))
    }

    /// Fetches what collecting a block will read first of the bitmap.
    pub(super) fn prefetch_words(&self, block: u32) {
        memory::prefetch(&self.bitmap, block as usize * self.words);
    }

    /// Fetches what [`Self::invalidate`] will touch.
    #[inline(always)]
    pub(super) fn prefetch(&self, page: u32) {
        let (block, word, _) = self.bit(page);
        memory::prefetch(&self.bitmap, word);
        memory::prefetch(&self.blocks, block as usize);
    }

    /// A valid physical page is so no longer. Its block, with what is left.
    #[inline(always)]
    pub(super) fn invalidate(&mut self, page: u32) -> (u32, Block) {
        let (block, word, bit) = self.bit(page);
        debug_assert!(self.bitmap[word] & bit != 0, "page {page} was valid");
        self.bitmap[word] &= !bit;
        // To read back what was just stored in part would wait for all stores before it.
        let mut state = self.blocks[block as usize];
        state.valid -= 1;
        self.blocks[block as usize] = state;
        (block, state)
    }

    /// Takes a free block to be written: the one that has been free for longest.
    pub(super) fn open(&mut self, frontier: u8) -> Option<u32> {
        let block = self.free.pop_front()?;
        self.blocks[block as usize] = Block { valid: self.pages, phase: Phase::Open, frontier };
        let words = &mut self.bitmap[block as usize * self.words..][..self.words];
        words.fill(u64::MAX);
        if !self.pages.is_multiple_of(64) {
            words[self.words - 1] = (1 << (self.pages % 64)) - 1;
        }
        Some(block)
    }

    /// An open block has been written to its end.
    pub(super) fn seal(&mut self, block: u32) -> Block {
        let state = &mut self.blocks[block as usize];
        debug_assert_eq!(state.phase, Phase::Open);
        state.phase = Phase::Full;
        *state
    }

    /// Makes a block free, whatever it held.
    pub(super) fn erase(&mut self, block: u32) {
        let state = &mut self.blocks[block as usize];
        debug_assert_eq!(state.phase, Phase::Full);
        state.phase = Phase::Free;
        state.valid = 0;
        self.erases[block as usize] += 1;
        self.free.push_back(block);
    }

    /// The bitmap of a block: bit by bit, which of its pages are valid.
    pub(super) fn words(&self, block: u32) -> &[u64] {
        &self.bitmap[block as usize * self.words..][..self.words]
    }
}
