//! Good copies of bad pages, in doublewrite files and in the doublewrite area of `ibdata1`.

use super::Area;
use crate::{
    Checker, Place, Space, Verdict,
    file::{kind::doublewrite_page_bytes, reader::Reader},
    layout::Page,
};
use serde::Serialize;
use std::{
    collections::{BTreeSet, HashMap},
    fs, io,
    path::{Path, PathBuf},
};

/// A sound copy of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageCopy {
    /// The number of the page.
    pub page: u32,
    /// The file that holds the copy.
    pub path: PathBuf,
    /// Where in it, bytes.
    pub offset: u64,
    /// The LSN of the copy's newest change.
    pub lsn: u64,
}

/// What copies are looked for: space id and page number, and how the page is checked.
pub type Wanted = HashMap<(u32, u32), Checker>;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 1 << 20;

/// Looks for copies in every one of `files`, which are doublewrite files and first files of system
/// tablespaces; of several of a page the newest is told. A file that cannot be read has none.
pub fn search(files: &BTreeSet<PathBuf>, wanted: &Wanted) -> HashMap<(u32, u32), PageCopy> {
    let mut found = HashMap::new();
    for path in files {
        let _unreadable = search_file(path, wanted, &mut found);
    }
    found
}

/// The files in `directories` that may hold copies.
pub fn sources(directories: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    for directory in directories {
        let system = directory.join("ibdata1");
        if system.is_file() {
            files.insert(system);
        }
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let copies = entries.map(|entry| entry.path()).filter(|path| {
            path.extension().is_some_and(|extension| extension == "dblwr") && path.is_file()
        });
        files.extend(copies);
    }
    files
}

fn search_file(
    path: &Path,
    wanted: &Wanted,
    found: &mut HashMap<(u32, u32), PageCopy>,
) -> io::Result<()> {
    let mut reader = Reader::open(path, false)?;
    let bytes = reader.bytes()?;
    let parts = match doublewrite_page_bytes(path) {
        Some(page_bytes) => vec![(0, bytes, page_bytes)],
        None => area(&mut reader)?,
    };
    for (from, to, page_bytes) in parts {
        let mut at = from;
        while at < to.min(bytes) {
            let piece = reader.read(at, PIECE_BYTES.min((to - at) as usize))?;
            let slots = (at..).step_by(page_bytes as usize).zip(piece.chunks(page_bytes as usize));
            for (offset, slot) in slots {
                if let Some((key, lsn)) = sound_copy(slot, wanted) {
                    let copy = PageCopy { page: key.1, path: path.to_owned(), offset, lsn };
                    let known = found.entry(key).or_insert_with(|| copy.clone());
                    if known.lsn < lsn {
                        *known = copy;
                    }
                }
            }
            at += PIECE_BYTES as u64;
        }
    }
    Ok(())
}

/// Whether the page in `slot` is wanted and sound.
fn sound_copy(slot: &[u8], wanted: &Wanted) -> Option<((u32, u32), u64)> {
    let page = Page::new(slot)?;
    let key = (page.space(), page.number());
    let checker = wanted.get(&key)?;
    let bytes = slot.get(..checker.space.physical_bytes as usize)?;
    let verdict = checker.page(Place { page: key.1, space: Some(key.0) }, bytes);
    (verdict == Verdict::Ok).then(|| (key, page.lsn()))
}

/// From where to where the doublewrite area of a system tablespace is, bytes, and of what pages.
fn area(reader: &mut Reader) -> io::Result<Vec<(u64, u64, u32)>> {
    let Ok(space) = Space::of_page_zero(reader.read(0, 65_536)?) else { return Ok(Vec::new()) };
    let bytes = u64::from(space.physical_bytes);
    let page = reader.read(u64::from(super::area::TRX_SYS_PAGE) * bytes, bytes as usize)?;
    let Some(area) = Area::of_trx_sys(page) else { return Ok(Vec::new()) };
    let part = |&first: &u32| {
        let (first, pages) = (u64::from(first), u64::from(area.pages));
        (first * bytes, (first + pages) * bytes, space.physical_bytes)
    };
    Ok(area.blocks.iter().map(part).collect())
}
