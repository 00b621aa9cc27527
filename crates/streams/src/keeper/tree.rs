//! The directories and files that a keeper knows, by small numbers.

use std::{collections::HashMap, sync::Arc};

use crate::{Lifetime, reach::Inode};

/// Number of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct DirectoryId(u32);

/// Number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileId(u32);

/// A directory. Names are shared with the parent's map.
pub(super) struct Directory {
    pub(super) name: Arc<[u8]>,
    pub(super) parent: Option<DirectoryId>,
    /// Which target it belongs to.
    pub(super) place: usize,
    /// Its watch, if it has one.
    pub(super) watch: Option<i32>,
    /// The last scan that saw it.
    pub(super) seen: u32,
    pub(super) directories: HashMap<Arc<[u8]>, DirectoryId>,
    pub(super) files: HashMap<Arc<[u8]>, FileId>,
}

/// A file that a rule matches.
pub(super) struct File {
    pub(super) name: Arc<[u8]>,
    /// Its inode when it was last opened; before, none that there is.
    pub(super) inode: Inode,
    pub(super) directory: DirectoryId,
    /// The last scan that saw it.
    pub(super) seen: u32,
    /// The last batch of events after whose reading it was looked at.
    pub(super) batch: u32,
    /// What the rule wants that matches its name, and the line of that rule.
    pub(super) wanted: Lifetime,
    pub(super) line: u32,
    /// What its inode said last.
    pub(super) real: Option<Lifetime>,
    /// We have opened it, and inotify has not told us so yet.
    pub(super) echo: bool,
    /// Why the last look failed; 0 if it did not.
    pub(super) errno: u8,
}

/// Things by number; numbers are given again.
struct Slab<T> {
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    fn insert(&mut self, thing: T) -> u32 {
        if let Some(number) = self.free.pop() {
            self.slots[number as usize] = Some(thing);
            return number;
        }
        self.slots.push(Some(thing));
        // Four thousand million files take more memory than there is.
        (self.slots.len() - 1) as u32
    }

    fn remove(&mut self, number: u32) -> Option<T> {
        let thing = self.slots.get_mut(number as usize)?.take()?;
        self.free.push(number);
        if self.free.len() == self.slots.len() {
            // All gone, as when a target vanishes: give the memory back.
            *self = Self::default();
        }
        Some(thing)
    }

    fn get(&self, number: u32) -> Option<&T> {
        self.slots.get(number as usize)?.as_ref()
    }

    fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.slots.get_mut(number as usize)?.as_mut()
    }

    fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

/// All of them.
#[derive(Default)]
pub(super) struct Tree {
    directories: Slab<Directory>,
    files: Slab<File>,
}

impl Tree {
    pub(super) fn directory(&self, id: DirectoryId) -> Option<&Directory> {
        self.directories.get(id.0)
    }

    pub(super) fn directory_mut(&mut self, id: DirectoryId) -> Option<&mut Directory> {
        self.directories.get_mut(id.0)
    }

    pub(super) fn file(&self, id: FileId) -> Option<&File> {
        self.files.get(id.0)
    }

    pub(super) fn file_mut(&mut self, id: FileId) -> Option<&mut File> {
        self.files.get_mut(id.0)
    }

    pub(super) fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The file after number `at` in a round over all of them; none if there are no files.
    pub(super) fn next_file(&self, at: &mut u32) -> Option<FileId> {
        for _ in 0..self.files.slots.len() {
            *at = if (*at as usize) < self.files.slots.len() { *at } else { 0 };
            let id = FileId(*at);
            *at += 1;
            if self.file(id).is_some() {
                return Some(id);
            }
        }
        None
    }

    /// All directories.
    pub(super) fn directories(&self) -> impl Iterator<Item = (DirectoryId, &Directory)> {
        let slots = (0..).zip(&self.directories.slots);
        slots.filter_map(|(number, slot)| Some((DirectoryId(number), slot.as_ref()?)))
    }

    /// All files.
    pub(super) fn files(&self) -> impl Iterator<Item = (FileId, &File)> {
        let slots = (0..).zip(&self.files.slots);
        slots.filter_map(|(number, slot)| Some((FileId(number), slot.as_ref()?)))
    }

    /// The directory of a target.
    pub(super) fn add_root(&mut self, path: &[u8], place: usize) -> DirectoryId {
        self.insert_directory(path.into(), None, place)
    }

    /// The directory of a name in another; made if it is not known. None if the other is not.
    pub(super) fn enter(&mut self, parent: DirectoryId, name: &[u8]) -> Option<DirectoryId> {
        let above = self.directory(parent)?;
        if let Some(&id) = above.directories.get(name) {
            return Some(id);
        }
        let (name, place) = (Arc::<[u8]>::from(name), above.place);
        let id = self.insert_directory(name.clone(), Some(parent), place);
        self.directory_mut(parent)?.directories.insert(name, id);
        Some(id)
    }

    fn insert_directory(
        &mut self,
        name: Arc<[u8]>,
        parent: Option<DirectoryId>,
        place: usize,
    ) -> DirectoryId {
        let (directories, files) = (HashMap::new(), HashMap::new());
        let directory = Directory { name, parent, place, watch: None, seen: 0, directories, files };
        DirectoryId(self.directories.insert(directory))
    }

    /// The file of a name in a directory; made if it is not known. None if the directory is not.
    pub(super) fn add_file(&mut self, directory: DirectoryId, name: &[u8]) -> Option<FileId> {
        if let Some(&id) = self.directory(directory)?.files.get(name) {
            return Some(id);
        }
        let name = Arc::<[u8]>::from(name);
        let id = FileId(self.files.insert(File {
            name: name.clone(),
            inode: Inode::default(),
            directory,
            seen: 0,
            batch: 0,
            wanted: Lifetime::NotSet,
            line: 0,
            real: None,
            echo: false,
            errno: 0,
        }));
        self.directory_mut(directory)?.files.insert(name, id);
        Some(id)
    }

    /// The file of a name, if it is known.
    pub(super) fn find_file(&self, directory: DirectoryId, name: &[u8]) -> Option<FileId> {
        self.directory(directory)?.files.get(name).copied()
    }

    pub(super) fn remove_file(&mut self, id: FileId) -> Option<File> {
        let file = self.files.remove(id.0)?;
        if let Some(directory) = self.directory_mut(file.directory) {
            directory.files.remove(&file.name);
        }
        Some(file)
    }

    /// Forgets a directory with all that is in it, and hands each directory and file over.
    pub(super) fn remove_directory(
        &mut self,
        id: DirectoryId,
        mut directory_gone: impl FnMut(DirectoryId, &Directory),
        mut file_gone: impl FnMut(FileId, &File),
    ) {
        let parent = self.directory(id).and_then(|directory| directory.parent);
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            let Some(directory) = self.directories.remove(id.0) else { continue };
            pending.extend(directory.directories.values());
            for file in directory.files.values() {
                if let Some(gone) = self.files.remove(file.0) {
                    file_gone(*file, &gone);
                }
            }
            directory_gone(id, &directory);
            if directory.parent == parent
                && let Some(above) = parent.and_then(|parent| self.directory_mut(parent))
            {
                above.directories.remove(&directory.name);
            }
        }
    }

    /// Writes the absolute path of a directory; empty if it is not known.
    pub(super) fn write_path(&self, id: DirectoryId, path: &mut Vec<u8>) {
        let mut names = Vec::with_capacity(8);
        let mut at = Some(id);
        while let Some(directory) = at.and_then(|id| self.directory(id)) {
            names.push(&directory.name);
            at = directory.parent;
        }
        path.clear();
        for name in names.into_iter().rev() {
            if !path.is_empty() && path.last() != Some(&b'/') {
                path.push(b'/');
            }
            path.extend_from_slice(name);
        }
    }

    /// Writes the absolute path of a name in a directory.
    pub(super) fn write_path_of(&self, id: DirectoryId, name: &[u8], path: &mut Vec<u8>) {
        self.write_path(id, path);
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        path.extend_from_slice(name);
    }
}
