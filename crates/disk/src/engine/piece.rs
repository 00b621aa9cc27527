//! A block that did not come as it should: what of it can be read, and what cannot.

use super::{
    report::ScanReport,
    source::{Source, Way},
};
use std::{io, ops::Range};

/// The smallest piece that is tried by itself: a sector of today's disks.
pub(crate) const PIECE_BYTES: usize = 4096;

/// A read error that a test has made up.
pub(crate) trait Medium: Sync {
    /// What is wrong with a range of a file, if anything.
    fn fault(&self, _source: &Source, _range: Range<u64>) -> Option<io::Error> {
        None
    }
}

/// The medium as it is.
pub(crate) struct Sound;

impl Medium for Sound {}

/// A range of a block that could not be read.
#[derive(Debug)]
pub(crate) struct Hole {
    /// Where in the block.
    pub(crate) range: Range<usize>,
    pub(crate) error: io::Error,
}

/// A block as it is to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) offset: u64,
    /// How much of the file is in it.
    pub(crate) bytes: usize,
    pub(crate) way: Way,
}

/// What is tried before single pieces are: a bad block may be large, and each failure slow.
const GROUP_BYTES: usize = 64 << 10;

/// Makes of a read what can be made of it: what it did not bring is read piece by piece. What
/// cannot be read is zero, and returned.
pub(crate) fn settle(
    source: &Source,
    medium: &impl Medium,
    mut extent: Extent,
    block: &mut [u8],
    read: io::Result<usize>,
    report: &mut ScanReport,
) -> Vec<Hole> {
    let range = extent.offset..extent.offset + extent.bytes as u64;
    let read = medium.fault(source, range).map_or(read, Err);
    let holes = match read {
        Ok(got) if got >= extent.bytes => Vec::new(),
        Ok(got) => mend(source, medium, extent, block, got),
        Err(error) => {
            // The form of a direct read can be wrong for a file system that does not tell.
            if extent.way == Way::Direct && error.kind() == io::ErrorKind::InvalidInput {
                source.direct_was_refused(&error, report);
                extent.way = Way::Buffered { forget: true };
            }
            mend(source, medium, extent, block, 0)
        }
    };
    let missing: usize = holes.iter().map(|hole| hole.range.len()).sum();
    report.unreadable_bytes += missing as u64;
    let bytes = (extent.bytes - missing) as u64;
    match extent.way {
        Way::Cached => report.cached_bytes += bytes,
        Way::Direct => report.direct_bytes += bytes,
        Way::Buffered { forget } => {
            report.buffered_bytes += bytes;
            if forget {
                source.forget(extent.offset, extent.bytes);
            }
        }
    }
    holes
}

/// Reads what is missing of a block of which the first `got` bytes are there.
fn mend(
    source: &Source,
    medium: &impl Medium,
    extent: Extent,
    block: &mut [u8],
    got: usize,
) -> Vec<Hole> {
    let mut holes: Vec<Hole> = Vec::new();
    let mut group = got - got % GROUP_BYTES;
    while group < extent.bytes {
        let group_end = extent.bytes.min(group + GROUP_BYTES);
        if read_piece(source, medium, extent, block, group..group_end).is_err() {
            mend_group(source, medium, extent, block, group..group_end, &mut holes);
        }
        group = group_end;
    }
    holes
}

fn mend_group(
    source: &Source,
    medium: &impl Medium,
    extent: Extent,
    block: &mut [u8],
    group: Range<usize>,
    holes: &mut Vec<Hole>,
) {
    // Direct reads need a piece aligned.
    let piece_bytes = PIECE_BYTES.max(source.align_bytes());
    for at in group.clone().step_by(piece_bytes) {
        let range = at..group.end.min(at + piece_bytes);
        let Err(error) = read_piece(source, medium, extent, block, range.clone()) else { continue };
        block[range.clone()].fill(0);
        match holes.last_mut() {
            Some(hole) if hole.range.end == at && is_same(&hole.error, &error) => {
                hole.range.end = range.end;
            }
            _ => holes.push(Hole { range, error }),
        }
    }
}

fn read_piece(
    source: &Source,
    medium: &impl Medium,
    extent: Extent,
    block: &mut [u8],
    range: Range<usize>,
) -> io::Result<()> {
    let place = |at: usize| extent.offset + at as u64;
    if let Some(error) = medium.fault(source, place(range.start)..place(range.end)) {
        return Err(error);
    }
    let mut at = range.start;
    while at < range.end {
        // The rest of a piece that came in part is not aligned any more.
        let way = match at == range.start {
            true => extent.way,
            false => Way::Buffered { forget: true },
        };
        let asked = source.asked_bytes(way, range.end - at);
        let room = &mut block[at..at + asked];
        match source.read_at(way, room, place(at))? {
            0 => {
                let words = "the file became shorter while it was read";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, words));
            }
            bytes => at += bytes,
        }
    }
    Ok(())
}

fn is_same(one: &io::Error, other: &io::Error) -> bool {
    one.kind() == other.kind() && one.raw_os_error() == other.raw_os_error()
}

/// Widens holes to whole granules of a page's size, and joins those that touch.
pub(crate) fn widen(holes: Vec<Hole>, granule_bytes: usize, bytes: usize) -> Vec<Hole> {
    let mut wide: Vec<Hole> = Vec::new();
    for Hole { range, error } in holes {
        let start = range.start - range.start % granule_bytes;
        let end = range.end.next_multiple_of(granule_bytes).min(bytes);
        match wide.last_mut() {
            Some(last) if start < last.range.end || is_touching(last, start, &error) => {
                last.range.end = last.range.end.max(end);
            }
            _ => wide.push(Hole { range: start..end, error }),
        }
    }
    wide
}

fn is_touching(last: &Hole, start: usize, error: &io::Error) -> bool {
    start == last.range.end && is_same(&last.error, error)
}

#[cfg(test)]
mod tests {
    // One hole is a list of one range.
    #![allow(clippy::single_range_in_vec_init)]
    use super::*;

    fn holes(ranges: &[(usize, usize, i32)]) -> Vec<Hole> {
        let hole = |(start, end, number): &(usize, usize, i32)| Hole {
            range: *start..*end,
            error: io::Error::from_raw_os_error(*number),
        };
        ranges.iter().map(hole).collect()
    }

    fn widened(ranges: &[(usize, usize, i32)], granule: usize, bytes: usize) -> Vec<Range<usize>> {
        widen(holes(ranges), granule, bytes).into_iter().map(|hole| hole.range).collect()
    }

    #[test]
    fn a_bad_sector_costs_its_page_and_no_more() {
        let k = 1 << 10;
        let page = 16 * k;
        assert_eq!(widened(&[(20 * k, 24 * k, 5)], page, 1024 * k), [page..2 * page]);
        // Two in one page are one; those of neighbours stay apart where their reasons differ.
        let two = [(16 * k, 20 * k, 5), (28 * k, 32 * k, 61), (32 * k, 36 * k, 61)];
        assert_eq!(widened(&two, page, 1024 * k), [page..2 * page, 2 * page..3 * page]);
        let same = [(28 * k, 32 * k, 5), (36 * k, 40 * k, 5)];
        assert_eq!(widened(&same, page, 1024 * k), [page..3 * page]);
        assert_eq!(widened(&[(32 * k, 33 * k, 5)], page, 33 * k), [2 * page..33 * k]);
        assert!(widened(&[], page, 1024 * k).is_empty());
    }
}
