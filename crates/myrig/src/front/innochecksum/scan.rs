//! Files that are only checked, by the engine of crate `disk`: many at once, in any order of
//! their blocks. What was found is told in the order of files and pages.

use super::{
    judge::Judged,
    options::Algorithm,
    tablespace::{Tablespace, u32_at},
};
use disk::{Block, Head, Input, Scan, ScanOptions, Step};
use indicatif::ProgressBar;
use pages::Algorithm as Carried;
use std::{
    io,
    num::NonZeroUsize,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// Damaged pages of a file that are kept in memory; a file with more is looked at in its order.
const BAD_MAX: usize = 1 << 16;

/// What was found in a file.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) judged: Judged,
    /// Something that only the order of pages brings to light: a page that could not be read, more
    /// damage than is kept, checksums that `--strict-check` warns of.
    pub(super) needs_order: bool,
}

/// Checks files; what was found comes in their order. None for one that the engine could not read.
///
/// # Errors
/// What stands in the way of any reading at all.
pub(super) fn check(
    files: &[(PathBuf, &Tablespace)],
    strict: Option<Algorithm>,
    jobs: NonZeroUsize,
    bar: &ProgressBar,
) -> Result<Vec<Option<Found>>, disk::ScanError> {
    let found = Mutex::new(files.iter().map(|_| None).collect());
    let scan = Check { files, strict, bar, found };
    let paths = files.iter().map(|(path, _)| path.clone());
    let inputs: Vec<Input> = (0..).zip(paths).map(|(id, path)| Input { path, id }).collect();
    disk::scan(inputs, &ScanOptions::new(jobs), &scan)?;
    Ok(scan.found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

struct Check<'a> {
    files: &'a [(PathBuf, &'a Tablespace)],
    strict: Option<Algorithm>,
    bar: &'a ProgressBar,
    found: Mutex<Vec<Option<Found>>>,
}

impl Scan for Check<'_> {
    type Plan = usize;
    type Tally = Found;

    fn plan(&self, head: &Head<'_>) -> Step<usize> {
        Step::Read(head.input.id)
    }

    fn granule_bytes(&self, file: &usize) -> usize {
        self.files[*file].1.page_bytes()
    }

    fn block(&self, file: &usize, block: Block<'_>, found: &mut Found) {
        let tablespace = self.files[*file].1;
        let first = block.offset / tablespace.page_bytes() as u64;
        found.judged.add(tablespace, first, block.bytes);
        if found.judged.bad.len() > BAD_MAX {
            found.judged.bad.clear();
            found.needs_order = true;
        }
        if self.strict.is_some() && !found.needs_order {
            let mut pages = block.bytes.chunks_exact(tablespace.page_bytes());
            found.needs_order = pages.any(|page| may_be_warned_of(tablespace, page));
        }
    }

    fn unreadable(&self, _: &usize, _: u64, _: u64, _: &io::Error, found: &mut Found) {
        found.needs_order = true;
    }

    fn join(&self, into: &mut Found, other: Found) {
        into.judged.join(other.judged);
        into.needs_order |= other.needs_order;
    }

    fn done(&self, input: &Input, _: usize, found: Found) {
        let mut all = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        all[input.id] = Some(found);
    }

    fn refused(&self, _: &Input, _: io::Error) {}

    fn advanced(&self, bytes: u64) {
        self.bar.inc(bytes);
    }
}

/// Whether a page may carry another checksum than `crc32`. Both fields of that one are the same
/// number, and those of `innodb` differ but by chance.
fn may_be_warned_of(tablespace: &Tablespace, page: &[u8]) -> bool {
    let (first, second) = (u32_at(page, 0), u32_at(page, page.len() - 8));
    match tablespace.space().zip {
        true => {
            let carried = tablespace.checker.algorithm(page);
            carried.is_some_and(|carried| carried != Carried::Crc32)
        }
        false => first != second || first == 0xDEAD_BEEF,
    }
}
