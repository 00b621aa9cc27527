//! Redo logs in blocks of 512 bytes: MySQL's of all versions, MariaDB's before 10.8.

use super::{BLOCK_BYTES, Format, Header, number_at};
use crate::{Damage, Reason, Verdict, checksum, file::reader::Source, layout::NO_CHECKSUM};
use std::io;

/// Blocks before the first one of data: header, checkpoint, encryption, checkpoint.
pub const HEAD_BLOCKS: u64 = 4;
/// The blocks among them that carry a sum: header and checkpoints.
const SUMMED: [u64; 3] = [0, 1, 3];
/// Where a block's sum is.
const SUM_AT: usize = BLOCK_BYTES - 4;
/// Numbers of blocks have 30 bits; the highest once marked the first block of a write.
const NUMBERS: u64 = 1 << 30;
/// The bit of a block's length that says that the block is encrypted.
const ENCRYPTED: u64 = 0x8000;
/// The bit of a header's flags that says that nothing more will be written to the file.
const FULL: u64 = 1 << 3;
/// Bytes that are read at once to find the end.
const PIECE_BYTES: usize = 1 << 20;
/// Most runs of suspicious blocks that are kept for each file.
const RUNS_MAX: usize = 4096;

/// What is known of a log in blocks before its blocks are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLog {
    /// What its first block says.
    pub header: Header,
    /// The latest checkpoint in this file.
    pub checkpoint_lsn: Option<u64>,
    /// The block of that checkpoint, counted from the beginning of the file.
    checkpoint_block: Option<u64>,
    /// The server is done with the file: it holds data to its end.
    full: bool,
    /// Some blocks may be encrypted.
    encrypted: bool,
}

/// Blocks one after another that are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first, counted from the beginning of the file.
    pub first: u64,
    /// How many.
    pub blocks: u64,
}

/// What was found in blocks.
#[derive(Debug, Default)]
pub struct BlockTally {
    /// Sound blocks.
    pub ok: u64,
    /// Blocks of zeros.
    pub empty: u64,
    /// Blocks without a sum, or encrypted.
    pub unverifiable: u64,
    /// The rest: damage, or behind the end.
    pub runs: Vec<Run>,
    /// Blocks that found no place in `runs`, since there were too many.
    pub untold: u64,
    /// What the device did not give: offset and length, bytes.
    pub unreadable: Vec<(u64, u64)>,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Its sum holds, and its number is this.
    Sound(u64),
    /// Zeros only.
    Empty,
    /// Nothing can be said.
    Unverifiable(Reason),
    /// Its sum does not hold: what it carries, and what it should.
    Unsound(u32, u32),
}

impl BlockLog {
    /// Reads the first four blocks of a file.
    pub fn new(header: Header, head: &[u8]) -> Self {
        let block = |at: usize| head.get(at * BLOCK_BYTES..(at + 1) * BLOCK_BYTES);
        let checkpoint = |at: usize| {
            let block = block(at).filter(|block| sum_holds(block))?;
            let offset = number_at::<8>(block, 16) / BLOCK_BYTES as u64;
            Some((number_at::<8>(block, 8), offset)).filter(|(lsn, _)| *lsn > 0)
        };
        let checkpoint = checkpoint(1).max(checkpoint(3));
        let numbered = matches!(header.format, Format::Numbered(_));
        let data_block =
            |lsn: u64| Some(HEAD_BLOCKS + lsn.checked_sub(header.start_lsn)? / BLOCK_BYTES as u64);
        let checkpoint_block = match numbered {
            true => checkpoint.and_then(|(lsn, _)| data_block(lsn)),
            false => checkpoint.map(|(_, block)| block).filter(|&block| block >= HEAD_BLOCKS),
        };
        let full = numbered && number_at::<4>(head, 48) & FULL != 0;
        let encrypted = numbered || matches!(header.format, Format::Circular(2..=5));
        let keyed = block(2).is_some_and(|block| block.iter().any(|&byte| byte != 0));
        Self {
            checkpoint_lsn: checkpoint.map(|(lsn, _)| lsn),
            checkpoint_block,
            full,
            encrypted: encrypted && keyed,
            header,
        }
    }

    /// Looks at one block of data.
    pub fn sight(&self, block: &[u8]) -> Sight {
        let stored = number_at::<4>(block, SUM_AT) as u32;
        let calculated = checksum::crc32c(block.get(..SUM_AT).unwrap_or_default());
        let number = number_at::<4>(block, 0) & (NUMBERS * 2 - 1);
        if stored == calculated {
            return Sight::Sound(number);
        }
        if block.iter().all(|&byte| byte == 0) {
            return Sight::Empty;
        }
        if stored == NO_CHECKSUM {
            return Sight::Unverifiable(Reason::NoChecksum);
        }
        if self.encrypted && number_at::<2>(block, 4) & ENCRYPTED != 0 {
            return Sight::Unverifiable(Reason::Encrypted);
        }
        let ancient = self.header.format == Format::Ancient;
        if ancient && (stored == ancient_sum(block) || u64::from(stored) == number) {
            return Sight::Sound(number);
        }
        Sight::Unsound(stored, calculated)
    }

    /// The number that a block of data should have, in a file that is written once.
    fn expected(&self, block: u64) -> Option<u64> {
        let numbered = matches!(self.header.format, Format::Numbered(_));
        let lsn_block = self.header.start_lsn / BLOCK_BYTES as u64 + (block - HEAD_BLOCKS);
        numbered.then_some(1 + lsn_block % NUMBERS)
    }

    /// The LSN up to which the data goes on from the checkpoint, or from the beginning of a file
    /// that holds none. None in files that are written round and round, and where the first block
    /// says nothing.
    ///
    /// # Errors
    /// A read that failed.
    pub fn end_lsn(&self, source: &mut dyn Source) -> io::Result<Option<u64>> {
        let mut at = self.checkpoint_block.unwrap_or(HEAD_BLOCKS);
        let mut end_lsn = None;
        loop {
            let bytes = source.read(at.saturating_mul(BLOCK_BYTES as u64), PIECE_BYTES)?;
            if bytes.len() < BLOCK_BYTES {
                return Ok(end_lsn);
            }
            for block in bytes.chunks_exact(BLOCK_BYTES) {
                let expected = self.expected(at).map(Sight::Sound);
                if expected != Some(self.sight(block)) {
                    return Ok(end_lsn);
                }
                let before_bytes = (at - HEAD_BLOCKS).saturating_mul(BLOCK_BYTES as u64);
                let filled = number_at::<2>(block, 4) & !ENCRYPTED;
                end_lsn =
                    Some(self.header.start_lsn.saturating_add(before_bytes).saturating_add(filled));
                if filled != BLOCK_BYTES as u64 {
                    return Ok(end_lsn);
                }
                at += 1;
            }
        }
    }

    /// Looks at the blocks in `bytes`, which begin at `offset` in the file.
    pub fn look(&self, offset: u64, bytes: &[u8], tally: &mut BlockTally) {
        let first = offset / BLOCK_BYTES as u64;
        for (at, block) in (first..).zip(bytes.chunks_exact(BLOCK_BYTES)) {
            if at < HEAD_BLOCKS {
                self.head(at, block, tally);
                continue;
            }
            let wrong = |number| self.expected(at).is_some_and(|expected| expected != number);
            match self.sight(block) {
                Sight::Sound(number) if !wrong(number) => tally.ok += 1,
                Sight::Empty if self.expected(at).is_none() => tally.empty += 1,
                Sight::Unverifiable(_) => tally.unverifiable += 1,
                _ => tally.add(Run { first: at, blocks: 1 }),
            }
        }
    }

    fn head(&self, at: u64, block: &[u8], tally: &mut BlockTally) {
        let summed = SUMMED.contains(&at) && self.header.format != Format::Ancient;
        match summed {
            true if sum_holds(block) => tally.ok += 1,
            true if block.iter().any(|&byte| byte != 0) => tally.add(Run { first: at, blocks: 1 }),
            _ => tally.empty += 1,
        }
    }

    /// Whether a run of suspicious blocks is damage: whether the log goes on behind it, or had
    /// been written there for sure. `before` and `after` are the numbers of the sound blocks
    /// around it, `last` says that it reaches the end of the file.
    pub fn is_damage(&self, run: Run, before: Option<u64>, after: Option<u64>, last: bool) -> bool {
        let holds_checkpoint = self
            .checkpoint_block
            .is_some_and(|block| block >= run.first && block < run.first + run.blocks);
        if run.first < HEAD_BLOCKS || holds_checkpoint || (last && self.full) {
            return true;
        }
        match (self.expected(run.first + run.blocks), before, after) {
            (Some(expected), _, Some(after)) => after == expected,
            (Some(_), _, None) => false,
            (None, Some(before), Some(after)) => {
                after % NUMBERS == (before + run.blocks + 1) % NUMBERS
            }
            // Nothing before it can say whether the round began anew here.
            (None, _, _) => false,
        }
    }
}

impl BlockTally {
    /// Adds what another thread found.
    pub fn join(&mut self, other: Self) {
        self.ok += other.ok;
        self.empty += other.empty;
        self.unverifiable += other.unverifiable;
        self.untold += other.untold;
        for run in other.runs {
            self.add(run);
        }
        for (offset, bytes) in other.unreadable {
            self.unreadable(offset, bytes);
        }
    }

    /// Notes what could not be read.
    pub fn unreadable(&mut self, offset: u64, bytes: u64) {
        if self.unreadable.len() < RUNS_MAX {
            self.unreadable.push((offset, bytes));
        }
    }

    /// Adds a run, joined with what it touches.
    fn add(&mut self, run: Run) {
        let at = self.runs.partition_point(|known| known.first < run.first);
        let touches_next = self.runs.get(at).is_some_and(|n| run.first + run.blocks == n.first);
        let before = at.checked_sub(1).and_then(|at| self.runs.get_mut(at));
        let joined = match before {
            Some(known) if known.first + known.blocks == run.first => {
                known.blocks += run.blocks;
                Some(at - 1)
            }
            _ => None,
        };
        match (joined, touches_next) {
            (Some(known), true) => {
                let next = self.runs.remove(at);
                if let Some(known) = self.runs.get_mut(known) {
                    known.blocks += next.blocks;
                }
            }
            (None, true) => {
                if let Some(next) = self.runs.get_mut(at) {
                    *next = Run { first: run.first, blocks: run.blocks + next.blocks };
                }
            }
            (None, false) if self.runs.len() < RUNS_MAX => self.runs.insert(at, run),
            (None, false) => self.untold += run.blocks,
            (Some(_), false) => {}
        }
    }
}

/// What is wrong with a block that is known to be damaged.
pub fn verdict(log: &BlockLog, at: u64, block: &[u8]) -> Verdict {
    let carried = match log.sight(block) {
        Sight::Unsound(stored, calculated) => {
            return Verdict::Bad { damage: Damage::Checksum { stored, calculated } };
        }
        Sight::Sound(number) => number as u32,
        Sight::Empty | Sight::Unverifiable(_) => 0,
    };
    let expected = if at < HEAD_BLOCKS { 0 } else { log.expected(at).unwrap_or(0) as u32 };
    Verdict::Misdirected { page: [carried, expected], space: [0, 0] }
}

pub(crate) fn sum_holds(block: &[u8]) -> bool {
    let summed = block.get(..SUM_AT).unwrap_or_default();
    number_at::<4>(block, SUM_AT) == u64::from(checksum::crc32c(summed))
}

/// The sum of before MySQL 5.7.9 and MariaDB 10.2 (`log_block_calc_checksum_format_0`).
fn ancient_sum(block: &[u8]) -> u32 {
    let mut sum = 1_u32;
    for (at, &byte) in block.iter().take(SUM_AT).enumerate() {
        let byte = u32::from(byte);
        sum = (sum & 0x7FFF_FFFF).wrapping_add(byte).wrapping_add(byte << (at % 25));
    }
    sum
}

#[cfg(test)]
mod tests;
