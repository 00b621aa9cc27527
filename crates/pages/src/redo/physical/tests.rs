#![allow(clippy::unwrap_used)]

use super::*;
use crate::redo::Format;
use proptest::prelude::*;

struct Memory(Vec<u8>);

impl Source for Memory {
    fn read(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        let from = (offset as usize).min(self.0.len());
        Ok(&self.0[from..(from + length).min(self.0.len())])
    }
}

const FIRST_LSN: u64 = 12_288;

fn header() -> Header {
    Header {
        format: Format::Physical,
        encrypted: false,
        start_lsn: FIRST_LSN,
        creator: String::new(),
    }
}

/// A log of `capacity` bytes for data, filled with mini-transactions of these lengths of records
/// from the first LSN on; the checkpoint is at the one numbered `checkpoint`.
fn log(capacity: u64, lengths: &[usize], checkpoint: usize) -> Vec<u8> {
    let mut file = vec![0; (DATA_AT + capacity) as usize];
    let mut position = 0_u64;
    let mut starts = Vec::new();
    for (number, &length) in lengths.iter().enumerate() {
        starts.push(position);
        let mut bytes = record(length, number as u8);
        let round = (position + bytes.len() as u64) / capacity % 2;
        let sum = checksum::crc32c(&bytes);
        bytes.push(u8::from(round == 0));
        bytes.extend(sum.to_be_bytes());
        for byte in bytes {
            file[(DATA_AT + position % capacity) as usize] = byte;
            position += 1;
        }
    }
    let mut point = Vec::new();
    point.extend((FIRST_LSN + starts[checkpoint]).to_be_bytes());
    point.extend((FIRST_LSN + starts[checkpoint + 1]).to_be_bytes());
    point.resize(CHECKPOINT_BYTES, 0);
    point.extend(checksum::crc32c(&point).to_be_bytes());
    file[4096..4096 + 64].copy_from_slice(&point);
    file
}

/// One record of `length` bytes.
fn record(length: usize, fill: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    match length - 1 {
        short @ 1..=15 => bytes.push(0x30 | short as u8),
        rest if rest - 15 < 128 => bytes.extend([0x30, (rest - 15) as u8]),
        rest => {
            let more = (rest - 15 - 128) as u16;
            bytes.extend([0x30, 0x80 | (more >> 8) as u8, more as u8]);
        }
    }
    bytes.resize(length, fill | 0x80);
    bytes
}

fn found(file: Vec<u8>) -> Physical {
    let bytes = file.len() as u64;
    check(&header(), bytes, &mut Memory(file)).unwrap()
}

#[test]
fn a_chain_is_followed_from_the_checkpoint_to_its_end() {
    let told = found(log(10_000, &[10, 20, 200, 700, 9], 1));
    assert_eq!(told.damage, []);
    assert_eq!(told.mini_transactions, 4);
    assert_eq!(told.end_lsn, Some(FIRST_LSN + 939 + 5 * 5));
}

#[test]
fn a_chain_goes_on_over_the_end_of_the_file() {
    let lengths: Vec<usize> = (0..60).map(|at| 100 + at).collect();
    let told = found(log(3000, &lengths, 42));
    assert_eq!(told.damage, []);
    assert_eq!(told.mini_transactions, 18);
}

#[test]
fn the_last_write_of_a_killed_server_is_no_damage() {
    let mut file = log(10_000, &[10, 20, 30, 40, 50], 0);
    // In the last mini-transaction.
    file[DATA_AT as usize + 130] ^= 1;
    let told = found(file);
    assert_eq!((told.damage.len(), told.mini_transactions), (0, 4));
}

#[test]
fn a_log_that_ends_before_what_its_checkpoint_needs_is_damaged() {
    let mut file = log(10_000, &[10, 20, 30], 0);
    file[DATA_AT as usize] = 0;
    let told = found(file);
    assert_eq!(told.damage, [(DATA_AT, "the log ends before what its checkpoint needs")]);
}

#[test]
fn a_log_without_a_checkpoint_or_of_a_few_bytes_is_damaged() {
    let mut file = log(1000, &[10, 20], 0);
    file[4096..4096 + 64].fill(0);
    assert_eq!(found(file).damage, [(4096, "there is no checkpoint")]);
    assert_eq!(found(vec![1; 600]).damage, [(0, "the file is too short")]);
}

#[test]
fn a_flipped_bit_behind_which_the_log_goes_on_is_found() {
    let sound = log(10_000, &[100; 40], 0);
    for (at, bit) in (0..3 * 105).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let mut file = sound.clone();
        file[DATA_AT as usize + at] ^= 1_u8 << bit;
        let told = found(file);
        // A flip in the head of a record, or in the byte that ends them, makes it longer or
        // shorter: the chain is lost there, and only the checkpoint can say that it went on.
        let is_lost = at % 105 < 3 || at % 105 == 100;
        assert!(told.damage.len() == 1 || is_lost, "byte {at} bit {bit}: {told:?}");
        assert!(told.mini_transactions < 40, "byte {at} bit {bit}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_followed_without_panic(
        junk in prop::collection::vec(any::<u8>(), 1..5000), start in any::<u64>(),
    ) {
        let mut file = log(junk.len() as u64 + 300, &[10, 20], 0);
        file[DATA_AT as usize..][..junk.len()].copy_from_slice(&junk);
        let bytes = file.len() as u64;
        let header = Header { start_lsn: start, ..header() };
        let _told = check(&header, bytes, &mut Memory(file.clone()));
        let _told = found(file);
    }
}
