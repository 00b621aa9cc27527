//! Putting a new directory in the place of an old one, so that the old one stays whole until the
//! new one is.
//!
//! The two change names in one step. A mount point cannot change its name; there the entries do,
//! one by one, and back again when one resists.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, RenameFlags, StatxFlags};

/// The name of a draft within a mount point, and the end of its name beside a directory.
pub(super) const DRAFT: &str = ".myrig-restore";

/// A directory in the making that is to take another's place. Deleted when it is dropped before.
#[derive(Debug)]
pub(super) struct Replacement {
    place: PathBuf,
    draft: PathBuf,
    is_mount_point: bool,
}

impl Replacement {
    /// Makes an empty draft for `place`, which may exist or not; what a killed one left goes.
    pub(super) fn begin(place: &Path) -> io::Result<Self> {
        let is_mount_point = is_mount_point(place)?;
        let draft = match (is_mount_point, place.file_name()) {
            (false, Some(name)) => {
                place.with_file_name(format!(".{}{DRAFT}", name.to_string_lossy()))
            }
            _ => place.join(DRAFT),
        };
        remove(&draft)?;
        fs::create_dir(&draft)?;
        let replacement = Self { place: place.to_owned(), draft, is_mount_point };
        if is_mount_point {
            fs::create_dir(replacement.dir())?;
            fs::create_dir(replacement.old())?;
        }
        Ok(replacement)
    }

    /// The directory to be filled.
    pub(super) fn dir(&self) -> PathBuf {
        if self.is_mount_point { self.draft.join("new") } else { self.draft.clone() }
    }

    /// Where the old contents are after the swap.
    fn old(&self) -> PathBuf {
        if self.is_mount_point { self.draft.join("old") } else { self.draft.clone() }
    }

    /// Takes the place; done again, it gives it back.
    pub(super) fn swap(&self) -> io::Result<()> {
        if self.is_mount_point {
            return self.swap_entries();
        }
        let (draft, place) = (&self.draft, &self.place);
        match (draft.exists(), place.exists()) {
            (true, false) => fs::rename(draft, place)?,
            (false, _) => fs::rename(place, draft)?,
            (true, true) => {
                rustix::fs::renameat_with(CWD, draft, CWD, place, RenameFlags::EXCHANGE)?
            }
        }
        // The names are in the directory above.
        fs::File::open(place.parent().unwrap_or(place))?.sync_all()
    }

    fn swap_entries(&self) -> io::Result<()> {
        let (new, old) = (self.dir(), self.old());
        move_entries(&self.place, &old)?;
        if let Err(error) = move_entries(&new, &self.place) {
            // What can go back does; the error is told either way.
            move_entries(&old, &self.place)?;
            return Err(error);
        }
        fs::rename(&old, &new)?;
        fs::create_dir(&old)?;
        fs::File::open(&self.place)?.sync_all()
    }

    /// Deletes what is in the place now, to make room for what is to come.
    pub(super) fn discard_old(&self) -> io::Result<()> {
        for entry in entries(&self.place)? {
            remove(&entry)?;
        }
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // What stays is cleared by the next restore of the same directory.
        let _ = remove(&self.draft);
    }
}

/// Moves the entries of a directory into another; all of them, or none.
fn move_entries(from: &Path, to: &Path) -> io::Result<()> {
    let mut moved: Vec<(PathBuf, PathBuf)> = Vec::new();
    for entry in entries(from)? {
        let Some(name) = entry.file_name() else { continue };
        let target = to.join(name);
        if let Err(error) = fs::rename(&entry, &target) {
            for (entry, target) in moved {
                fs::rename(target, entry)?;
            }
            return Err(error);
        }
        moved.push((entry, target));
    }
    Ok(())
}

/// What is in a directory but for drafts and what belongs to the file system; nothing when there
/// is no directory.
fn entries(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_name() != DRAFT && entry.file_name() != "lost+found" {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Removes whatever is there.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(facts) if facts.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn is_mount_point(path: &Path) -> io::Result<bool> {
    match rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::empty()) {
        Ok(facts) => Ok(facts.stx_attributes.contains(rustix::fs::StatxAttributes::MOUNT_ROOT)),
        Err(rustix::io::Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stdout)]
    use super::*;
    use std::process::Command;

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Swaps, swaps back, and swaps for good, in a directory that holds `old`.
    fn exercise(place: &Path) {
        fs::write(place.join("old"), "").unwrap();
        let replacement = Replacement::begin(place).unwrap();
        fs::write(replacement.dir().join("new"), "").unwrap();
        for expected in ["new", "old", "new"] {
            replacement.swap().unwrap();
            assert!(place.join(expected).exists(), "{expected}");
            assert_eq!(place.join("new").exists(), expected == "new");
        }
        drop(replacement);
        assert_eq!(names(place), ["new"]);
        let dropped = Replacement::begin(place).unwrap();
        fs::write(dropped.dir().join("never"), "").unwrap();
        drop(dropped);
        assert_eq!(names(place), ["new"]);
    }

    #[test]
    fn a_directory_changes_places_and_back() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("data");
        fs::create_dir(&place).unwrap();
        exercise(&place);
        assert_eq!(names(dir.path()), ["data"]);
    }

    #[test]
    fn a_place_that_is_not_there_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("data");
        let replacement = Replacement::begin(&place).unwrap();
        fs::write(replacement.dir().join("new"), "").unwrap();
        replacement.swap().unwrap();
        drop(replacement);
        assert_eq!(names(&place), ["new"]);
    }

    #[test]
    fn the_contents_of_a_mount_point_change_places_and_back() {
        let dir = tempfile::tempdir().unwrap();
        let mount = Command::new("mount").args(["-t", "tmpfs", "none"]).arg(dir.path()).output();
        if !mount.is_ok_and(|output| output.status.success()) {
            println!("SKIPPED: mount points, because only root may mount a tmpfs");
            return;
        }
        let outcome = std::panic::catch_unwind(|| exercise(dir.path()));
        Command::new("umount").arg("-l").arg(dir.path()).output().unwrap();
        outcome.unwrap();
    }
}
