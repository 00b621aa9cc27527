//! Which names are the same file: an inode has one hint, whatever its names' rules want.
//!
//! The name decides that lies in the directory that was given first; in one directory, the name
//! whose rule comes first in the rule file. Who has decided once decides as long as the rules and
//! the names are these, in whatever order the names are looked at.

use std::collections::{HashMap, HashSet};

use super::{News, act::as_path, tree::FileId, worker::Worker};
use crate::{Lifetime, reach::Inode};

/// Known names by their inodes.
#[derive(Default)]
pub(super) struct Links {
    /// Inodes with one known name: nearly all.
    one: HashMap<Inode, FileId>,
    several: HashMap<Inode, Vec<FileId>>,
    /// Of those, the ones whose names' rules disagree, which was told.
    told: HashSet<Inode>,
}

impl Links {
    /// The inode has this name, too.
    fn join(&mut self, inode: Inode, id: FileId) {
        if let Some(names) = self.several.get_mut(&inode) {
            if !names.contains(&id) {
                names.push(id);
            }
        } else if let Some(other) = self.one.insert(inode, id)
            && other != id
        {
            self.one.remove(&inode);
            self.several.insert(inode, vec![other, id]);
        }
    }

    /// The inode has this name no longer; which others it has.
    pub(super) fn part(&mut self, inode: Inode, id: FileId) -> Vec<FileId> {
        if self.one.get(&inode) == Some(&id) {
            self.one.remove(&inode);
            if self.one.is_empty() && self.several.is_empty() {
                // As when a target vanishes: give the memory back.
                *self = Self::default();
            }
        }
        let Some(names) = self.several.get_mut(&inode) else { return Vec::new() };
        names.retain(|name| *name != id);
        let left = names.clone();
        if let [last] = left[..] {
            self.several.remove(&inode);
            self.told.remove(&inode);
            self.one.insert(inode, last);
        }
        left
    }

    fn names(&self, inode: Inode) -> &[FileId] {
        self.several.get(&inode).map_or(&[], |names| names)
    }
}

impl Worker {
    /// A file was found to have this inode, with so many names in all. What it should have: what
    /// its rule says, or that of another name.
    pub(super) fn joined(&mut self, id: FileId, inode: Inode, names: u64) -> Option<Lifetime> {
        let file = self.tree.file_mut(id)?;
        let (own, before) = (file.wanted, file.inode);
        file.inode = inode;
        if before != inode {
            // Nothing is known of this one yet.
            file.real = None;
            self.parted(before, id);
            self.links.join(inode, id);
        }
        // With one name in all the others are known no longer: they are about to be forgotten.
        let decider = if names > 1 { self.decider(self.links.names(inode)) } else { None };
        decider.and_then(|decider| Some(self.tree.file(decider)?.wanted)).or(Some(own))
    }

    /// A name is no longer this inode's. Its other names are looked at anew, since another of them
    /// may decide now; whether there are any.
    pub(super) fn parted(&mut self, inode: Inode, id: FileId) -> bool {
        let others = self.links.part(inode, id);
        let has_others = !others.is_empty();
        self.due.extend(others);
        has_others
    }

    /// Which of a file's names decides; none of none.
    fn decider(&self, names: &[FileId]) -> Option<FileId> {
        let rank = |id: &FileId| {
            let file = self.tree.file(*id)?;
            Some((self.tree.directory(file.directory)?.place, file.line, *id))
        };
        names
            .iter()
            .filter_map(rank)
            .min_by_key(|(place, line, _)| (*place, *line))
            .map(|(.., id)| id)
    }

    /// The file's inode has this hint now: so have its other names, and if their rules want
    /// another, that is told once.
    pub(super) fn shared(&mut self, id: FileId, real: Lifetime) {
        let Some(inode) = self.tree.file(id).map(|file| file.inode) else { return };
        let names = self.links.names(inode).to_vec();
        let mut unheard = None;
        for name in &names {
            let Some(file) = self.tree.file_mut(*name) else { continue };
            file.real = Some(real);
            if file.wanted != real {
                unheard = Some(*name);
            }
        }
        match (unheard, self.decider(&names)) {
            (Some(unheard), Some(decider)) if self.links.told.insert(inode) => {
                self.tell_conflict(decider, unheard);
            }
            (None, _) => {
                self.links.told.remove(&inode);
            }
            _ => {}
        }
    }

    fn tell_conflict(&self, decider: FileId, unheard: FileId) {
        let (mut path, mut other) = (Vec::new(), Vec::new());
        let written = |id, path: &mut Vec<u8>| {
            let file = self.tree.file(id)?;
            self.tree.write_path_of(file.directory, &file.name, path);
            Some(file.wanted)
        };
        let heard = written(decider, &mut path).zip(written(unheard, &mut other));
        if let Some((lifetime, unheard)) = heard {
            let (path, other) = (as_path(&path), as_path(&other));
            self.tell(&News::Conflict { path, lifetime, other, unheard });
        }
    }

    /// Names whose rule is not heard, each with the one that decides for it.
    pub(super) fn overruled(&self) -> HashMap<FileId, FileId> {
        let mut overruled = HashMap::new();
        for names in self.links.several.values() {
            let Some(decider) = self.decider(names) else { continue };
            let wanted = |id: FileId| self.tree.file(id).map(|file| file.wanted);
            let unheard = names.iter().filter(|name| wanted(**name) != wanted(decider));
            overruled.extend(unheard.map(|name| (*name, decider)));
        }
        overruled
    }
}
