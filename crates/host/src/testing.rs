//! What the tests of this crate share: made trees, and a shell that only pretends.

#![allow(clippy::unwrap_used)]

use crate::{
    Root,
    tuning::{Answer, Queues, Shell},
};
use std::{cell::RefCell, collections::BTreeMap, fs, io};

/// A tree of files, thrown away with the first of the two.
pub(crate) fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().unwrap();
    let root = Root::at(dir.path());
    add(&root, files);
    (dir, root)
}

/// Writes files into a tree.
pub(crate) fn add(root: &Root, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Services and cards that a test has made up.
#[derive(Default)]
pub(crate) struct FakeShell {
    pub(crate) services: RefCell<BTreeMap<String, bool>>,
    pub(crate) cards: RefCell<BTreeMap<String, Queues>>,
}

impl Shell for FakeShell {
    fn service(&self, name: &str) -> Answer<bool> {
        let running = self.services.borrow().get(name).copied();
        running.map_or_else(|| Answer::Absent("not installed".into()), Answer::Is)
    }

    fn set_service(&self, name: &str, running: bool) -> io::Result<()> {
        *self.services.borrow_mut().get_mut(name).unwrap() = running;
        Ok(())
    }

    fn queues(&self, nic: &str) -> Answer<Queues> {
        let queues = self.cards.borrow().get(nic).copied();
        queues.map_or_else(|| Answer::Absent("no ethtool".into()), Answer::Is)
    }

    fn set_queues(&self, nic: &str, combined: u32) -> io::Result<()> {
        self.cards.borrow_mut().get_mut(nic).unwrap().now = combined;
        Ok(())
    }

    fn may_change(&self) -> bool {
        true
    }
}
