//! Reaching a file by its path without harm: only regular files are opened, links are not followed,
//! and nothing blocks.

use std::{
    os::fd::OwnedFd,
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags},
    io::Errno,
};

/// What stands at a path.
pub(crate) enum Reached {
    /// A regular file, opened for reading.
    File {
        /// The descriptor.
        file: OwnedFd,
        /// Number of its inode.
        inode: u64,
    },
    /// A link, a directory, a pipe, a socket or a device: not opened.
    NoFile,
}

/// Set when the kernel (before 5.6, or a filter of system calls) has no `openat2`.
static PLAIN: AtomicBool = AtomicBool::new(false);

/// Opens the regular file at an absolute path that has no symbolic links in it.
///
/// It is looked at first, since opening a device can do things to it. Where a pipe takes the file's
/// place meanwhile, `NONBLOCK` keeps us from waiting for its writer.
pub(crate) fn file(path: &[u8]) -> Result<Reached, Errno> {
    let stat = rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(Reached::NoFile);
    }
    let file = open(path, OFlags::NONBLOCK | OFlags::NOCTTY)?;
    Ok(Reached::File { file, inode: stat.st_ino })
}

/// Opens the directory at such a path.
pub(crate) fn directory(path: &[u8]) -> Result<OwnedFd, Errno> {
    open(path, OFlags::DIRECTORY)
}

fn open(path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if !PLAIN.load(Ordering::Relaxed) {
        let resolve = ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(CWD, path, flags, Mode::empty(), resolve) {
            Err(Errno::NOSYS | Errno::PERM) => PLAIN.store(true, Ordering::Relaxed),
            opened => return opened,
        }
    }
    rustix::fs::openat(CWD, path, flags, Mode::empty())
}
