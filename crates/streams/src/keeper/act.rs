//! What is done to files and directories.

use std::{mem, os::unix::ffi::OsStrExt, path::Path};

use rustix::io::Errno;

use super::{
    News, Trouble, TroubleAt,
    tree::{DirectoryId, File, FileId},
    worker::Worker,
};
use crate::{
    Lifetime, hint,
    reach::{self, Inode, Reached},
};

/// What a look at a file came to.
enum Looked {
    /// It has the hint that it should have, and had this one before.
    Right { inode: Inode, before: Lifetime },
    /// It was reached, and something failed.
    Failed { inode: Option<Inode>, real: Option<Lifetime>, errno: i32 },
    /// No regular file is there.
    NoFile,
}

/// Gives a file its hint, if it has another.
fn look_at(reached: Result<Reached, Errno>, wanted: Lifetime) -> Looked {
    let (file, inode) = match reached {
        Ok(Reached::File { file, inode, .. }) => (file, inode),
        Ok(Reached::NoFile) | Err(Errno::NOENT | Errno::NOTDIR) => return Looked::NoFile,
        Err(errno) => {
            return Looked::Failed { inode: None, real: None, errno: errno.raw_os_error() };
        }
    };
    let inode_too = Some(inode);
    match hint::get(&file) {
        Ok(before) if before == wanted => Looked::Right { inode, before },
        Ok(before) => match hint::set(&file, wanted) {
            Ok(()) => Looked::Right { inode, before },
            Err(error) => {
                Looked::Failed { inode: inode_too, real: Some(before), errno: error.errno() }
            }
        },
        Err(error) => Looked::Failed { inode: inode_too, real: None, errno: error.errno() },
    }
}

/// Its hint is the keeper's doing.
fn is_ours(file: &File) -> bool {
    file.errno == 0 && file.real.is_some()
}

pub(super) fn as_path(bytes: &[u8]) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

impl Worker {
    /// A file of this name should have the hint of a rule, which stands in this line.
    pub(super) fn expect(
        &mut self,
        directory: DirectoryId,
        name: &[u8],
        rule: (Lifetime, u32),
    ) -> Option<FileId> {
        let id = self.tree.add_file(directory, name)?;
        let number = self.scan_number;
        let file = self.tree.file_mut(id)?;
        (file.wanted, file.line) = rule;
        file.seen = number;
        Some(id)
    }

    /// Looks at a file, and sets its hint if it is not as it should be.
    pub(super) fn check(&mut self, id: FileId) {
        let Some(file) = self.tree.file(id) else { return };
        let mut path = mem::take(&mut self.path);
        self.tree.write_path_of(file.directory, &file.name, &mut path);
        self.counters.checks += 1;
        let reached = reach::file(&path);
        let mut wanted = file.wanted;
        if let Ok(Reached::File { inode, names, .. }) = &reached {
            wanted = self.joined(id, *inode, *names).unwrap_or(wanted);
        }
        let looked = look_at(reached, wanted);
        self.note(id, &path, wanted, &looked);
        self.path = path;
    }

    fn note(&mut self, id: FileId, path: &[u8], wanted: Lifetime, looked: &Looked) {
        let Some(file) = self.tree.file_mut(id) else { return };
        let (inode, real, errno) = match looked {
            Looked::NoFile => return self.leave(id, true),
            Looked::Right { inode, .. } => (Some(*inode), Some(wanted), 0),
            Looked::Failed { inode, real, errno } => (*inode, *real, *errno),
        };
        let known_right = inode.is_some() && file.real == Some(wanted);
        let is_news = i32::from(file.errno) != errno;
        file.batch = self.batch;
        // Opening it makes an event that tells nothing new.
        file.echo = inode.is_some();
        file.real = real;
        file.errno = u8::try_from(errno).unwrap_or(u8::MAX);
        match looked {
            Looked::Right { before, .. } if *before != wanted => {
                let counter =
                    if known_right { &mut self.counters.set_again } else { &mut self.counters.set };
                *counter += 1;
                let path = as_path(path);
                self.tell(&News::Set { path, lifetime: wanted, again: known_right });
            }
            Looked::Failed { errno, .. } => {
                self.counters.failures += 1;
                if is_news {
                    let (path, why) = (as_path(path).to_owned(), Trouble(*errno));
                    self.tell(&News::Failed(&TroubleAt { path, why }));
                }
            }
            _ => {}
        }
        if let Some(inode) = inode
            && !self.strays.is_empty()
        {
            self.strays.take(inode);
        }
        if matches!(looked, Looked::Right { .. }) {
            self.shared(id, wanted);
        }
    }

    /// Takes a hint away that the keeper gave.
    pub(super) fn clear(&mut self, path: &[u8]) {
        if matches!(look_at(reach::file(path), Lifetime::NotSet), Looked::Right { before, .. }
            if before != Lifetime::NotSet)
        {
            self.counters.cleared += 1;
            self.tell(&News::Cleared { path: as_path(path) });
        }
    }

    /// A file is no longer where it was. Unless it is `elsewhere`, it is gone for good.
    pub(super) fn leave(&mut self, id: FileId, elsewhere: bool) {
        if let Some(file) = self.tree.remove_file(id)
            && !self.parted(file.inode, id)
            && elsewhere
            && is_ours(&file)
        {
            self.strays.insert(file.inode);
        }
    }

    /// Watches a directory, or finds that it is watched; whether it is there.
    pub(super) fn watch(&mut self, id: DirectoryId) -> bool {
        let Some(directory) = self.tree.directory(id) else { return false };
        let before = directory.watch;
        let mut path = mem::take(&mut self.path);
        self.tree.write_path(id, &mut path);
        let is_full = before.is_none() && self.watches.len() >= self.options.watches_max;
        let added = if is_full { Err(Errno::NOSPC) } else { self.watcher.add(&path) };
        let is_there = match added {
            Ok(watch) => {
                self.now_watched(id, before, watch);
                true
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => false,
            Err(errno) => {
                let why = Trouble::from(errno);
                if self.unwatched.insert(id, why) != Some(why) {
                    self.tell(&News::Failed(&TroubleAt { path: as_path(&path).to_owned(), why }));
                }
                true
            }
        };
        self.path = path;
        if !is_there {
            self.forget(id);
        }
        is_there
    }

    fn now_watched(&mut self, id: DirectoryId, before: Option<i32>, watch: i32) {
        self.unwatched.remove(&id);
        if before == Some(watch) {
            return;
        }
        if let Some(before) = before
            && self.watches.get(&before) == Some(&id)
        {
            self.watches.remove(&before);
            self.watcher.remove(before);
        }
        if let Some(directory) = self.tree.directory_mut(id) {
            directory.watch = Some(watch);
        }
        if let Some(other) = self.watches.insert(watch, id)
            && other != id
            && let Some(directory) = self.tree.directory_mut(other)
        {
            // The same directory by another path. Most often it has just been renamed, and the
            // event that says so waits; but it may be mounted in two places.
            directory.watch = None;
            self.unwatched.insert(other, Trouble(libc::EBUSY));
        }
    }

    /// Forgets a directory with all that is in it. It may have been moved, and turn up again.
    pub(super) fn forget(&mut self, id: DirectoryId) {
        let Self { tree, watches, watcher, unwatched, strays, links, due, scan, .. } = self;
        tree.remove_directory(
            id,
            |id, directory| {
                unwatched.remove(&id);
                if let Some(watch) = directory.watch
                    && watches.get(&watch) == Some(&id)
                {
                    watches.remove(&watch);
                    watcher.remove(watch);
                }
                scan.take_if(|scan| scan.directory == id);
            },
            |id, file| {
                let others = links.part(file.inode, id);
                if others.is_empty() && is_ours(file) {
                    strays.insert(file.inode);
                }
                due.extend(others);
            },
        );
    }
}
