//! What must hold of every scan: each byte is told once, and nothing that is wrong with a file
//! or its medium stops the others.
#![allow(clippy::unwrap_used)]

mod faults;
mod files;
mod whole;

use super::*;
use crate::scan::{Block, Direct, Head, Step};
use source::Source;
use std::{
    collections::BTreeMap,
    fs, io,
    num::NonZeroUsize,
    ops::Range,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};
use tempfile::TempDir;

/// What a file of that number holds; no two places of it look alike.
fn content(id: usize, bytes: usize) -> Vec<u8> {
    let mut state = id as u64 + 1;
    let mut content = Vec::with_capacity(bytes + 8);
    while content.len() < bytes {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        content.extend_from_slice(&(state ^ (state >> 29)).to_le_bytes());
    }
    content.truncate(bytes);
    content
}

/// Files of those sizes, numbered.
fn files(dir: &Path, sizes: &[usize]) -> Vec<Input> {
    let write = |(id, bytes): (usize, &usize)| {
        let path = dir.join(format!("file{id}"));
        fs::write(&path, content(id, *bytes)).unwrap();
        Input { path, id }
    };
    sizes.iter().enumerate().map(write).collect()
}

fn options(jobs: usize, depth: usize, block_bytes: usize) -> ScanOptions {
    ScanOptions {
        depth: NonZeroUsize::new(depth).unwrap(),
        block_bytes,
        ..ScanOptions::new(NonZeroUsize::new(jobs).unwrap())
    }
}

/// What was told of a file.
#[derive(Debug, Default, PartialEq)]
struct Told {
    blocks: BTreeMap<u64, Vec<u8>>,
    unreadable: BTreeMap<u64, (u64, io::ErrorKind)>,
}

impl Told {
    /// Blocks and gaps in order, which must be the whole file: nothing twice, nothing left out.
    fn is_all_of(&self, expected: &[u8]) {
        let (mut blocks, mut gaps) = (self.blocks.iter().peekable(), self.unreadable.iter());
        let mut at = 0;
        while at < expected.len() as u64 {
            let bytes = match blocks.next_if(|(offset, _)| **offset == at) {
                Some((_, block)) => {
                    let range = at as usize..at as usize + block.len();
                    assert!(
                        block == &expected[range.clone()],
                        "{range:?} is not what stands there"
                    );
                    block.len() as u64
                }
                None => {
                    let (offset, (bytes, _)) = gaps.next().expect("something was left out");
                    assert_eq!(*offset, at);
                    *bytes
                }
            };
            assert!(bytes > 0, "an empty piece at {at}");
            at += bytes;
        }
        assert_eq!((blocks.next(), gaps.next()), (None, None));
        assert_eq!(at, expected.len() as u64);
    }
}

/// Writes down everything that it is told.
#[derive(Default)]
struct Recorder {
    done: Mutex<BTreeMap<usize, Told>>,
    refused: Mutex<BTreeMap<usize, io::Error>>,
    advanced: AtomicU64,
    granule_bytes: Option<usize>,
}

impl Scan for Recorder {
    type Plan = u64;
    type Tally = Told;

    fn plan(&self, head: &Head<'_>) -> Step<u64> {
        assert!(head.bytes.len() as u64 <= head.file_bytes);
        if head.unreadable_bytes == 0 {
            assert!(head.bytes == &content(head.input.id, head.bytes.len())[..]);
        }
        Step::Read(head.file_bytes)
    }

    fn granule_bytes(&self, _plan: &u64) -> usize {
        self.granule_bytes.unwrap_or(64 << 10)
    }

    fn block(&self, _plan: &u64, block: Block<'_>, told: &mut Told) {
        assert_eq!(told.blocks.insert(block.offset, block.bytes.to_vec()), None);
    }

    fn unreadable(&self, _: &u64, offset: u64, bytes: u64, error: &io::Error, told: &mut Told) {
        assert_eq!(told.unreadable.insert(offset, (bytes, error.kind())), None);
    }

    fn join(&self, into: &mut Told, other: Told) {
        let before = into.blocks.len() + other.blocks.len();
        into.blocks.extend(other.blocks);
        into.unreadable.extend(other.unreadable);
        assert_eq!(into.blocks.len(), before, "a block was told to two threads");
    }

    fn done(&self, input: &Input, _plan: u64, told: Told) {
        assert_eq!(self.done.lock().unwrap().insert(input.id, told), None);
    }

    fn refused(&self, input: &Input, error: io::Error) {
        assert!(self.refused.lock().unwrap().insert(input.id, error).is_none());
    }

    fn advanced(&self, bytes: u64) {
        self.advanced.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Recorder {
    fn told(&self, id: usize) -> Told {
        self.done.lock().unwrap().remove(&id).expect("the file was not done")
    }

    fn why_refused(&self, id: usize) -> io::Error {
        self.refused.lock().unwrap().remove(&id).expect("the file was not refused")
    }
}

/// A medium with bad places: file, range, error number.
struct Worn(Vec<(usize, Range<u64>, i32)>);

impl Medium for Worn {
    fn fault(&self, source: &Source, range: Range<u64>) -> Option<io::Error> {
        let bad = self.0.iter().find(|(id, bad, _)| {
            *id == source.input.id && bad.start < range.end && range.start < bad.end
        });
        bad.map(|(_, _, number)| io::Error::from_raw_os_error(*number))
    }
}
