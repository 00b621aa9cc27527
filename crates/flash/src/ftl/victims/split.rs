//! Spare space that is split by stream: which stream has more of it than its share.

use crate::ftl::{Options, SpareSplit, blocks::Block};

/// What each stream has of the pages that are invalid. Blocks are listed by stream, and in each by
/// their valid pages.
#[derive(Clone, Debug)]
pub(super) struct Split {
    block_pages: u32,
    streams: Vec<Stream>,
}

#[derive(Clone, Debug)]
struct Stream {
    /// Of the invalid pages that it should have, of 1.
    share: f64,
    /// Invalid pages of its full blocks.
    invalid: u64,
}

impl Split {
    pub(super) fn new(split: &SpareSplit, options: &Options) -> Self {
        let streams = split.shares().map(|share| Stream { share, invalid: 0 }).collect();
        Self { block_pages: options.geometry.block_pages, streams }
    }

    /// The list in which a block stands.
    pub(super) fn list(&self, block: Block) -> u32 {
        self.stream(block) as u32 * self.lists_each() + block.valid
    }

    /// The lists of a stream, the fewest valid pages first.
    pub(super) fn lists(&self, stream: u32) -> std::ops::Range<u32> {
        stream * self.lists_each()..(stream + 1) * self.lists_each()
    }

    /// A block has been filled.
    pub(super) fn filled(&mut self, block: Block) {
        let invalid = self.invalid(block);
        self.held(block).invalid += invalid;
    }

    /// One more page of a full block is invalid.
    pub(super) fn invalidated(&mut self, block: Block) {
        self.held(block).invalid += 1;
    }

    /// A block is collected.
    pub(super) fn collected(&mut self, block: Block) {
        let invalid = self.invalid(block);
        self.held(block).invalid -= invalid;
    }

    /// The stream that has most above its share. As shares add up to 1, it has some.
    pub(super) fn most_over(&self) -> u32 {
        let all: u64 = self.streams.iter().map(|stream| stream.invalid).sum();
        let over = |stream: &Stream| stream.invalid as f64 - stream.share * all as f64;
        let mut most = (f64::NEG_INFINITY, 0);
        for (number, stream) in (0..).zip(&self.streams) {
            if over(stream) > most.0 && stream.invalid > 0 {
                most = (over(stream), number);
            }
        }
        most.1
    }

    fn lists_each(&self) -> u32 {
        self.block_pages + 1
    }

    fn invalid(&self, block: Block) -> u64 {
        u64::from(self.block_pages - block.valid)
    }

    /// Open blocks of moved pages come behind those of the host's, in the same order.
    fn stream(&self, block: Block) -> usize {
        usize::from(block.frontier) % self.streams.len()
    }

    fn held(&mut self, block: Block) -> &mut Stream {
        let stream = self.stream(block);
        &mut self.streams[stream]
    }
}
