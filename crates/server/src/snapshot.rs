//! Snapshots of stopped instances: taking, listing, restoring, deleting.
//!
//! # Layers
//! - `manifest`: what a snapshot holds, with checksums, as text. `tree`: what an instance holds.
//!   `part`: where an instance's data lies.
//! - `copy`: a range of a file. `transfer`: many files, by sharing blocks or by several threads.
//!   `layout`: directories and links. `swap`: a new directory in the place of an old one.
//! - `take` and `restore`: the verbs.
//!
//! # What holds
//! - What has a snapshot's name is whole: it is made in a draft and renamed.
//! - What is restored has the checksums of what was taken, and until that is known the old data
//!   stays where it was.

mod copy;
mod error;
mod layout;
mod manifest;
mod part;
mod restore;
mod swap;
mod take;
mod transfer;
mod tree;

pub use copy::Progress;
pub use error::SnapshotError;
pub use manifest::{Access, DirectoryEntry, FileEntry, LinkEntry, Manifest, Origin, Part};
pub use restore::{RestoreOptions, Restored, Verify};
pub use take::{SnapshotOptions, Taken};
pub use transfer::Method;

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use crate::home::Home;

/// The manifest's name in a snapshot.
const MANIFEST: &str = "manifest.json";
/// Held shared by who reads a snapshot, alone by who makes or deletes it.
const LOCK: &str = "lock";
/// How the names of snapshots in the making begin.
const TAKING: &str = ".taking-";
/// How the names of snapshots that are being deleted begin.
const REMOVING: &str = ".removed-";
/// Longest name.
const NAME_CHARS_MAX: usize = 64;
/// How many differences are told.
const DIFFERENCES_MAX: usize = 5;

/// A snapshot that is whole as far as its manifest goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    dir: PathBuf,
    manifest: Manifest,
}

/// A name in the directory of snapshots, and what is behind it.
#[derive(Debug)]
pub struct Listed {
    /// The name.
    pub name: String,
    /// What is behind it.
    pub state: State,
}

/// What is behind the name of a snapshot.
#[derive(Debug)]
pub enum State {
    /// A snapshot whose files are there in their sizes.
    Whole(Box<Snapshot>),
    /// A snapshot that is not what it was.
    Damaged(SnapshotError),
    /// A link to a place that is not there: its device is not mounted.
    Absent(PathBuf),
    /// It is being taken right now, or was when it was killed; the next snapshot clears that.
    Unfinished,
}

impl Snapshot {
    /// The snapshot of that name.
    ///
    /// # Errors
    /// [`SnapshotError::NoSnapshot`], [`SnapshotError::Damaged`], [`SnapshotError::Name`].
    pub fn open(home: &Home, name: &str) -> Result<Self, SnapshotError> {
        check_name(name)?;
        let place = home.snapshots().join(name);
        let Ok(dir) = place.canonicalize() else {
            let (name, dir) = (name.to_owned(), home.snapshots());
            return Err(SnapshotError::NoSnapshot { name, dir });
        };
        let manifest = Manifest::read(&dir.join(MANIFEST), name)?;
        Ok(Self { dir, manifest })
    }

    /// Every name in the directory of snapshots, in order.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn list(home: &Home) -> Result<Vec<Listed>, SnapshotError> {
        let dir = home.snapshots();
        let entries = match fs::read_dir(&dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| SnapshotError::io("read", &dir, error))?,
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<_> = names.filter(|name| !name.starts_with(REMOVING)).collect();
        names.sort();
        Ok(names.into_iter().map(|name| listed(home, name)).collect())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What it holds.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Refuses a snapshot in which a file is missing or has another length.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] with the first few.
    pub fn check_sizes(&self) -> Result<(), SnapshotError> {
        let difference = |file: &FileEntry| match fs::symlink_metadata(self.dir.join(&file.path)) {
            Err(error) => Some(format!("{}: {error}", file.path)),
            Ok(facts) if !facts.is_file() => Some(format!("{}: it is no file", file.path)),
            Ok(facts) if facts.len() != file.size_bytes => {
                let (is, was) = (facts.len(), file.size_bytes);
                Some(format!("{}: it has {is} bytes and had {was}", file.path))
            }
            Ok(_) => None,
        };
        self.refuse(self.manifest.files.iter().filter_map(difference).collect())
    }

    /// Deletes a snapshot, or what is left of one.
    ///
    /// # Errors
    /// [`SnapshotError::NoSnapshot`]; [`SnapshotError::Busy`] while it is taken or restored.
    pub fn remove(home: &Home, name: &str) -> Result<(), SnapshotError> {
        check_name(name)?;
        let link = home.snapshots().join(name);
        let failed = |path: &Path, error| SnapshotError::io("remove", path, error);
        let Ok(facts) = fs::symlink_metadata(&link) else {
            let (name, dir) = (name.to_owned(), home.snapshots());
            return Err(SnapshotError::NoSnapshot { name, dir });
        };
        if let Ok(dir) = link.canonicalize() {
            let _held = hold(&dir, name, true)?;
            let leaving = dir.with_file_name(format!("{REMOVING}{name}"));
            fs::rename(&dir, &leaving).map_err(|error| failed(&dir, error))?;
            fs::remove_dir_all(&leaving).map_err(|error| failed(&leaving, error))?;
        }
        match facts.is_symlink() {
            true => fs::remove_file(&link).map_err(|error| failed(&link, error)),
            false => Ok(()),
        }
    }

    fn refuse(&self, mut differences: Vec<String>) -> Result<(), SnapshotError> {
        if differences.is_empty() {
            return Ok(());
        }
        let more = differences.len().saturating_sub(DIFFERENCES_MAX);
        differences.truncate(DIFFERENCES_MAX);
        if more > 0 {
            differences.push(format!("and {more} files more"));
        }
        Err(SnapshotError::Damaged { name: self.name().to_owned(), differences })
    }
}

fn listed(home: &Home, name: String) -> Listed {
    if let Some(name) = name.strip_prefix(TAKING) {
        return Listed { name: name.to_owned(), state: State::Unfinished };
    }
    let place = home.snapshots().join(&name);
    let state = match fs::read_link(&place) {
        Ok(target) if !target.is_dir() => State::Absent(target),
        _ => match Snapshot::open(home, &name).and_then(|it| it.check_sizes().map(|()| it)) {
            Ok(snapshot) => State::Whole(Box::new(snapshot)),
            Err(error) => State::Damaged(error),
        },
    };
    Listed { name, state }
}

/// Refuses what could leave the directory of snapshots, or would be hidden there.
fn check_name(name: &str) -> Result<(), SnapshotError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    match begins && name.chars().all(allowed) && name.len() <= NAME_CHARS_MAX {
        true => Ok(()),
        false => Err(SnapshotError::Name(name.to_owned())),
    }
}

/// Holds a snapshot, alone or with others that only read it.
fn hold(dir: &Path, name: &str, alone: bool) -> Result<Option<File>, SnapshotError> {
    let path = dir.join(LOCK);
    let file = match File::open(&path) {
        // Without a lock file there is not enough of a snapshot to be used by anybody.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|error| SnapshotError::io("lock", &path, error))?,
    };
    match if alone { file.try_lock() } else { file.try_lock_shared() } {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(SnapshotError::Busy(name.to_owned())),
        Err(TryLockError::Error(error)) => Err(SnapshotError::io("lock", &path, error)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_that_could_leave_the_directory_are_refused() {
        for name in ["", ".", "..", "a/b", ".taking-a", "-a", "a b", "é", &"x".repeat(65)] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        check_name("tpcc-100w_2026.11").unwrap();
    }

    #[test]
    fn what_is_no_snapshot_is_listed_as_what_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path()).unwrap();
        assert!(Snapshot::list(&home).unwrap().is_empty());
        for name in [".taking-b", ".removed-c", "a"] {
            fs::create_dir_all(home.snapshots().join(name)).unwrap();
        }
        std::os::unix::fs::symlink("/nowhere/at/all", home.snapshots().join("l")).unwrap();
        let listed = Snapshot::list(&home).unwrap();
        let names: Vec<_> = listed.iter().map(|listed| &*listed.name).collect();
        assert_eq!(names, ["b", "a", "l"]);
        assert!(matches!(listed[0].state, State::Unfinished));
        assert!(matches!(listed[1].state, State::Damaged(_)));
        assert!(matches!(listed[2].state, State::Absent(_)));
        Snapshot::remove(&home, "a").unwrap();
        Snapshot::remove(&home, "l").unwrap();
        assert!(matches!(Snapshot::remove(&home, "a"), Err(SnapshotError::NoSnapshot { .. })));
    }
}
