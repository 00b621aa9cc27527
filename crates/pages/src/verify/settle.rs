//! From suspicious pages to bad ones: read again, asked whether they are free, put into ranges.

use super::{
    again::{self, Pages, Suspect},
    freed,
    plan::PagesPlan,
    report::{BadRange, Counts, Reasons},
};
use crate::{Damage, Verdict, file::reader::Reader, summary::SummaryTally};
use std::{io, os::unix::fs::MetadataExt, path::Path, time::Duration};

/// What was found in pages of one file, by one thread or by several.
#[derive(Debug, Default)]
pub(super) struct PagesTally {
    pub(super) counts: Counts,
    /// Pages about which nothing is decided yet.
    pub(super) suspects: Vec<Suspect>,
    /// Pages that are bad, and nothing will change that.
    pub(super) ranges: Ranges,
    /// Pages that were sound when they were read again.
    pub(super) reread: u64,
    /// Why nothing can be said of some pages.
    pub(super) reasons: Reasons,
    /// Where the file ended, when it became shorter while it was read, bytes.
    pub(super) ended_at: Option<u64>,
    /// The file is no longer the one that was begun.
    pub(super) dropped: bool,
    pub(super) summary: Option<Box<SummaryTally>>,
}

/// Ranges of bad pages, the lowest ones of a file.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    pub(super) kept: Vec<BadRange>,
    pub(super) untold: u64,
}

/// Suspects that are gathered before they are settled; what bounds the memory of a file.
pub(super) const SUSPECTS_MAX: usize = 4096;

/// How suspects are settled.
#[derive(Clone, Copy)]
pub(super) struct Settling<'a> {
    pub(super) path: &'a Path,
    pub(super) online: bool,
    pub(super) ranges_max: usize,
    pub(super) pause: &'a (dyn Fn(Duration) + Sync),
}

/// Decides about all suspects of `tally`.
pub(super) fn settle(plan: &PagesPlan, how: Settling<'_>, tally: &mut PagesTally) {
    let mut suspects = std::mem::take(&mut tally.suspects);
    if suspects.is_empty() {
        return;
    }
    suspects.sort_by_key(|suspect| suspect.page);
    if plan.is_fresh {
        tally.dropped = true;
        return;
    }
    if how.online {
        suspects = read_again(plan, how, suspects, tally);
    }
    let mut reader = Reader::open(how.path, how.online).ok();
    let page_bytes = plan.checker.space.physical_bytes;
    let mut read = |page: u32| {
        let bytes = match page.checked_sub(plan.first_page) {
            Some(at) => {
                let offset = u64::from(at) * u64::from(page_bytes);
                reader.as_mut()?.read(offset, page_bytes as usize).ok()?.to_vec()
            }
            None => of_member(plan, page)?,
        };
        Some(bytes)
    };
    let (bad, free) = freed::part(&plan.checker, plan.space, suspects, &mut read);
    tally.counts.freed += free;
    for suspect in bad {
        tally.counts.add(&suspect.verdict, 1);
        let at = u64::from(suspect.page.saturating_sub(plan.first_page));
        tally.ranges.add(BadRange {
            first_page: suspect.page.into(),
            pages: 1,
            offset: at * u64::from(page_bytes),
            verdict: suspect.verdict,
            copies: Vec::new(),
        });
    }
    tally.ranges.bound(how.ranges_max);
}

fn read_again(
    plan: &PagesPlan,
    how: Settling<'_>,
    suspects: Vec<Suspect>,
    tally: &mut PagesTally,
) -> Vec<Suspect> {
    let mut reader = match Reader::open(how.path, true) {
        Ok(reader) if is_the_same(&reader, plan).unwrap_or(true) => reader,
        Err(error) if error.kind() != io::ErrorKind::NotFound => return suspects,
        Ok(_) | Err(_) => {
            tally.dropped = true;
            return Vec::new();
        }
    };
    let pages = Pages { checker: &plan.checker, space: plan.space, first_page: plan.first_page };
    let outcome = again::again(pages, suspects, &mut reader, how.pause);
    // A table that is truncated or dropped in these very milliseconds.
    if !outcome.bad.is_empty() && !still_there(how.path, plan) {
        tally.dropped = true;
        return Vec::new();
    }
    tally.reread += outcome.mended.len() as u64;
    for verdict in &outcome.mended {
        tally.counts.add(verdict, 1);
        tally.reasons.add(verdict);
    }
    outcome.bad
}

fn is_the_same(reader: &Reader, plan: &PagesPlan) -> io::Result<bool> {
    let meta = reader.file().metadata()?;
    Ok(plan.identity.is_none_or(|identity| identity == (meta.dev(), meta.ino())))
}

fn still_there(path: &Path, plan: &PagesPlan) -> bool {
    Reader::open(path, false).is_ok_and(|reader| is_the_same(&reader, plan).unwrap_or(false))
}

/// A page of the same space in another file.
fn of_member(plan: &PagesPlan, page: u32) -> Option<Vec<u8>> {
    let page_bytes = plan.checker.space.physical_bytes;
    let offset = u64::from(page) * u64::from(page_bytes);
    let member = plan.members.iter().find(|member| {
        offset >= member.start_bytes && offset < member.start_bytes + member.bytes
    })?;
    let mut reader = Reader::open(&member.path, false).ok()?;
    let bytes = reader.read(offset - member.start_bytes, page_bytes as usize).ok()?;
    Some(bytes.to_vec())
}

impl PagesTally {
    /// Adds what another thread found of the same file.
    pub(super) fn join(&mut self, other: Self, ranges_max: usize) {
        self.counts.join(&other.counts);
        self.suspects.extend(other.suspects);
        self.ranges.untold += other.ranges.untold;
        for range in other.ranges.kept {
            self.ranges.add(range);
        }
        self.ranges.bound(ranges_max);
        self.reread += other.reread;
        self.reasons.join(&other.reasons);
        self.ended_at = match (self.ended_at, other.ended_at) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        self.dropped |= other.dropped;
        match (&mut self.summary, other.summary) {
            (Some(into), Some(other)) => into.join(*other),
            (into, other) => *into = into.take().or(other),
        }
    }
}

impl Ranges {
    /// Adds a range, joined with a neighbour of the same verdict.
    pub(super) fn add(&mut self, range: BadRange) {
        let at = self.kept.partition_point(|known| known.first_page < range.first_page);
        let before = at.checked_sub(1).and_then(|at| self.kept.get_mut(at));
        if let Some(known) = before.filter(|known| touches(known, &range)) {
            known.pages += range.pages;
            if self.kept.get(at).is_some_and(|next| at > 0 && touches(&self.kept[at - 1], next)) {
                let next = self.kept.remove(at);
                self.kept[at - 1].pages += next.pages;
            }
            return;
        }
        match self.kept.get_mut(at).filter(|next| touches(&range, next)) {
            Some(next) => *next = BadRange { pages: range.pages + next.pages, ..range },
            None => self.kept.insert(at, range),
        }
    }

    /// Lets go of the highest ranges beyond `most`.
    pub(super) fn bound(&mut self, most: usize) {
        self.untold += self.kept.len().saturating_sub(most) as u64;
        self.kept.truncate(most);
    }
}

fn touches(one: &BadRange, next: &BadRange) -> bool {
    let same = match (&one.verdict, &next.verdict) {
        (Verdict::Bad { damage: one }, Verdict::Bad { damage: next }) => kind(*one) == kind(*next),
        (one, next) => std::mem::discriminant(one) == std::mem::discriminant(next),
    };
    same && one.first_page + one.pages == next.first_page
}

fn kind(damage: Damage) -> std::mem::Discriminant<Damage> {
    std::mem::discriminant(&damage)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;

    fn bad(page: u64, stored: u32) -> BadRange {
        let damage = Damage::Checksum { stored, calculated: 0 };
        BadRange {
            first_page: page,
            pages: 1,
            offset: page * 16_384,
            verdict: Verdict::Bad { damage },
            copies: Vec::new(),
        }
    }

    fn spans(ranges: &Ranges) -> Vec<(u64, u64)> {
        ranges.kept.iter().map(|range| (range.first_page, range.pages)).collect()
    }

    #[test]
    fn pages_of_different_verdicts_are_told_apart() {
        let mut ranges = Ranges::default();
        ranges.add(bad(3, 1));
        ranges.add(BadRange {
            verdict: Verdict::Torn { header_lsn: 1, trailer_lsn: 2 },
            ..bad(4, 1)
        });
        ranges.add(bad(5, 1));
        assert_eq!(spans(&ranges), [(3, 1), (4, 1), (5, 1)]);
    }

    proptest! {
        #[test]
        fn ranges_are_joined_in_any_order_and_the_lowest_are_kept(
            order in Just((0_u64..60).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let mut ranges = Ranges::default();
            for page in order.into_iter().filter(|page| page % 10 != 9) {
                ranges.add(bad(page, page as u32));
            }
            prop_assert_eq!(spans(&ranges), (0..6).map(|ten| (ten * 10, 9)).collect::<Vec<_>>());
            // The figures are those of the first page.
            let damage = Damage::Checksum { stored: 10, calculated: 0 };
            prop_assert_eq!(&ranges.kept[1].verdict, &Verdict::Bad { damage });
            ranges.bound(2);
            prop_assert_eq!((spans(&ranges).len(), ranges.untold), (2, 4));
        }
    }
}
