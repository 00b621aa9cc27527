//! Directories are read: what is in them is found, what is no longer is forgotten.
//!
//! A directory is watched before it is read, so that nothing slips in between; and read a little at
//! a time, so that events of others do not wait for a large one.

use std::{mem, mem::MaybeUninit, os::fd::OwnedFd};

use rustix::{
    fs::{AtFlags, CWD, FileType, RawDir},
    io::Errno,
};

use super::{
    News, Trouble, TroubleAt,
    act::as_path,
    tree::{DirectoryId, FileId},
    worker::Worker,
};
use crate::reach;

/// Bytes of directory entries that are read at once: some hundred of them.
const ENTRIES_BYTES: usize = 4 << 10;

/// A directory that is being read.
pub(super) struct Scan {
    pub(super) directory: DirectoryId,
    file: OwnedFd,
    number: u32,
}

/// Something in a directory.
struct Entry {
    name: Box<[u8]>,
    kind: FileType,
}

impl Worker {
    /// Reads on in a directory, or begins with the next; whether there was one.
    pub(super) fn scan_on(&mut self) -> bool {
        let Some(scan) = self.scan.take() else {
            let Some(next) = self.scans.pop_front() else { return false };
            self.begin_scan(next);
            return true;
        };
        let (entries, is_end) = read_some(&scan.file);
        for entry in &entries {
            self.seen(&scan, entry);
        }
        if is_end {
            self.sweep(&scan);
        } else if self.tree.directory(scan.directory).is_some() {
            self.scan = Some(scan);
        }
        true
    }

    fn begin_scan(&mut self, id: DirectoryId) {
        if !self.watch(id) {
            return;
        }
        let mut path = mem::take(&mut self.path);
        self.tree.write_path(id, &mut path);
        self.counters.scans += 1;
        self.scan_number = self.scan_number.wrapping_add(1);
        match reach::directory(&path) {
            Ok(file) => {
                self.scan = Some(Scan { directory: id, file, number: self.scan_number });
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => self.forget(id),
            Err(errno) => {
                let (path, why) = (as_path(&path).to_owned(), Trouble::from(errno));
                self.unwatched.insert(id, why);
                self.tell(&News::Failed(&TroubleAt { path, why }));
            }
        }
        self.path = path;
    }

    fn seen(&mut self, scan: &Scan, entry: &Entry) {
        let kind = match entry.kind {
            FileType::Unknown => self.kind_of(scan.directory, &entry.name),
            known => known,
        };
        match kind {
            FileType::Directory => self.discover(scan.directory, &entry.name),
            FileType::RegularFile => self.seen_file(scan.directory, entry),
            _ => {}
        }
    }

    /// Some file systems do not say it in the directory.
    fn kind_of(&self, directory: DirectoryId, name: &[u8]) -> FileType {
        let mut path = Vec::new();
        self.tree.write_path_of(directory, name, &mut path);
        let stat = rustix::fs::statat(CWD, &*path, AtFlags::SYMLINK_NOFOLLOW);
        stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
    }

    fn seen_file(&mut self, directory: DirectoryId, entry: &Entry) {
        let Some(place) = self.tree.directory(directory).map(|known| known.place) else { return };
        let mut path = mem::take(&mut self.path);
        self.tree.write_path_of(directory, &entry.name, &mut path);
        if let Some(rule) = self.places[place].decide(&path) {
            let expected = self.expect(directory, &entry.name, rule);
            self.due.extend(expected);
        } else {
            if let Some(id) = self.tree.find_file(directory, &entry.name) {
                // Other rules have come since.
                self.leave(id, true);
            }
            self.clear_stray(&path);
        }
        self.path = path;
    }

    /// Forgets what a directory no longer has.
    fn sweep(&mut self, scan: &Scan) {
        let Some(directory) = self.tree.directory(scan.directory) else { return };
        // What came by an event since the scan began bears its number, too.
        let is_old = |seen: u32| seen != scan.number;
        let files: Vec<FileId> = directory.files.values().copied().collect();
        let directories: Vec<DirectoryId> = directory.directories.values().copied().collect();
        for id in files {
            if self.tree.file(id).is_some_and(|file| is_old(file.seen)) {
                self.leave(id, true);
            }
        }
        for id in directories {
            if self.tree.directory(id).is_some_and(|directory| is_old(directory.seen)) {
                self.forget(id);
            }
        }
    }
}

/// Reads some entries; whether that was all. A directory that cannot be read further has no more.
fn read_some(directory: &OwnedFd) -> (Vec<Entry>, bool) {
    let mut buffer = [MaybeUninit::uninit(); ENTRIES_BYTES];
    let mut reader = RawDir::new(directory, &mut buffer);
    let mut entries = Vec::new();
    loop {
        let Some(Ok(entry)) = reader.next() else { return (entries, true) };
        let (name, kind) = (entry.file_name().to_bytes(), entry.file_type());
        if name != b"." && name != b".." {
            entries.push(Entry { name: name.into(), kind });
        }
        if reader.is_buffer_empty() {
            return (entries, false);
        }
    }
}
