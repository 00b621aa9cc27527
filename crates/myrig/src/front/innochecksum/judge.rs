//! Pages in their order, checked by all cores: some megabytes are read, cut among threads, and
//! handed on with what is wrong in them.

use super::{
    source::Source,
    tablespace::Tablespace,
};
use pages::{Place, Verdict};
use std::{collections::BTreeMap, io, num::NonZeroUsize, thread};

/// Bytes that a thread checks at a time.
const SHARE_BYTES: usize = 1 << 20;

/// Some pages of a file, one after the other.
#[derive(Debug)]
pub(super) struct Batch {
    /// The place of the first in the file, in pages.
    pub(super) first: u64,
    /// Whole pages.
    pub(super) bytes: Vec<u8>,
    /// What is wrong, by the place in the file, in pages.
    pub(super) bad: BTreeMap<u64, Verdict>,
    /// Where the file ended: bytes behind the last whole page.
    pub(super) ended: Option<usize>,
    /// Why no more could be read.
    pub(super) error: Option<io::Error>,
}

impl Batch {
    /// Reads what comes next, at most `most` pages, and checks it unless told otherwise.
    pub(super) fn next(
        source: &mut Source,
        tablespace: &Tablespace,
        most: u64,
        jobs: NonZeroUsize,
        checked: bool,
    ) -> Self {
        let page_bytes = tablespace.page_bytes();
        let first = source.position() / page_bytes as u64;
        let share = SHARE_BYTES / page_bytes;
        let pages = usize::try_from(most).unwrap_or(usize::MAX).min(share * jobs.get());
        let mut bytes = vec![0; pages * page_bytes];
        let (read, error) = source.read(&mut bytes);
        let ended = (read < bytes.len() && error.is_none()).then_some(read % page_bytes);
        bytes.truncate(read - read % page_bytes);
        let bad = match checked {
            true => verdicts(tablespace, first, &bytes, share),
            false => BTreeMap::new(),
        };
        Self { first, bytes, bad, ended, error }
    }
}

fn verdicts(
    tablespace: &Tablespace,
    first: u64,
    bytes: &[u8],
    share: usize,
) -> BTreeMap<u64, Verdict> {
    let share_bytes = share * tablespace.page_bytes();
    let look = |at: u64, bytes: &[u8]| {
        let mut bad = Vec::new();
        // Page numbers have 32 bits, as everywhere in InnoDB.
        let page = tablespace.first_page.wrapping_add(at as u32);
        let place = Place { page, space: Some(tablespace.space().id) };
        tablespace.checker.pages(place, bytes, &mut |number, verdict| {
            if verdict.is_bad() {
                bad.push((at + u64::from(number.wrapping_sub(page)), verdict));
            }
        });
        bad
    };
    if bytes.len() <= share_bytes {
        return look(first, bytes).into_iter().collect();
    }
    thread::scope(|scope| {
        let places = (0..).map(|nth| first + nth * share as u64);
        let threads: Vec<_> = places
            .zip(bytes.chunks(share_bytes))
            .map(|(at, bytes)| scope.spawn(move || look(at, bytes)))
            .collect();
        // A thread that panicked would have panicked here as well.
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
}
