//! Files by the sectors that they hold, as time goes by.

use super::{FileId, FileMap, map::SectorMap};
use crate::trace::Event;
use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
};

/// Bytes that a run takes, with its share of a tree's free room.
const RUN_BYTES: u64 = 48;

/// Bytes that a path takes.
const PATH_BYTES: u64 = 256;

/// Tells whose a write or a discard is.
///
/// Where files lie is looked at now and then, so an answer can be old: a file that has been deleted
/// keeps its sectors here until another file is seen on them. What no file ever held belongs to the
/// file system itself: its log, its tables.
#[derive(Clone, Debug, Default)]
pub struct Resolver {
    paths: BTreeMap<FileId, PathBuf>,
    now: SectorMap,
    later: SectorMap,
}

impl Resolver {
    /// A file as it lies now: it is the answer for its sectors from here on.
    pub fn observe(&mut self, file: &FileMap) {
        for extent in &file.extents {
            self.now.give(*extent, file.file);
        }
        self.paths.insert(file.file, file.path.clone());
    }

    /// A file as it will lie later, told in the order of time: it is the answer where no file has
    /// been observed yet. So a file is known from its first write, though it was seen only later.
    pub fn foresee(&mut self, file: &FileMap) {
        for extent in &file.extents {
            self.later.offer(*extent, file.file);
        }
        self.paths.entry(file.file).or_insert_with(|| file.path.clone());
    }

    /// Whose an event is, by its first sector.
    #[must_use]
    pub fn file(&self, event: &Event) -> Option<FileId> {
        self.now.owner(event.sector).or_else(|| self.later.owner(event.sector))
    }

    /// The sectors that some file holds, now or later, as far as that is known. Runs may overlap.
    pub fn held(&self) -> impl Iterator<Item = Range<u64>> {
        self.now.runs().chain(self.later.runs())
    }

    /// Bytes of memory that it takes, about.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let runs = (self.now.len() + self.later.len()) as u64;
        runs * RUN_BYTES + self.paths.len() as u64 * PATH_BYTES
    }

    /// What a file is called.
    #[must_use]
    pub fn path(&self, file: FileId) -> Option<&Path> {
        self.paths.get(&file).map(PathBuf::as_path)
    }

    /// All files that were seen, by their numbers.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &Path)> {
        self.paths.iter().map(|(file, path)| (*file, path.as_path()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Kind, names::Extent};

    fn lies(file: u32, path: &str, extents: &[(u64, u64)]) -> FileMap {
        let extents = extents.iter().map(|&(sector, sectors)| Extent { sector, sectors });
        FileMap { file: FileId(file), path: path.into(), extents: extents.collect() }
    }

    fn asked(resolver: &Resolver, sector: u64) -> Option<&Path> {
        let event = Event { time_ns: 0, sector, sectors: 1, kind: Kind::Write, hint: 0 };
        resolver.path(resolver.file(&event)?)
    }

    #[test]
    fn the_file_that_was_seen_last_has_the_sector() {
        let mut resolver = Resolver::default();
        resolver.observe(&lies(1, "/a", &[(0, 10), (50, 10)]));
        resolver.observe(&lies(2, "/b", &[(55, 10)]));
        assert_eq!(asked(&resolver, 9), Some(Path::new("/a")));
        assert_eq!(asked(&resolver, 10), None, "nobody's: the file system's own");
        assert_eq!(asked(&resolver, 54), Some(Path::new("/a")));
        assert_eq!(asked(&resolver, 55), Some(Path::new("/b")));
        resolver.observe(&lies(1, "/renamed", &[(0, 10)]));
        assert_eq!(asked(&resolver, 0), Some(Path::new("/renamed")));
    }

    #[test]
    fn a_file_is_known_from_its_first_write_when_its_future_is() {
        let mut resolver = Resolver::default();
        resolver.foresee(&lies(1, "/first", &[(0, 10)]));
        resolver.foresee(&lies(2, "/second", &[(0, 20)]));
        assert_eq!(asked(&resolver, 5), Some(Path::new("/first")));
        assert_eq!(asked(&resolver, 15), Some(Path::new("/second")));
        resolver.observe(&lies(2, "/second", &[(0, 20)]));
        assert_eq!(asked(&resolver, 5), Some(Path::new("/second")));
    }
}
