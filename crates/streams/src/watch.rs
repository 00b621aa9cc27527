//! Watches on directories, by inotify.

use std::{
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::Arc,
};

use rustix::{
    fs::inotify::{self, CreateFlags, Event, Reader, WatchFlags},
    io::Errno,
};

/// Bytes of events that are read at once: some five hundred of them.
const BUFFER_BYTES: usize = 16 << 10;

/// An inotify instance.
#[derive(Clone)]
pub(crate) struct Watcher {
    file: Arc<OwnedFd>,
    flags: WatchFlags,
}

impl Watcher {
    /// One that tells of everything that is created, opened, moved or removed in its directories.
    /// Who opens a file may bring back an inode that was dropped, and its hint with it.
    pub(crate) fn of_trees() -> Result<Self, Errno> {
        Self::new(WatchFlags::OPEN | WatchFlags::MOVED_FROM | WatchFlags::DONT_FOLLOW)
    }

    /// One that tells when a name appears or vanishes in its directories.
    pub(crate) fn of_names() -> Result<Self, Errno> {
        Self::new(WatchFlags::MOVED_FROM)
    }

    fn new(more: WatchFlags) -> Result<Self, Errno> {
        let file = Arc::new(inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?);
        let flags = WatchFlags::CREATE
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::EXCL_UNLINK
            | more;
        Ok(Self { file, flags })
    }

    /// Watches a directory; the number is the inode's, whatever path leads to it.
    pub(crate) fn add(&self, path: &[u8]) -> Result<i32, Errno> {
        inotify::add_watch(&*self.file, path, self.flags)
    }

    /// Watches it no longer. That it is gone already is fine.
    pub(crate) fn remove(&self, watch: i32) {
        let _gone = inotify::remove_watch(&*self.file, watch);
    }

    /// Reads once and hands on what came; whether anything did.
    pub(crate) fn read(&self, mut each: impl FnMut(&Event<'_>)) -> bool {
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = Reader::new(&*self.file, &mut buffer);
        let mut came = false;
        while let Ok(event) = reader.next() {
            came = true;
            each(&event);
            if reader.is_buffer_empty() {
                break;
            }
        }
        came
    }
}

impl AsFd for Watcher {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
