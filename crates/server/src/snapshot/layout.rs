//! The directories and links of a part, in a snapshot or in an instance.

use std::{
    fs::{self, DirBuilder, File},
    os::unix::fs::{DirBuilderExt, symlink},
    path::{Path, PathBuf},
};

use super::{
    error::SnapshotError,
    manifest::{DirectoryEntry, LinkEntry},
    transfer,
};

/// A part that is laid out in `dir`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    /// Its name, with which paths in the manifest begin.
    pub(super) part: &'a str,
    /// Its directory.
    pub(super) dir: &'a Path,
}

impl Layout<'_> {
    /// Where a path of the manifest is to be; none for one of another part.
    pub(super) fn place(&self, path: &str) -> Option<PathBuf> {
        match path.strip_prefix(self.part)? {
            "" => Some(self.dir.to_owned()),
            rest => Some(self.dir.join(rest.strip_prefix('/')?)),
        }
    }

    /// Makes directories and links; only their owner gets in before [`Layout::finish`].
    pub(super) fn begin(
        &self,
        directories: &[DirectoryEntry],
        links: &[LinkEntry],
    ) -> Result<(), SnapshotError> {
        for place in directories.iter().filter_map(|entry| self.place(&entry.path)) {
            if place != self.dir {
                let made = DirBuilder::new().mode(0o700).create(&place);
                made.map_err(|error| SnapshotError::io("create", &place, error))?;
            }
        }
        for link in links {
            let Some(place) = self.place(&link.path) else { continue };
            let made = symlink(&link.target, &place);
            made.map_err(|error| SnapshotError::io("create", &place, error))?;
        }
        Ok(())
    }

    /// Gives the directories their owners and permissions, and makes their entries last.
    pub(super) fn finish(&self, directories: &[DirectoryEntry]) -> Result<(), SnapshotError> {
        // Children first: a parent may not be writable any more then.
        for entry in directories.iter().rev() {
            let Some(place) = self.place(&entry.path) else { continue };
            let done =
                transfer::own(&place, entry.access).and_then(|()| File::open(&place)?.sync_all());
            done.map_err(|error| SnapshotError::io("write", &place, error))?;
        }
        Ok(())
    }
}

/// Makes a directory for its owner alone, and those above it.
pub(super) fn create_private(dir: &Path) -> Result<(), SnapshotError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(|error| SnapshotError::io("create", dir, error))
}

/// Removes a file that need not be there.
pub(super) fn remove_file(path: &Path) -> Result<(), SnapshotError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(SnapshotError::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_whose_name_begins_another_does_not_take_its_files() {
        let layout = Layout { part: "log-bin", dir: Path::new("/x") };
        assert_eq!(layout.place("log-bin/a/b"), Some("/x/a/b".into()));
        assert_eq!(layout.place("log-bin"), Some("/x".into()));
        assert_eq!(layout.place("log-bin-index/a"), None);
        assert_eq!(layout.place("data/a"), None);
    }
}
