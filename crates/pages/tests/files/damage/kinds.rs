//! Damage of every kind that disks, cables, file systems and people do.

use crate::support::{Tablespace, newer};
use pages::{Checksum, PageType, Space};

/// A tablespace that is being damaged, and another one of the same server.
pub(super) struct Damaged {
    pub(super) file: Tablespace,
    other: Tablespace,
    /// A page with content, and another one.
    target: usize,
    second: usize,
}

/// A way to damage a tablespace; none where the format has no such thing.
pub(super) type Inflict = fn(&mut Damaged) -> Option<()>;

/// All of them, by the name of what happened.
pub(super) const DAMAGES: &[(&str, Inflict)] = &[
    ("nothing", |_| Some(())),
    ("a bit of the data flips", |it| it.change(|page, end| page[end / 3] ^= 4)),
    ("a bit of the checksum flips", |it| it.change(|page, _| page[0] ^= 1)),
    ("a bit of the trailer's checksum flips", |it| it.change(|page, end| page[end - 7] ^= 1)),
    ("a bit of the trailer's LSN flips", |it| it.change(|page, end| page[end - 1] ^= 1)),
    ("a bit of the space id flips", |it| it.change(|page, _| page[36] ^= 1)),
    ("both checksums are zero", |it| {
        it.change(|page, end| {
            page[..4].fill(0);
            page[end - 8..end - 4].fill(0);
            page[end / 3] ^= 4;
        })
    }),
    ("both checksums say 'none', data flips", |it| {
        it.change(|page, end| {
            page[..4].copy_from_slice(&[0xDE, 0xAD, 0xBE, 0xEF]);
            page[end - 8..end - 4].copy_from_slice(&[0xDE, 0xAD, 0xBE, 0xEF]);
            page[end / 3] ^= 4;
        })
    }),
    ("the type says page_compressed, data flips", |it| {
        it.change(|page, end| {
            page[24..26].copy_from_slice(&34354_u16.to_be_bytes());
            page[end / 3] ^= 4;
        })
    }),
    ("the type says encrypted, data flips", |it| {
        it.change(|page, end| {
            page[24..26].copy_from_slice(&15_u16.to_be_bytes());
            page[end / 3] ^= 4;
        })
    }),
    ("a sector is zero", |it| it.change(|page, end| page[128..end.min(640)].fill(0))),
    ("a page is zero", |it| it.change(|page, _| page.fill(0))),
    ("a page stands over another", Damaged::misdirect),
    ("a page of another table stands there", Damaged::of_another),
    ("the second half is of an older write", Damaged::tear),
    ("page 0 is zero", |it| it.change_at(0, |page, _| page.fill(0))),
    ("page 0 is garbage", |it| it.change_at(0, |page, _| page.fill(0x5A))),
    ("a bit of page 0's flags flips", |it| it.change_at(0, |page, _| page[57] ^= 1)),
    ("the file ends inside a page", |it| it.cut(3 * it.bytes() + it.bytes() / 2)),
    ("the file ends between two pages", |it| it.cut(4 * it.bytes())),
    ("the file ends inside page 0", |it| it.cut(it.bytes() / 2)),
    ("the file is empty", |it| it.cut(0)),
    ("a hundred bytes follow the last page", |it| {
        it.file.bytes.extend([7; 100]);
        Some(())
    }),
    ("every page is zero", |it| {
        it.file.bytes.fill(0);
        // Taken for larger pages, a number of small ones may end inside one, or not.
        it.cut(33 * it.bytes())
    }),
];

impl Damaged {
    /// Picks the pages that will suffer: those with content, far enough from the beginning.
    pub(super) fn new(file: Tablespace, other: Tablespace) -> Self {
        let checker = file.checker();
        let suits = |kind: u16| {
            matches!(PageType(kind), PageType::INDEX | PageType::COMPRESSED | PageType::ENCRYPTED)
                || matches!(kind, 34354 | 37401)
                || file.space.checksum == Checksum::FullCrc32 && kind & 0x8000 != 0
        };
        let mut good = file.pages().filter(|(place, page)| {
            let kind = u16::from_be_bytes([page[24], page[25]]);
            place.page > 4 && suits(kind) && !checker.page(*place, page).is_bad()
        });
        let target = good.next().unwrap().0.page as usize;
        let second = good.next().unwrap().0.page as usize;
        drop(good);
        Self { file, other, target, second }
    }

    /// Bytes a page.
    fn bytes(&self) -> usize {
        self.file.space.physical_bytes as usize
    }

    fn change(&mut self, change: impl FnOnce(&mut [u8], usize)) -> Option<()> {
        self.change_at(self.target, change)
    }

    fn change_at(&mut self, page: usize, change: impl FnOnce(&mut [u8], usize)) -> Option<()> {
        let bytes = self.bytes();
        let page = &mut self.file.bytes[page * bytes..(page + 1) * bytes];
        let end = end(&self.file.space, page);
        change(&mut page[..end], end);
        Some(())
    }

    fn misdirect(&mut self) -> Option<()> {
        let bytes = self.bytes();
        let from = self.second * bytes;
        self.file.bytes.copy_within(from..from + bytes, self.target * bytes);
        Some(())
    }

    fn of_another(&mut self) -> Option<()> {
        let bytes = self.bytes();
        if self.other.space.physical_bytes != self.file.space.physical_bytes {
            return None;
        }
        let at = self.target * bytes;
        self.file.bytes[at..at + bytes].copy_from_slice(&self.other.bytes[at..at + bytes]);
        Some(())
    }

    /// A newer version of the page, sealed as its format is, of which only the first half came to
    /// the disk. Only of pages that are stored as they are in memory.
    fn tear(&mut self) -> Option<()> {
        let (bytes, at) = (self.bytes(), self.target * self.bytes());
        let kind = u16::from_be_bytes([self.file.bytes[at + 24], self.file.bytes[at + 25]]);
        if PageType(kind) != PageType::INDEX || self.file.space.zip {
            return None;
        }
        let newer = newer(&self.file.space, &self.file.bytes[at..at + bytes]);
        self.file.bytes[at..at + bytes / 2].copy_from_slice(&newer[..bytes / 2]);
        Some(())
    }

    fn cut(&mut self, bytes: usize) -> Option<()> {
        self.file.bytes.truncate(bytes);
        Some(())
    }
}

/// Where a page ends: what is behind a compressed one means nothing.
fn end(space: &Space, page: &[u8]) -> usize {
    let word = |at: usize| usize::from(page[at]) << 8 | usize::from(page[at + 1]);
    match (space.checksum, word(24)) {
        (Checksum::FullCrc32, kind) if kind & 0x8000 != 0 => (kind & 0x7fff) << 8,
        (Checksum::Classic, 14) => 38 + word(32),
        (Checksum::Classic, 34354) => 40 + word(38),
        _ => page.len(),
    }
}
