//! Targets: whether they are where they should be.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

use super::{News, Trouble, act::as_path, options::Target, tree::DirectoryId, worker::Worker};
use crate::{Lifetime, Rules};

/// A target and what is known of it.
pub(super) struct Place {
    /// As it was given.
    pub(super) dir: PathBuf,
    pub(super) rules: Rules,
    /// Its directory, if it is there.
    pub(super) root: Option<Root>,
    /// Why it is not.
    pub(super) missing: Option<Trouble>,
    /// The sentry that tells of its name, or of one above that is missing.
    sentry: Option<i32>,
}

/// The directory of a target.
pub(super) struct Root {
    pub(super) id: DirectoryId,
    found: Found,
}

/// A directory as it was found.
#[derive(PartialEq, Eq)]
struct Found {
    /// Its path, with symbolic links resolved.
    path: PathBuf,
    device: u64,
    inode: u64,
}

fn find(dir: &Path) -> Result<Found, Trouble> {
    let trouble = |error: io::Error| Trouble(error.raw_os_error().unwrap_or(libc::EIO));
    let path = fs::canonicalize(dir).map_err(trouble)?;
    let metadata = fs::metadata(&path).map_err(trouble)?;
    if !metadata.is_dir() {
        return Err(Trouble(libc::ENOTDIR));
    }
    Ok(Found { path, device: metadata.dev(), inode: metadata.ino() })
}

impl Place {
    pub(super) fn new(target: Target) -> Self {
        let Target { dir, rules } = target;
        Self { dir, rules, root: None, missing: None, sentry: None }
    }

    /// The directory's path with symbolic links resolved, if it is there.
    pub(super) fn real(&self) -> Option<&Path> {
        self.root.as_ref().map(|root| &*root.found.path)
    }

    /// What its rules say of a file, and in which line.
    pub(super) fn decide(&self, path: &[u8]) -> Option<(Lifetime, u32)> {
        let rule = self.rules.decide(path)?;
        Some((rule.lifetime, u32::try_from(rule.line).unwrap_or(u32::MAX)))
    }

    /// Whether a name is one on the way to it.
    pub(super) fn goes_through(&self, name: &[u8]) -> bool {
        self.dir.iter().any(|part| part.as_bytes() == name)
    }
}

impl Worker {
    /// Whether a name in a directory is a target of its own.
    pub(super) fn is_target(&self, directory: DirectoryId, name: &[u8]) -> bool {
        let mut path = Vec::new();
        self.tree.write_path_of(directory, name, &mut path);
        let path = as_path(&path);
        self.places.iter().any(|place| place.dir == path || place.real() == Some(path))
    }

    /// Looks where a target is, and begins anew with it if it is not what it was.
    pub(super) fn look(&mut self, at: usize) {
        // First the sentry: what appears after the look then tells of itself.
        self.post_sentry(at);
        let place = &mut self.places[at];
        match (find(&place.dir), &place.root) {
            (Ok(found), Some(root)) if root.found == found => {}
            (Ok(found), _) => {
                place.missing = None;
                self.drop_root(at);
                self.take_root(at, found);
            }
            (Err(why), None) if place.missing == Some(why) => {}
            (Err(why), _) => {
                place.missing = Some(why);
                self.drop_root(at);
                self.tell(&News::Lost { dir: &self.places[at].dir, why });
            }
        }
    }

    fn take_root(&mut self, at: usize, found: Found) {
        self.leave_to_itself(&found.path);
        let id = self.tree.add_root(found.path.as_os_str().as_bytes(), at);
        self.places[at].root = Some(Root { id, found });
        self.counters.found += 1;
        if self.watch(id) {
            self.scans.push_back(id);
            self.tell(&News::Found { dir: &self.places[at].dir });
        } else {
            // It vanished this moment.
            self.places[at].root = None;
        }
    }

    /// A directory becomes a target of its own: the one around it forgets it.
    fn leave_to_itself(&mut self, path: &Path) {
        for at in 0..self.places.len() {
            let Some(root) = &self.places[at].root else { continue };
            if let Some(inner) = self.known_below(root, path)
                && inner != root.id
            {
                self.forget(inner);
            }
        }
    }

    /// The directory of a path, if it is known.
    pub(super) fn known_at(&self, path: &Path) -> Option<DirectoryId> {
        self.places.iter().find_map(|place| self.known_below(place.root.as_ref()?, path))
    }

    fn known_below(&self, root: &Root, path: &Path) -> Option<DirectoryId> {
        let step = |id: DirectoryId, name: &OsStr| {
            self.tree.directory(id)?.directories.get(name.as_bytes()).copied()
        };
        path.strip_prefix(&root.found.path).ok()?.iter().try_fold(root.id, step)
    }

    /// Forgets a target's directory, not the target.
    pub(super) fn drop_root(&mut self, at: usize) {
        if let Some(root) = self.places[at].root.take() {
            self.forget(root.id);
        }
    }

    /// Has the next directory above a target that is there tell of the name below it.
    fn post_sentry(&mut self, at: usize) {
        let above = self.places[at].dir.ancestors().skip(1);
        let posted = above.map(|dir| self.sentries.add(dir.as_os_str().as_bytes()));
        let sentry = posted.flatten().next();
        let before = std::mem::replace(&mut self.places[at].sentry, sentry);
        if let Some(before) = before
            && !self.places.iter().any(|place| place.sentry == Some(before))
        {
            self.sentries.remove(before);
        }
    }
}
