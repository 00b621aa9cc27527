//! Whole files and directories, verified by the engine of crate `disk`.
//!
//! - `plan`, `recover`: a file's head says what it is and how its pages are checked.
//! - `scan`, `look`, `slots`: blocks in, counts and suspects out, on all threads.
//! - [`again`], `freed`, `settle`: suspects are read again where a server runs, passed over where
//!   they are marked free, and otherwise told in ranges.
//! - `redo_log`: the same for redo logs; `recovery`: what of them is to be applied.
//! - [`report`]: what comes out.
//!
//! Memory does not grow with the size of a file: suspects are settled by the thousand, and ranges
//! of bad pages are kept up to a limit.

pub mod again;
mod freed;
mod look;
mod plan;
mod recover;
mod recovery;
mod redo_log;
pub mod report;
mod scan;
mod settle;
mod slots;

pub use report::{BadRange, Counts, FileReport, FileState, Reasons, Report};

pub(crate) use freed::count_free;

use crate::{
    Checker,
    doublewrite::{
        PageCopy,
        copies::{self, Wanted},
    },
    file::{Found, Kind, Skipped, Target, lock, system},
};
use disk::{Input, ScanError, ScanOptions};
use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    path::{Path, PathBuf},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

/// How files are verified.
pub struct Options {
    /// A server may be writing them: suspicious pages are read again.
    pub online: bool,
    /// The page size, bytes, whatever the files say.
    pub page_bytes: Option<u32>,
    /// Most ranges of bad pages that are kept for each file.
    pub ranges_max: usize,
    /// Say what the pages hold, too.
    pub summary: bool,
    /// How time passes until a page is read again.
    pub pause: Box<dyn Fn(Duration) + Send + Sync>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            online: false,
            page_bytes: None,
            ranges_max: 100,
            summary: false,
            pause: Box::new(thread::sleep),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { online, page_bytes, ranges_max, summary, pause: _ } = self;
        f.debug_struct("Options")
            .field("online", online)
            .field("page_bytes", page_bytes)
            .field("ranges_max", ranges_max)
            .field("summary", summary)
            .finish_non_exhaustive()
    }
}

/// Who looks on.
pub trait Watch: Sync {
    /// So many bytes more are done.
    fn advanced(&self, bytes: u64);

    /// Whether to end early.
    fn stopped(&self) -> bool;
}

/// Nobody looks on.
impl Watch for () {
    fn advanced(&self, _bytes: u64) {}

    fn stopped(&self) -> bool {
        false
    }
}

/// Pages of which good copies are looked for, at most, in all files together.
const WANTED_MAX: u64 = 65_536;

/// Files whose locks are asked for when no system tablespace is among them.
const LOCKS_MAX: usize = 16;

/// Whether a server has these files open: whether it holds the lock of a system tablespace that is
/// among them, or of the files themselves where there is none.
pub fn is_online(found: &Found) -> bool {
    let system = |target: &&Target| target.kind == Some(Kind::System);
    let mut asked: Vec<&Path> =
        found.targets.iter().filter(system).map(|target| target.path.as_path()).collect();
    if asked.is_empty() {
        asked = found.targets.iter().take(LOCKS_MAX).map(|t| t.path.as_path()).collect();
    }
    asked.into_iter().any(lock::held)
}

/// Verifies the files that were found.
///
/// # Errors
/// What stands in the way of any reading at all; what is wrong with single files is in the report.
pub fn verify(
    found: Found,
    options: &Options,
    scan: &ScanOptions,
    watch: &dyn Watch,
) -> Result<Report, ScanError> {
    let begun = Instant::now();
    let systems = system::members(&found.targets);
    let files = scan::Files {
        targets: &found.targets,
        systems: &systems,
        options,
        watch,
        found: Mutex::default(),
    };
    let inputs: Vec<Input> = found
        .targets
        .iter()
        .enumerate()
        .map(|(id, target)| Input { path: target.path.clone(), id })
        .collect();
    let read = disk::scan(inputs, scan, &files)?;
    let mut outcome = files.found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    outcome.files.sort_unstable_by_key(|(id, _)| *id);
    if !options.online {
        recovery::say(&mut outcome.files);
    }
    tell_copies(&mut outcome.files, &outcome.checkers, &found);
    let mut totals = Counts::default();
    // Blocks and mini-transactions of redo logs are no pages.
    for (_, file) in outcome.files.iter().filter(|(_, file)| file.kind != Kind::Redo) {
        totals.join(&file.counts);
    }
    Ok(Report {
        files: outcome.files.into_iter().map(|(_, file)| file).collect(),
        failed: found.failed.into_iter().chain(outcome.failed).collect(),
        skipped: joined(found.skipped, outcome.skipped),
        totals,
        online: options.online,
        scan: read,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

fn joined(mut groups: Vec<Skipped>, others: Vec<Skipped>) -> Vec<Skipped> {
    for other in others {
        match groups.iter_mut().find(|group| group.what == other.what) {
            Some(group) => group.files += other.files,
            None => groups.push(other),
        }
    }
    groups
}

/// Looks for good copies of the bad pages, and tells them.
fn tell_copies(
    files: &mut [(usize, FileReport)],
    checkers: &HashMap<usize, (Checker, u32)>,
    found: &Found,
) {
    let mut wanted = Wanted::new();
    let mut directories = BTreeSet::new();
    for (id, file) in files.iter() {
        let Some((checker, _)) = checkers.get(id) else { continue };
        // The directory of the file, and the one above: that of the data.
        directories.extend(file.path.ancestors().skip(1).take(2).map(|path| match path {
            path if path.as_os_str().is_empty() => PathBuf::from("."),
            path => path.to_owned(),
        }));
        for page in bad_pages(file).take((WANTED_MAX as usize).saturating_sub(wanted.len())) {
            wanted.insert((checker.space.id, page), checker.clone());
        }
    }
    if wanted.is_empty() {
        return;
    }
    let mut sources = copies::sources(&directories);
    let named = found.targets.iter().filter(|target| target.kind == Some(Kind::Doublewrite));
    sources.extend(named.map(|target| target.path.clone()));
    let good = copies::search(&sources, &wanted);
    for (id, file) in files {
        let Some((checker, _)) = checkers.get(id) else { continue };
        for range in &mut file.bad {
            let pages = range.first_page..range.first_page + range.pages;
            let copy =
                |page: u64| good.get(&(checker.space.id, u32::try_from(page).ok()?)).cloned();
            let copies: Vec<PageCopy> = match good.len() as u64 > range.pages {
                true => pages.filter_map(copy).collect(),
                false => good
                    .iter()
                    .filter(|((space, page), _)| {
                        *space == checker.space.id && pages.contains(&u64::from(*page))
                    })
                    .map(|(_, copy)| copy.clone())
                    .collect(),
            };
            range.copies = copies;
            range.copies.sort_by_key(|copy| copy.page);
        }
    }
}

/// The numbers of the bad pages that are told.
fn bad_pages(file: &FileReport) -> impl Iterator<Item = u32> {
    let pages = file.bad.iter().flat_map(|range| range.first_page..range.first_page + range.pages);
    pages.filter_map(|page| u32::try_from(page).ok())
}
