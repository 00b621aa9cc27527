#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

fn sealed(mut block: Vec<u8>) -> Vec<u8> {
    let sum = checksum::crc32c(&block[..SUM_AT]);
    block[SUM_AT..].copy_from_slice(&sum.to_be_bytes());
    block
}

fn block(number: u32) -> Vec<u8> {
    let mut block: Vec<u8> = (0..BLOCK_BYTES).map(|at| (at as u32 * number) as u8).collect();
    block[..4].copy_from_slice(&number.to_be_bytes());
    block[4..6].copy_from_slice(&512_u16.to_be_bytes());
    sealed(block)
}

/// A header, two checkpoints at `checkpoint`, and data blocks of these numbers.
fn file(format: u32, start_lsn: u64, checkpoint: u64, numbers: &[u32]) -> Vec<u8> {
    let mut header = vec![0; BLOCK_BYTES];
    header[..4].copy_from_slice(&format.to_be_bytes());
    header[8..16].copy_from_slice(&start_lsn.to_be_bytes());
    let mut point = vec![0; BLOCK_BYTES];
    point[8..16].copy_from_slice(&checkpoint.to_be_bytes());
    let mut bytes = sealed(header);
    bytes.extend(sealed(point.clone()));
    bytes.extend(vec![0; BLOCK_BYTES]);
    bytes.extend(sealed(point));
    for &number in numbers {
        bytes.extend(if number == 0 { vec![0; BLOCK_BYTES] } else { block(number) });
    }
    bytes
}

fn log(bytes: &[u8]) -> BlockLog {
    BlockLog::new(Header::of_block(bytes).unwrap(), &bytes[..2048])
}

/// The blocks that are damage, as the verifier finds them.
fn damage(bytes: &[u8]) -> Vec<Run> {
    let log = log(bytes);
    let mut tally = BlockTally::default();
    log.look(0, bytes, &mut tally);
    let number = |at: Option<u64>| {
        let at = at? as usize * BLOCK_BYTES;
        match log.sight(bytes.get(at..at + BLOCK_BYTES)?) {
            Sight::Sound(number) => Some(number),
            _ => None,
        }
    };
    let blocks = (bytes.len() / BLOCK_BYTES) as u64;
    let is_damage = |run: &Run| {
        let end = run.first + run.blocks;
        log.is_damage(*run, number(run.first.checked_sub(1)), number(Some(end)), end == blocks)
    };
    tally.runs.iter().copied().filter(is_damage).collect()
}

/// A file of MySQL 9: it starts at LSN 512000, so its blocks have numbers from 1001 on.
fn numbered() -> Vec<u8> {
    file(6, 512_000, 512_000 + 600, &[1001, 1002, 1003, 1004, 1005, 17, 18, 0])
}

/// A file in memory.
struct Memory(Vec<u8>);

impl Source for Memory {
    fn read(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(self.0.len());
        Ok(&self.0[from..self.0.len().min(from.saturating_add(length))])
    }
}

fn end_lsn(bytes: Vec<u8>) -> Option<u64> {
    log(&bytes).end_lsn(&mut Memory(bytes)).unwrap()
}

#[test]
fn the_end_is_where_the_numbers_do_not_go_on_or_a_block_is_not_full() {
    assert_eq!(end_lsn(numbered()), Some(512_000 + 5 * 512));
    let mut bytes = numbered();
    let at = 2048 + 2 * BLOCK_BYTES;
    bytes[at + 4..at + 6].copy_from_slice(&100_u16.to_be_bytes());
    let block = sealed(bytes[at..at + BLOCK_BYTES].to_vec());
    bytes[at..at + BLOCK_BYTES].copy_from_slice(&block);
    assert_eq!(end_lsn(bytes), Some(512_000 + 2 * 512 + 100));
    // The last block of the file, a checkpoint behind it, no data, another format.
    assert_eq!(end_lsn(file(6, 512_000, 512_000, &[1001, 1002])), Some(512_000 + 1024));
    assert_eq!(end_lsn(file(6, 512_000, u64::MAX, &[1001, 1002])), None);
    assert_eq!(end_lsn(file(6, 512_000, 0, &[0, 0])), None);
    assert_eq!(end_lsn(file(1, 8192, 9000, &[9, 10, 11])), None);
}

#[test]
fn what_an_earlier_round_left_behind_the_end_is_no_damage() {
    assert_eq!(damage(&numbered()), []);
    assert_eq!(damage(&file(1, 8192, 9000, &[9, 10, 11, 3, 4, 5, 0, 0])), []);
}

#[test]
fn the_last_write_of_a_killed_server_is_no_damage() {
    let mut bytes = numbered();
    bytes[8 * BLOCK_BYTES + 100] ^= 1;
    assert_eq!(damage(&bytes), []);
}

#[test]
fn a_log_that_goes_on_behind_a_wrong_block_is_damaged() {
    for format in [6, 1, 0x5048_5953] {
        let mut bytes = file(format, 512_000, 512_000, &[1001, 1002, 1003, 1004, 17]);
        bytes[6 * BLOCK_BYTES + 77] ^= 4;
        assert_eq!(damage(&bytes), [Run { first: 6, blocks: 1 }], "{format}");
    }
}

#[test]
fn a_block_in_the_wrong_place_is_damage() {
    let bytes = file(6, 512_000, 512_000, &[1001, 1009, 1003, 1004]);
    assert_eq!(damage(&bytes), [Run { first: 5, blocks: 1 }]);
    let log = log(&bytes);
    let told = verdict(&log, 5, &bytes[5 * BLOCK_BYTES..6 * BLOCK_BYTES]);
    assert_eq!(told, Verdict::Misdirected { page: [1009, 1002], space: [0, 0] });
}

#[test]
fn the_block_of_the_checkpoint_must_be_sound() {
    let mut bytes = file(6, 512_000, 512_000 + 1030, &[1001, 1002, 1003]);
    bytes[6 * BLOCK_BYTES + 20] ^= 1;
    assert_eq!(damage(&bytes), [Run { first: 6, blocks: 1 }]);
}

#[test]
fn a_log_from_before_2015_is_checked_by_its_own_sum() {
    let mut bytes = file(0, 0, 0, &[5, 6, 7]);
    let own = ancient_sum(&bytes[5 * BLOCK_BYTES..6 * BLOCK_BYTES]);
    bytes[6 * BLOCK_BYTES - 4..6 * BLOCK_BYTES].copy_from_slice(&own.to_be_bytes());
    assert_eq!(damage(&bytes), []);
    bytes[5 * BLOCK_BYTES + 50] ^= 1;
    assert_eq!(damage(&bytes), [Run { first: 5, blocks: 1 }]);
}

proptest! {
    #[test]
    fn every_flipped_bit_before_the_end_is_found(at in 0..8 * BLOCK_BYTES, bit in 0..8) {
        // The encryption block has no sum; it is zero and stays so in a log without a key.
        prop_assume!(at / BLOCK_BYTES != 2 && at >= 4);
        let mut bytes = numbered();
        bytes[at] ^= 1_u8 << bit;
        prop_assert_eq!(damage(&bytes).len(), 1);
    }

    #[test]
    fn any_bytes_are_looked_at_without_panic(
        bytes in prop::collection::vec(any::<u8>(), 2048..9000),
    ) {
        if Header::of_block(&bytes).is_some() {
            let _runs = damage(&bytes);
        }
    }

    #[test]
    fn runs_are_joined_in_any_order(order in Just((0_u64..40).collect::<Vec<_>>()).prop_shuffle()) {
        let mut tally = BlockTally::default();
        for first in order.into_iter().filter(|first| first % 10 != 0) {
            tally.add(Run { first, blocks: 1 });
        }
        let expected: Vec<Run> = (0..4).map(|ten| Run { first: ten * 10 + 1, blocks: 9 }).collect();
        prop_assert_eq!(tally.runs, expected);
    }
}
