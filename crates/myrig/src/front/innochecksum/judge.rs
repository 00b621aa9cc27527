//! Pages in their order, checked by all cores: some megabytes are read, cut among threads, and
//! handed on with what is wrong in them.

use super::{source::Source, tablespace::Tablespace};
use pages::{Place, Reason, Verdict};
use std::{collections::BTreeMap, io, num::NonZeroUsize, panic::resume_unwind, thread};

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
    /// Pages of which nothing can be said.
    pub(super) unverifiable: u64,
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
        let Judged { bad, unverifiable } = match checked {
            true => verdicts(tablespace, first, &bytes, share),
            false => Judged::default(),
        };
        Self { first, bytes, bad, unverifiable, ended, error }
    }
}

/// What is remarkable about some pages.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// What is wrong, by the place in the file, in pages.
    pub(super) bad: BTreeMap<u64, Verdict>,
    /// Pages of which nothing can be said.
    pub(super) unverifiable: u64,
}

impl Judged {
    /// Looks at whole pages, of which the first is at this place in the file, in pages.
    pub(super) fn add(&mut self, tablespace: &Tablespace, first: u64, bytes: &[u8]) {
        // Page numbers have 32 bits, as everywhere in InnoDB.
        let page = tablespace.first_page.wrapping_add(first as u32);
        let place = Place { page, space: Some(tablespace.space().id) };
        tablespace.checker.pages(place, bytes, &mut |number, verdict| match verdict {
            // That its format carries no sum is what its owner wanted.
            Verdict::Unverifiable { reason: Reason::NoChecksum } => {}
            Verdict::Unverifiable { .. } => self.unverifiable += 1,
            verdict if verdict.is_bad() => {
                self.bad.insert(first + u64::from(number.wrapping_sub(page)), verdict);
            }
            _ => {}
        });
    }

    /// Adds what was found in other pages of the same file.
    pub(super) fn join(&mut self, other: Self) {
        self.bad.extend(other.bad);
        self.unverifiable += other.unverifiable;
    }
}

fn verdicts(tablespace: &Tablespace, first: u64, bytes: &[u8], share: usize) -> Judged {
    let share_bytes = share * tablespace.page_bytes();
    let look = |at: u64, bytes: &[u8]| {
        let mut judged = Judged::default();
        judged.add(tablespace, at, bytes);
        judged
    };
    if bytes.len() <= share_bytes {
        return look(first, bytes);
    }
    thread::scope(|scope| {
        let places = (0..).map(|nth| first + nth * share as u64);
        let threads: Vec<_> = places
            .zip(bytes.chunks(share_bytes))
            .map(|(at, bytes)| scope.spawn(move || look(at, bytes)))
            .collect();
        let mut all = Judged::default();
        for thread in threads {
            all.join(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    })
}
