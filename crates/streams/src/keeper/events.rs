//! What inotify tells, and what follows from it.
//!
//! Events are taken for hints: what is done is decided by what stands at the path now. That cannot
//! miss anything, since whatever changes after a look makes another event.

use rustix::fs::{
    AtFlags, CWD,
    inotify::{Event, ReadFlags},
};

use super::{
    News,
    act::as_path,
    tree::{DirectoryId, FileId},
    worker::Worker,
};
use crate::{Lifetime, reach::Inode};

/// What may stand in one event.
const GONE: ReadFlags =
    ReadFlags::DELETE_SELF.union(ReadFlags::MOVE_SELF).union(ReadFlags::UNMOUNT);

impl Worker {
    /// Reads events of the targets' directories once; whether there were any.
    pub(super) fn take_events(&mut self) -> bool {
        self.batch = self.batch.wrapping_add(1);
        self.watcher.clone().read(|event| self.on_event(event))
    }

    /// Reads what the sentries tell; whether it was anything.
    pub(super) fn take_names(&mut self) -> bool {
        let mut concerns = false;
        let came = self.sentries.clone().read(|event| {
            let name = event.file_name().map(std::ffi::CStr::to_bytes);
            concerns |= name.is_none_or(|name| self.places.iter().any(|p| p.goes_through(name)));
        });
        if concerns {
            (0..self.places.len()).for_each(|place| self.look(place));
        }
        came
    }

    /// Has directories read again where something was mounted or unmounted, which makes no event
    /// there; whether there were any.
    pub(super) fn take_mounts(&mut self) -> bool {
        let points = self.mounts.changes();
        if !points.is_empty() {
            (0..self.places.len()).for_each(|place| self.look(place));
        }
        for point in &points {
            let found = self.known_at(as_path(point));
            // Where a file is mounted over a file, the directory around them.
            let above = || self.known_at(as_path(point).parent()?);
            self.scans.extend(found.or_else(above));
        }
        !points.is_empty()
    }

    fn on_event(&mut self, event: &Event<'_>) {
        let kind = event.events();
        if kind.contains(ReadFlags::QUEUE_OVERFLOW) {
            self.counters.overflows += 1;
            self.tell(&News::Overflow);
            self.rescan();
            return;
        }
        let Some(&directory) = self.watches.get(&event.wd()) else { return };
        if kind.contains(ReadFlags::IGNORED) {
            return self.watch_ended(event.wd(), directory);
        }
        if kind.intersects(GONE) {
            return self.root_gone(directory);
        }
        let Some(name) = event.file_name().map(std::ffi::CStr::to_bytes) else { return };
        let is_here = kind.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO);
        let is_away = kind.intersects(ReadFlags::DELETE | ReadFlags::MOVED_FROM);
        match (kind.contains(ReadFlags::ISDIR), is_here, is_away) {
            (true, true, _) => self.discover(directory, name),
            (true, _, true) => {
                let known = self.tree.directory(directory);
                if let Some(id) = known.and_then(|known| known.directories.get(name)) {
                    self.forget(*id);
                }
            }
            (false, true, _) => self.meet(directory, name, kind.contains(ReadFlags::MOVED_TO)),
            (false, _, true) => {
                if let Some(id) = self.tree.find_file(directory, name) {
                    self.leave(id, kind.contains(ReadFlags::MOVED_FROM));
                }
            }
            (false, false, false) if kind.contains(ReadFlags::OPEN) => {
                if let Some(id) = self.tree.find_file(directory, name) {
                    self.opened(id);
                }
            }
            _ => {}
        }
    }

    /// A directory's watch is over: it was deleted, or its file system unmounted.
    fn watch_ended(&mut self, watch: i32, id: DirectoryId) {
        self.watches.remove(&watch);
        if let Some(directory) = self.tree.directory_mut(id) {
            directory.watch = None;
            self.scans.push_back(id);
        }
        self.root_gone(id);
    }

    /// If it is a target that is no longer in its place, it is looked for anew. Directories below
    /// are told of by those above them.
    fn root_gone(&mut self, id: DirectoryId) {
        let is_root = |place: &super::place::Place| place.root.as_ref().is_some_and(|r| r.id == id);
        if let Some(place) = self.places.iter().position(is_root) {
            self.drop_root(place);
            self.look(place);
        }
    }

    /// A directory is there that may be new. It is watched at once, and read soon.
    pub(super) fn discover(&mut self, above: DirectoryId, name: &[u8]) {
        if self.places.len() > 1 && self.is_target(above, name) {
            return;
        }
        let Some(id) = self.tree.enter(above, name) else { return };
        let number = self.scan_number;
        if let Some(directory) = self.tree.directory_mut(id) {
            directory.seen = number;
        }
        if self.watch(id) {
            self.scans.push_back(id);
        }
    }

    /// A file is there that may be new.
    fn meet(&mut self, directory: DirectoryId, name: &[u8], moved: bool) {
        match self.judge(directory, name) {
            Some(rule) => {
                if let Some(id) = self.expect(directory, name, rule) {
                    self.check(id);
                }
            }
            None if moved => {
                let mut path = std::mem::take(&mut self.path);
                self.tree.write_path_of(directory, name, &mut path);
                self.clear_stray(&path);
                self.path = path;
            }
            None => {}
        }
    }

    /// Takes the hint away from a file that no rule matches where it is now, if the keeper gave it.
    pub(super) fn clear_stray(&mut self, path: &[u8]) {
        if self.strays.is_empty() {
            return;
        }
        let stat = rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW);
        if stat.is_ok_and(|stat| self.strays.take(Inode::of(&stat))) {
            self.clear(path);
        }
    }

    /// What the rules say of a file, and in which line.
    fn judge(&mut self, directory: DirectoryId, name: &[u8]) -> Option<(Lifetime, u32)> {
        let place = self.tree.directory(directory)?.place;
        let mut path = std::mem::take(&mut self.path);
        self.tree.write_path_of(directory, name, &mut path);
        let decided = self.places[place].decide(&path);
        self.path = path;
        decided
    }

    /// Somebody has opened a file. Its inode may have been dropped and read again, and its hint be
    /// lost; unless it was ourselves, or it was looked at since.
    fn opened(&mut self, id: FileId) {
        let batch = self.batch;
        let Some(file) = self.tree.file_mut(id) else { return };
        if file.echo {
            file.echo = false;
        } else if file.batch != batch {
            self.check(id);
        }
    }
}
