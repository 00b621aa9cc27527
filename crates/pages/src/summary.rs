//! What the pages of a file hold: types, indexes, how full they are, LSNs, free space.

use crate::{Flavour, PageType, Space, Verdict, layout::Page, verify::count_free};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Most indexes that are told apart in one file: more than a tablespace of a sane server has.
const INDEXES_MAX: usize = 10_000;
/// Where page 0 tells its space's size and from where on nothing was used yet, in pages.
const SPACE_PAGES_AT: usize = 38 + 8;
const FREE_LIMIT_AT: usize = 38 + 12;
/// Where MariaDB's older formats have the version of the key that encrypted a page.
const KEY_VERSION_AT: usize = 26;

/// What was found in pages of a file.
#[derive(Clone, Debug, Default)]
pub struct SummaryTally {
    types: HashMap<u16, u64>,
    indexes: HashMap<u64, IndexTally>,
    /// Pages of indexes that found no place, or whose header is encrypted or compressed.
    veiled: u64,
    lsn: Option<(u64, u64)>,
    /// Pages marked free in extent descriptors.
    free: u64,
    /// Pages in the space, and the first one that no descriptor describes yet; from page 0.
    size: Option<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct IndexTally {
    pages: u64,
    leaf_pages: u64,
    levels: u16,
    records: u64,
    data_bytes: u64,
    capacity_bytes: u64,
}

/// Pages of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TypePages {
    /// What upstream calls the type, or its number.
    #[serde(rename = "type")]
    pub name: String,
    /// How many.
    pub pages: u64,
}

/// Pages of an index.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IndexPages {
    /// Its id, as in `INFORMATION_SCHEMA.INNODB_SYS_INDEXES` and `INNODB_INDEXES`.
    pub index: u64,
    /// Its pages.
    pub pages: u64,
    /// Those of them that are leaves.
    pub leaf_pages: u64,
    /// Levels of the tree; 1 for a root that is a leaf.
    pub levels: u32,
    /// Records in leaves.
    pub records: u64,
    /// Bytes of live records, of all its pages.
    pub data_bytes: u64,
    /// Share of the room for records that they take, over all its pages.
    pub fill: f64,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FileSummary {
    /// Pages by type, the most frequent first.
    pub types: Vec<TypePages>,
    /// Indexes by id.
    pub indexes: Vec<IndexPages>,
    /// Pages of indexes that are encrypted or compressed, so that their headers say nothing, or
    /// that belong to more indexes than are told apart.
    pub veiled_index_pages: u64,
    /// The lowest and the highest LSN of a sound page.
    pub lsn: Option<(u64, u64)>,
    /// Pages that are free.
    pub free_pages: u64,
    /// The same, bytes.
    pub free_bytes: u64,
}

/// Takes in a page that was looked at.
pub(crate) fn page(
    space: &Space,
    number: u32,
    bytes: &[u8],
    verdict: &Verdict,
    tally: &mut SummaryTally,
) {
    let readable = matches!(verdict, Verdict::Ok | Verdict::Unverifiable { .. });
    let Some(page) = Page::new(bytes).filter(|_| readable) else { return };
    *tally.types.entry(page.kind()).or_default() += 1;
    let lsn = page.lsn();
    if lsn > 0 && *verdict == Verdict::Ok {
        let (low, high) = tally.lsn.unwrap_or((lsn, lsn));
        tally.lsn = Some((low.min(lsn), high.max(lsn)));
    }
    let kind = PageType(page.kind());
    if number == 0 && kind == PageType::FSP_HDR {
        tally.size = Some((page.u32(SPACE_PAGES_AT), page.u32(FREE_LIMIT_AT)));
    }
    let describes = kind == PageType::FSP_HDR || kind == PageType::XDES;
    if describes && number.is_multiple_of(space.physical_bytes) {
        let end = number.saturating_add(space.physical_bytes);
        tally.free += count_free(space, bytes, number, end);
    }
    if kind.is_index(space.flavour) {
        tally.index(space, page);
    } else if is_veiled(kind) {
        tally.veiled += 1;
    }
}

/// Types behind which an index page may stand.
fn is_veiled(kind: PageType) -> bool {
    matches!(
        kind,
        PageType::COMPRESSED
            | PageType::ENCRYPTED
            | PageType::COMPRESSED_AND_ENCRYPTED
            | PageType::ENCRYPTED_RTREE
            | PageType::PAGE_COMPRESSED
            | PageType::PAGE_COMPRESSED_ENCRYPTED
    ) || kind.0 & PageType::FULL_CRC32_COMPRESSED != 0 && kind.name(None) == Some("PAGE_COMPRESSED")
}

/// Whether MariaDB encrypted the page: all behind its header is ciphertext.
fn is_encrypted(space: &Space, page: Page<'_>) -> bool {
    let at = match space.checksum {
        crate::Checksum::FullCrc32 => 0,
        crate::Checksum::Classic => KEY_VERSION_AT,
    };
    let split_number = at == KEY_VERSION_AT && page.kind() == PageType::RTREE.0;
    space.flavour != Some(Flavour::MySql) && !split_number && page.u32(at) != 0
}

impl SummaryTally {
    fn index(&mut self, space: &Space, page: Page<'_>) {
        let header = page.index();
        let known = self.indexes.contains_key(&header.index);
        if is_encrypted(space, page) || (!known && self.indexes.len() >= INDEXES_MAX) {
            self.veiled += 1;
            return;
        }
        let index = self.indexes.entry(header.index).or_default();
        index.pages += 1;
        index.levels = index.levels.max(header.level);
        if header.level == 0 {
            index.leaf_pages += 1;
            index.records += u64::from(header.records);
        }
        index.data_bytes += u64::from(header.data_bytes());
        index.capacity_bytes += u64::from(header.capacity_bytes(space.logical_bytes));
    }

    /// Adds what another thread found of the same file.
    pub(crate) fn join(&mut self, other: Self) {
        for (kind, pages) in other.types {
            *self.types.entry(kind).or_default() += pages;
        }
        for (id, index) in other.indexes {
            let into = self.indexes.entry(id).or_default();
            into.pages += index.pages;
            into.leaf_pages += index.leaf_pages;
            into.levels = into.levels.max(index.levels);
            into.records += index.records;
            into.data_bytes += index.data_bytes;
            into.capacity_bytes += index.capacity_bytes;
        }
        self.veiled += other.veiled;
        self.free += other.free;
        self.size = self.size.or(other.size);
        self.lsn = wider(self.lsn, other.lsn);
    }

    /// What the pages of a file come to.
    pub(crate) fn of_file(self, space: &Space) -> FileSummary {
        let (size, limit) = self.size.unwrap_or((0, 0));
        let free_pages = self.free + u64::from(size.saturating_sub(limit));
        let mut named: BTreeMap<String, u64> = BTreeMap::new();
        for (kind, pages) in self.types {
            let name = PageType(kind).name(space.flavour);
            *named.entry(name.map_or(kind.to_string(), str::to_owned)).or_default() += pages;
        }
        let mut indexes: Vec<IndexPages> = self.indexes.into_iter().map(index_pages).collect();
        indexes.sort_unstable_by_key(|index| index.index);
        FileSummary {
            types: most_first(named),
            indexes,
            veiled_index_pages: self.veiled,
            lsn: self.lsn,
            free_pages,
            free_bytes: free_pages * u64::from(space.physical_bytes),
        }
    }
}

fn index_pages((id, tally): (u64, IndexTally)) -> IndexPages {
    IndexPages {
        index: id,
        pages: tally.pages,
        leaf_pages: tally.leaf_pages,
        levels: u32::from(tally.levels) + 1,
        records: tally.records,
        data_bytes: tally.data_bytes,
        fill: tally.data_bytes as f64 / tally.capacity_bytes.max(1) as f64,
    }
}

fn wider(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    }
}

fn most_first(named: BTreeMap<String, u64>) -> Vec<TypePages> {
    let mut types: Vec<TypePages> =
        named.into_iter().map(|(name, pages)| TypePages { name, pages }).collect();
    types.sort_by_key(|of_type| std::cmp::Reverse(of_type.pages));
    types
}

impl FileSummary {
    /// Adds another file's types, LSNs and free space; indexes stay with their files.
    pub fn add(&mut self, other: &Self) {
        let mut named: BTreeMap<String, u64> = BTreeMap::new();
        for of_type in self.types.iter().chain(&other.types) {
            *named.entry(of_type.name.clone()).or_default() += of_type.pages;
        }
        self.types = most_first(named);
        self.veiled_index_pages += other.veiled_index_pages;
        self.lsn = wider(self.lsn, other.lsn);
        self.free_pages += other.free_pages;
        self.free_bytes += other.free_bytes;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn index_page(index: u64, level: u16, records: u16, heap_top: u16) -> Vec<u8> {
        let mut page = vec![0; 16_384];
        page[16..24].copy_from_slice(&(1000 + u64::from(records)).to_be_bytes());
        page[24..26].copy_from_slice(&17_855_u16.to_be_bytes());
        page[40..42].copy_from_slice(&heap_top.to_be_bytes());
        page[42..44].copy_from_slice(&(0x8000_u16 | (records + 2)).to_be_bytes());
        page[54..56].copy_from_slice(&records.to_be_bytes());
        page[64..66].copy_from_slice(&level.to_be_bytes());
        page[66..74].copy_from_slice(&index.to_be_bytes());
        page
    }

    #[test]
    fn pages_are_told_by_type_and_index() {
        let space = Space::from_flags(0x15, 4).unwrap();
        let (mut one, mut two) = (SummaryTally::default(), SummaryTally::default());
        page(&space, 4, &index_page(9, 1, 2, 200), &Verdict::Ok, &mut one);
        page(&space, 5, &index_page(9, 0, 100, 8200), &Verdict::Ok, &mut one);
        page(&space, 6, &index_page(9, 0, 50, 4120), &Verdict::Ok, &mut two);
        page(&space, 7, &index_page(8, 0, 0, 120), &Verdict::Ok, &mut two);
        // A bad page says nothing that could be believed.
        let damage = crate::Damage::Header;
        page(&space, 8, &index_page(7, 0, 1, 130), &Verdict::Bad { damage }, &mut two);
        // An encrypted one keeps its type only.
        let mut veiled = index_page(6, 0, 1, 130);
        veiled[3] = 1;
        page(&space, 9, &veiled, &Verdict::Ok, &mut two);
        one.join(two);
        let told = one.of_file(&space);
        assert_eq!(told.types, [TypePages { name: "INDEX".to_owned(), pages: 5 }]);
        assert_eq!((told.veiled_index_pages, told.lsn), (1, Some((1000, 1100))));
        let of_nine = &told.indexes[1];
        assert_eq!((of_nine.index, of_nine.levels, of_nine.leaf_pages), (9, 2, 2));
        assert_eq!((of_nine.records, of_nine.data_bytes), (150, 80 + 8080 + 4000));
        assert!((of_nine.fill - 12_160.0 / (3.0 * 16_252.0)).abs() < 1e-9);
        assert_eq!(told.indexes[0].index, 8);
    }

    #[test]
    fn free_space_is_what_is_marked_and_what_was_never_used() {
        let space = Space::from_flags(0x15, 4).unwrap();
        let mut first = vec![0; 16_384];
        first[25] = 8;
        first[46..50].copy_from_slice(&640_u32.to_be_bytes());
        first[50..54].copy_from_slice(&128_u32.to_be_bytes());
        // All of the second extent, and page 3 of the first.
        first[150 + 24] = 1 << 6;
        first[190 + 24..190 + 40].fill(0x55);
        let mut tally = SummaryTally::default();
        page(&space, 0, &first, &Verdict::Ok, &mut tally);
        let told = tally.of_file(&space);
        assert_eq!(told.free_pages, 1 + 64 + 512);
        assert_eq!(told.free_bytes, 577 * 16_384);
    }
}
