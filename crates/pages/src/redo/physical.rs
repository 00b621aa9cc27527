//! MariaDB's redo log since 10.8: a header, two checkpoints, and mini-transactions round and round,
//! each with a sum of its own (`log0recv.cc`, `recv_sys_t::parse`).

use super::{Header, number_at};
use crate::{checksum, file::reader::Source};
use std::io;

/// Where the two checkpoints are, bytes.
const CHECKPOINTS: [u64; 2] = [4096, 8192];
/// Bytes of a checkpoint under its sum.
const CHECKPOINT_BYTES: usize = 60;
/// Where data begins, bytes.
const DATA_AT: u64 = 12_288;
/// The longest mini-transaction, bytes (`MTR_SIZE_MAX`).
const MINI_TRANSACTION_MAX: usize = 1 << 20;
/// What a window holds before it is filled anew: two of them and their ends.
const WINDOW: usize = 2 * MINI_TRANSACTION_MAX + 64;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Physical {
    /// The latest checkpoint.
    pub checkpoint_lsn: Option<u64>,
    /// Where the log ends.
    pub end_lsn: Option<u64>,
    /// Sound mini-transactions from the checkpoint on.
    pub mini_transactions: u64,
    /// Where in the file something is damaged, bytes, and what it is.
    pub damage: Vec<(u64, &'static str)>,
    /// What was read, bytes.
    pub read_bytes: u64,
}

/// Checks a log of `file_bytes`, whose header is sound.
///
/// # Errors
/// A read that failed.
pub fn check(header: &Header, file_bytes: u64, source: &mut dyn Source) -> io::Result<Physical> {
    let mut found = Physical::default();
    let Some(capacity) = file_bytes.checked_sub(DATA_AT).filter(|&bytes| bytes > 0) else {
        found.damage.push((0, "the file is too short"));
        return Ok(found);
    };
    let mut latest: Option<(u64, u64)> = None;
    for at in CHECKPOINTS {
        let block = source.read(at, CHECKPOINT_BYTES + 4)?;
        found.read_bytes += block.len() as u64;
        match checkpoint(block, header.start_lsn) {
            Ok(told) => latest = latest.max(told),
            Err(what) => found.damage.push((at, what)),
        }
    }
    let Some((checkpoint_lsn, reached_lsn)) = latest else {
        found.damage.push((CHECKPOINTS[0], "there is no checkpoint"));
        return Ok(found);
    };
    found.checkpoint_lsn = Some(checkpoint_lsn);
    let mut chain = Chain {
        window: Window { source, capacity, at: 0, bytes: Vec::new() },
        first_lsn: header.start_lsn,
        encrypted: header.encrypted,
    };
    let mut lsn = checkpoint_lsn;
    while lsn - checkpoint_lsn < capacity {
        match chain.next(lsn)? {
            Piece::Sound(bytes) => {
                found.mini_transactions += 1;
                found.read_bytes += bytes;
                lsn += bytes;
            }
            Piece::Odd(bytes) if lsn <= reached_lsn || chain.next(lsn + bytes)?.is_sound() => {
                let offset = chain.window.offset(lsn - header.start_lsn);
                found.damage.push((offset, "the sum of a mini-transaction does not hold"));
                break;
            }
            Piece::End if lsn <= reached_lsn => {
                let offset = chain.window.offset(lsn - header.start_lsn);
                found.damage.push((offset, "the log ends before what its checkpoint needs"));
                break;
            }
            Piece::Odd(_) | Piece::End => break,
        }
    }
    found.end_lsn = Some(lsn);
    Ok(found)
}

/// The LSNs of a checkpoint: from which recovery begins, and which it has to reach. None for one
/// that was never written.
fn checkpoint(block: &[u8], first_lsn: u64) -> Result<Option<(u64, u64)>, &'static str> {
    if block.iter().all(|&byte| byte == 0) {
        return Ok(None);
    }
    let summed = block.get(..CHECKPOINT_BYTES).unwrap_or_default();
    let (from, to) = (number_at::<8>(block, 0), number_at::<8>(block, 8));
    if u64::from(checksum::crc32c(summed)) != number_at::<4>(block, CHECKPOINT_BYTES) {
        return Err("the sum of a checkpoint does not hold");
    }
    match from >= first_lsn && to >= from && to < 1 << 63 {
        true => Ok(Some((from, to))),
        false => Err("a checkpoint is outside of the log"),
    }
}

/// What stands at a place of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// A mini-transaction of so many bytes.
    Sound(u64),
    /// Something with the shape of one of so many bytes, with a wrong sum or of another round.
    Odd(u64),
    /// Nothing that has its shape.
    End,
}

impl Piece {
    fn is_sound(self) -> bool {
        matches!(self, Self::Sound(_))
    }
}

struct Chain<'a> {
    window: Window<'a>,
    first_lsn: u64,
    encrypted: bool,
}

impl Chain<'_> {
    fn next(&mut self, lsn: u64) -> io::Result<Piece> {
        let (first_lsn, capacity) = (self.first_lsn, self.window.capacity);
        // The byte behind the records says in which round they were written.
        let round =
            |at: usize| u8::from(((lsn + at as u64 - first_lsn) / capacity).is_multiple_of(2));
        let bytes = self.window.bytes_from(lsn - first_lsn)?;
        let Some(end) = records_end(bytes) else { return Ok(Piece::End) };
        let nonce = if self.encrypted { 8 } else { 0 };
        let length = end + 1 + nonce + 4;
        let (Some(records), Some(tail)) = (bytes.get(..end), bytes.get(end..length)) else {
            return Ok(Piece::End);
        };
        let sum = match tail.get(1..1 + nonce).filter(|nonce| !nonce.is_empty()) {
            Some(nonce) => checksum::crc32c(&[records, nonce].concat()),
            None => checksum::crc32c(records),
        };
        let sound =
            tail.first() == Some(&round(end)) && number_at::<4>(tail, 1 + nonce) == u64::from(sum);
        Ok(if sound { Piece::Sound(length as u64) } else { Piece::Odd(length as u64) })
    }
}

/// Where the records at the beginning of `bytes` end. None if they have no end, or are none.
fn records_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < MINI_TRANSACTION_MAX {
        let first = *bytes.get(at)?;
        if first <= 1 {
            return (at > 0).then_some(at);
        }
        let short = usize::from(first & 15);
        at += 1;
        if short > 0 {
            at += short;
        } else {
            let more = length(bytes.get(at..)?)?;
            at = at.checked_add(more)?.checked_add(15)?;
        }
    }
    None
}

/// A number of one to five bytes (`mlog_decode_varint`): the rest of a record's length, in which
/// its own bytes are counted.
fn length(bytes: &[u8]) -> Option<usize> {
    let first = u32::from(*bytes.first()?);
    let rest = |count: usize| {
        let bytes = bytes.get(1..=count)?;
        Some(bytes.iter().fold(0_u32, |number, &byte| number << 8 | u32::from(byte)))
    };
    const MIN_2: u32 = 1 << 7;
    const MIN_3: u32 = MIN_2 + (1 << 14);
    const MIN_4: u32 = MIN_3 + (1 << 21);
    let number = match first {
        0..0x80 => first,
        0x80..0xC0 => MIN_2 + ((first & 0x3F) << 8 | rest(1)?),
        0xC0..0xE0 => MIN_3 + ((first & 0x1F) << 16 | rest(2)?),
        0xE0..0xF0 => MIN_4 + ((first & 0x0F) << 24 | rest(3)?),
        // Longer than any mini-transaction.
        _ => return None,
    };
    usize::try_from(number).ok().filter(|&number| number < MINI_TRANSACTION_MAX)
}

/// A piece of the log as one run of bytes, whether or not it wraps around in the file.
struct Window<'a> {
    source: &'a mut dyn Source,
    capacity: u64,
    /// Where `bytes` begins, counted from the first LSN.
    at: u64,
    bytes: Vec<u8>,
}

impl Window<'_> {
    /// Where in the file something is.
    fn offset(&self, position: u64) -> u64 {
        DATA_AT + position % self.capacity
    }

    /// The bytes from `position` on: those of the longest mini-transaction, or all there are.
    fn bytes_from(&mut self, position: u64) -> io::Result<&[u8]> {
        let end = self.at + self.bytes.len() as u64;
        let needed = (MINI_TRANSACTION_MAX + 32).min(usize::try_from(self.capacity).unwrap_or(0));
        if position < self.at || position + needed as u64 > end {
            self.fill(position)?;
        }
        let skip = usize::try_from(position - self.at).unwrap_or(usize::MAX);
        Ok(self.bytes.get(skip..).unwrap_or_default())
    }

    fn fill(&mut self, position: u64) -> io::Result<()> {
        self.bytes.clear();
        self.at = position;
        let wanted = (WINDOW as u64).min(self.capacity);
        while (self.bytes.len() as u64) < wanted {
            let inside = (position + self.bytes.len() as u64) % self.capacity;
            let left = wanted - self.bytes.len() as u64;
            let length = left.min(self.capacity - inside) as usize;
            let got = self.source.read(DATA_AT + inside, length)?;
            self.bytes.extend_from_slice(got);
            if got.len() < length {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
