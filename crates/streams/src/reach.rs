//! Reaching a file by its path without harm: only regular files are opened, links are not followed,
//! and nothing blocks.

use std::{
    os::fd::OwnedFd,
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat},
    io::Errno,
};

/// What stands at a path.
pub(crate) enum Reached {
    /// A regular file, opened for reading.
    File {
        /// The descriptor.
        file: OwnedFd,
        /// Its inode.
        inode: Inode,
        /// How many names that has in all.
        names: u64,
    },
    /// A link, a directory, a pipe, a socket or a device: not opened.
    NoFile,
}

/// An inode. Its number is that of its file system alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Inode {
    device: u64,
    number: u64,
}

impl Inode {
    /// The one that this was told of.
    // Types differ between architectures.
    #[allow(clippy::unnecessary_cast)]
    pub(crate) fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev as u64, number: stat.st_ino as u64 }
    }
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
    // Its type differs between architectures.
    #[allow(clippy::unnecessary_cast)]
    let names = stat.st_nlink as u64;
    Ok(Reached::File { file, inode: Inode::of(&stat), names })
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
