//! What has to be known of a file of pages before its pages are looked at.

use super::{
    Options,
    again::{TRIES, wait},
    recover::recover,
};
use crate::{
    Checker, Flavour, Place, Space, SpaceError, Verdict,
    doublewrite::{Area, Judge, area::TRX_SYS_PAGE},
    file::{Kind, Member, reader::Reader, reader::Source, system},
    layout::Page,
};
use std::{io, path::Path};

/// The default page size, taken where nothing tells another, bytes.
const DEFAULT_PAGE_BYTES: u32 = 16_384;
/// Bytes from the beginning of a file that may have to be seen to know its space: 64 pages.
pub(super) const HEAD_BYTES: usize = 64 * 16_384;
/// MySQL's flag of general tablespaces.
const SHARED: u32 = 1 << 11;
/// Where page 0 says how many pages the space has.
const SPACE_PAGES_AT: usize = 38 + 8;
/// Files are extended by multiples of it, bytes.
const EXTENSION_BYTES: u64 = 4096;

/// How the pages of a file are looked at.
#[derive(Clone, Debug)]
pub(super) struct PagesPlan {
    /// The file, among the targets.
    pub(super) id: usize,
    pub(super) kind: Kind,
    /// Its size when it was opened, bytes.
    pub(super) bytes: u64,
    pub(super) checker: Checker,
    /// The space id that its pages should carry, where it is known.
    pub(super) space: Option<u32>,
    /// The number of its first page.
    pub(super) first_page: u32,
    /// The doublewrite area in it, and the check of what stands there.
    pub(super) area: Option<(Area, Judge)>,
    /// How many pages page 0 says that there are beyond the file's end.
    pub(super) missing: u64,
    /// Page 0 is all zero while others are not.
    pub(super) first_is_lost: bool,
    /// A server that runs had written nothing of it: what it writes now is of no known format.
    pub(super) is_fresh: bool,
    pub(super) remarks: Vec<String>,
    /// Device and inode; asked for online only.
    pub(super) identity: Option<(u64, u64)>,
    /// The files of the same space, where there are several.
    pub(super) members: Vec<Member>,
}

/// Why a file has no pages to look at.
#[derive(Debug)]
pub(super) enum NoPages {
    /// It is no file of InnoDB's.
    Foreign(String),
    /// What has to be known could not be read.
    Unreadable(io::Error),
}

/// What is known of a file before its content is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    pub(super) id: usize,
    pub(super) path: &'a Path,
    pub(super) kind: Option<Kind>,
    pub(super) bytes: u64,
    pub(super) head: &'a [u8],
    pub(super) members: &'a [Member],
}

/// Plans a file of pages.
pub(super) fn plan(subject: Subject<'_>, options: &Options) -> Result<PagesPlan, NoPages> {
    let steady = if options.online { steady_head(subject, options) } else { None };
    let subject = Subject { head: steady.as_deref().unwrap_or(subject.head), ..subject };
    let further = subject
        .members
        .iter()
        .find(|member| member.path == subject.path && !system::is_first(&member.path));
    match further {
        Some(member) => further_file(subject, member, options),
        None => first_file(subject, options),
    }
}

/// The beginning of a file once its first page is sound, where a server was writing it when it was
/// read first.
fn steady_head(subject: Subject<'_>, options: &Options) -> Option<Vec<u8>> {
    let is_sound = |head: &[u8]| {
        Space::of_page_zero(head).is_ok_and(|space| !first_verdict(&space, head).is_bad())
    };
    let further = subject.kind == Some(Kind::System) && !system::is_first(subject.path);
    if is_sound(subject.head) || subject.kind.is_none() || further {
        return None;
    }
    let mut reader = Reader::open(subject.path, true).ok()?;
    (0..TRIES).find_map(|attempt| {
        (options.pause)(wait(attempt));
        let head = reader.read(0, HEAD_BYTES).ok()?;
        is_sound(head).then(|| head.to_vec())
    })
}

fn first_file(subject: Subject<'_>, options: &Options) -> Result<PagesPlan, NoPages> {
    let mut remarks = Vec::new();
    let known = Space::of_page_zero(subject.head);
    let sound = known.as_ref().is_ok_and(|space| !first_verdict(space, subject.head).is_bad());
    let mut plan = match (&known, sound) {
        (Ok(space), true) => blank(subject, *space, Some(space.id)),
        _ => recovered(subject, known, options, &mut remarks)?,
    };
    if let Some(bytes) = options.page_bytes {
        force(&mut plan.checker.space, bytes);
    }
    if sound && !matches!(plan.kind, Kind::System | Kind::Temporary) {
        let told = Page::new(subject.head).map_or(0, |page| u64::from(page.u32(SPACE_PAGES_AT)));
        plan.missing = missing(&plan.checker.space, told, subject.bytes);
    }
    if plan.kind == Kind::System {
        plan.area = area(&plan, subject);
        plan.members = subject.members.to_vec();
        remarks.extend(short_system(&plan, subject.head).filter(|_| sound && !options.online));
    }
    plan.remarks = remarks;
    Ok(plan)
}

/// Says that a system tablespace is shorter than it should be. That may be damage, or a further
/// file with a name that nobody could guess.
fn short_system(plan: &PagesPlan, head: &[u8]) -> Option<String> {
    let told = u64::from(Page::new(head)?.u32(SPACE_PAGES_AT));
    let all: u64 = plan.members.iter().map(|member| member.bytes).sum();
    let bytes = all.max(plan.bytes);
    (missing(&plan.checker.space, told, bytes) > 0).then(|| {
        let there = bytes / u64::from(plan.checker.space.physical_bytes);
        format!(
            "Page 0 says that the space has {told} pages, and there are {there}: it was cut off, \
             or a further file has a name of its own."
        )
    })
}

/// How many of the pages that page 0 tells of a file of so many bytes does not have. MariaDB cuts
/// what it extends a file to down to whole blocks of 4 KiB (`fil_space_extend_must_retry`), so that
/// the last pages of less than that may not be there yet.
fn missing(space: &Space, told: u64, bytes: u64) -> u64 {
    let page_bytes = u64::from(space.physical_bytes);
    let least_bytes = (told * page_bytes) & !(EXTENSION_BYTES - 1);
    if bytes >= least_bytes { 0 } else { told.saturating_sub(bytes / page_bytes) }
}

fn first_verdict(space: &Space, head: &[u8]) -> Verdict {
    let page = head.get(..space.physical_bytes as usize).unwrap_or(head);
    Checker { space: *space }.page(Place { page: 0, space: Some(space.id) }, page)
}

fn blank(subject: Subject<'_>, space: Space, id: Option<u32>) -> PagesPlan {
    let general = space.flavour == Some(Flavour::MySql) && space.flags & SHARED != 0;
    let kind = match subject.kind {
        Some(Kind::Table) | None if general => Kind::General,
        None if id == Some(0) => Kind::System,
        None => Kind::Table,
        Some(kind) => kind,
    };
    PagesPlan {
        id: subject.id,
        kind,
        bytes: subject.bytes,
        checker: Checker { space },
        space: id,
        first_page: 0,
        area: None,
        missing: 0,
        first_is_lost: false,
        is_fresh: false,
        remarks: Vec::new(),
        identity: None,
        members: Vec::new(),
    }
}

/// The plan of a file whose first page is damaged: what most of the others say.
fn recovered(
    subject: Subject<'_>,
    known: Result<Space, SpaceError>,
    options: &Options,
    remarks: &mut Vec<String>,
) -> Result<PagesPlan, NoPages> {
    let empty = known == Err(SpaceError::Empty);
    let more = more_of(subject).map_err(NoPages::Unreadable)?;
    let head = more.as_deref().unwrap_or(subject.head);
    if let Some(found) = recover(head) {
        let mut plan = blank(subject, found.space, found.id);
        plan.first_page = found.first_page;
        plan.first_is_lost = empty && found.first_page == 0;
        if found.first_page > 0 {
            remarks.push(format!(
                "It begins with page {}: a further file of a tablespace, or a part of one.",
                found.first_page
            ));
        } else if !(empty && options.online) {
            remarks.push(format!(
                "Page 0 is damaged; {} other pages say what the space is.",
                found.pages
            ));
        }
        return Ok(plan);
    }
    // The name says InnoDB, the content does not: it is damaged throughout, or was never used.
    match (subject.kind, known) {
        (None, Err(error)) => Err(NoPages::Foreign(error.to_string())),
        (_, Ok(space)) => Ok(blank(subject, space, Some(space.id))),
        (Some(_), Err(error)) => {
            let bytes = options.page_bytes.unwrap_or_else(|| neighbours_page_bytes(subject));
            // Temporary files may stay as a killed server left them, and a server that runs makes
            // a file before it writes its first page.
            let fresh = error == SpaceError::Empty && options.online;
            if subject.kind != Some(Kind::Temporary) && !fresh {
                remarks.push(format!("Nothing tells the page size ({error}); {bytes} is assumed."));
            }
            Ok(PagesPlan { is_fresh: fresh, ..blank(subject, classic(bytes), None) })
        }
    }
}

/// More of the beginning of a file than what the engine reads first, where there is more.
fn more_of(subject: Subject<'_>) -> io::Result<Option<Vec<u8>>> {
    if subject.head.len() >= HEAD_BYTES || subject.head.len() as u64 >= subject.bytes {
        return Ok(None);
    }
    let mut reader = Reader::open(subject.path, false)?;
    Ok(Some(reader.read(0, HEAD_BYTES)?.to_vec()))
}

fn further_file(
    subject: Subject<'_>,
    member: &Member,
    options: &Options,
) -> Result<PagesPlan, NoPages> {
    let Some(first) = subject.members.first() else { return first_file(subject, options) };
    let mut reader = Reader::open(&first.path, false).map_err(NoPages::Unreadable)?;
    let head = reader.read(0, HEAD_BYTES).map_err(NoPages::Unreadable)?.to_vec();
    let whole = Subject { path: &first.path, bytes: first.bytes, head: &head, ..subject };
    let first_plan = first_file(whole, options)?;
    let mut plan = blank(subject, first_plan.checker.space, first_plan.space);
    let page_bytes = u64::from(plan.checker.space.physical_bytes);
    plan.first_page = u32::try_from(member.start_bytes / page_bytes).unwrap_or(u32::MAX);
    // Pages of its own know better than the sizes of the files before it.
    if let Some(found) = recover(subject.head)
        .filter(|found| found.id == Some(0) && found.first_page != plan.first_page)
    {
        plan.remarks.push(format!(
            "Its pages begin at {}, not at {} as the files before it would have it.",
            found.first_page, plan.first_page
        ));
        plan.first_page = found.first_page;
    }
    plan.area = first_plan.area;
    plan.members = subject.members.to_vec();
    Ok(plan)
}

/// The doublewrite area that page 5 tells of.
fn area(plan: &PagesPlan, subject: Subject<'_>) -> Option<(Area, Judge)> {
    let bytes = plan.checker.space.physical_bytes as usize;
    let from = TRX_SYS_PAGE as usize * bytes;
    let area = match subject.head.get(from..from + bytes) {
        Some(page) => Area::of_trx_sys(page),
        None => {
            let mut reader = Reader::open(subject.path, false).ok()?;
            Area::of_trx_sys(Source::read(&mut reader, from as u64, bytes).ok()?)
        }
    };
    Some((area?, Judge::new(plan.checker.space.logical_bytes)))
}

/// The page size of the system tablespace in the directory of the file, or in the one above.
fn neighbours_page_bytes(subject: Subject<'_>) -> u32 {
    let directories = subject.path.ancestors().skip(1).take(2);
    let sizes = directories.filter_map(|directory| {
        let mut reader = Reader::open(&directory.join("ibdata1"), false).ok()?;
        let space = Space::of_page_zero(reader.read(0, 65_536).ok()?).ok()?;
        Some(space.physical_bytes)
    });
    sizes.into_iter().next().unwrap_or(DEFAULT_PAGE_BYTES)
}

/// A space of pages of so many bytes, of which nothing else is known.
fn classic(page_bytes: u32) -> Space {
    let flags = match page_bytes {
        DEFAULT_PAGE_BYTES => 0,
        other => other.checked_div(512).map_or(0, u32::trailing_zeros) << 6,
    };
    let mut space = Space::from_flags(flags, 0).unwrap_or(Space {
        flags: 0,
        id: 0,
        flavour: None,
        checksum: crate::Checksum::Classic,
        logical_bytes: page_bytes,
        physical_bytes: page_bytes,
        zip: false,
        page_compressed: false,
        encrypted: false,
    });
    force(&mut space, page_bytes);
    space
}

fn force(space: &mut Space, page_bytes: u32) {
    space.physical_bytes = page_bytes;
    space.logical_bytes = space.logical_bytes.max(page_bytes);
    if !space.zip {
        space.logical_bytes = page_bytes;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn pages_are_missing_where_a_whole_block_of_the_file_is() {
        let zip_1k = Space::from_flags(0x23, 1).unwrap();
        assert_eq!(zip_1k.physical_bytes, 1024);
        // As MariaDB leaves it: 145 pages are told of, and the last one is in no whole block.
        assert_eq!(missing(&zip_1k, 145, 144 * 1024), 0);
        assert_eq!(missing(&zip_1k, 148, 144 * 1024), 4);
        let plain = Space::from_flags(0x15, 1).unwrap();
        assert_eq!(missing(&plain, 6, 6 * 16_384), 0);
        assert_eq!(missing(&plain, 6, 6 * 16_384 - 1), 1);
        assert_eq!(missing(&plain, 6, 64 * 16_384), 0);
    }

    #[test]
    fn a_space_of_which_nothing_is_known_has_the_page_size_that_is_assumed() {
        for bytes in [1024, 4096, 16_384, 65_536] {
            assert_eq!(classic(bytes).physical_bytes, bytes);
        }
        assert_eq!(classic(32_768).logical_bytes, 32_768);
    }
}
