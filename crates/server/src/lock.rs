//! One command at a time on an instance.
//!
//! The lock is the kernel's, on the instance's `lock` file, so that it ends with its holder. What
//! the file says (verb, process) is for the error of whoever comes second.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
};

use crate::{
    error::Error,
    process::{Identity, ProcessTable},
};

/// Who holds a lock, as its file tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) verb: String,
    pub(crate) process: Identity,
}

impl Holder {
    /// The living holder of a lock. Does not touch the lock: looking must disturb nobody.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let holder = Self::parse(&std::fs::read_to_string(path).ok()?)?;
        ProcessTable::real().is_alive(holder.process).then_some(holder)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let verb = words.next()?.to_owned();
        let (pid, start_ticks) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Self { verb, process: Identity { pid, start_ticks } })
    }
}

/// A lock held until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Locks the file for `verb`, at once or not at all. `name` is what the error calls it.
    ///
    /// # Errors
    /// [`Error::Busy`] when another command holds it, [`Error::Io`] otherwise; with kind
    /// `NotFound` when the file is not there or no longer is.
    pub(crate) fn take(path: &Path, name: &str, verb: &str) -> Result<Self, Error> {
        let refuse = |source| Error::io("lock", path, source);
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(refuse)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy(path, name)),
            Err(TryLockError::Error(source)) => return Err(refuse(source)),
        }
        // The file may have been moved or removed between its opening and its locking.
        if !is_still_at(&file, path).map_err(refuse)? {
            return Err(refuse(io::ErrorKind::NotFound.into()));
        }
        sign(&mut file, verb).map_err(refuse)?;
        Ok(Self { file })
    }

    /// Makes the file and locks it.
    pub(crate) fn create(path: &Path, name: &str, verb: &str) -> Result<Self, Error> {
        let mut options = OpenOptions::new();
        let made = options.create(true).truncate(false).write(true).mode(0o600).open(path);
        made.map_err(|source| Error::io("create", path, source))?;
        Self::take(path, name, verb)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The words must not outlive the lock. A full disk cannot stop a file from shrinking, and
        // a stale word is recognised by its process, so that nothing is lost if this fails.
        let _ = self.file.set_len(0);
        // Closing the file would do, were there no other thread starting a program right now: its
        // child has a copy of the file until it executes the program, and the lock with it.
        let _ = self.file.unlock();
    }
}

fn sign(file: &mut File, verb: &str) -> io::Result<()> {
    let pid = std::process::id();
    let ticks = ProcessTable::real().identity(pid).map_or(0, |me| me.start_ticks);
    file.set_len(0)?;
    write!(file, "{verb} {pid} {ticks}")
}

fn is_still_at(file: &File, path: &Path) -> io::Result<bool> {
    let (held, there) = (file.metadata()?, std::fs::metadata(path)?);
    Ok((held.dev(), held.ino()) == (there.dev(), there.ino()))
}

fn busy(path: &Path, name: &str) -> Error {
    let (verb, pid) = match Holder::of(path) {
        Some(holder) => (holder.verb, holder.process.pid.to_string()),
        None => ("another command".to_owned(), "?".to_owned()),
    };
    Error::Busy { name: name.to_owned(), verb, pid }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_second_command_is_refused_and_told_who_was_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let first = Lock::create(&path, "a", "start").unwrap();
        assert_eq!(Holder::of(&path).unwrap().verb, "start");
        let error = Lock::take(&path, "a", "stop").unwrap_err().to_string();
        let pid = std::process::id().to_string();
        assert!(error.contains("`start`") && error.contains(&pid), "{error}");
        drop(first);
        assert_eq!(Holder::of(&path), None);
        Lock::take(&path, "a", "stop").unwrap();
    }

    #[test]
    fn the_words_of_a_dead_holder_name_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        for words in ["start 4000000000 1", "start 1 0", "", "start", "start x y"] {
            std::fs::write(&path, words).unwrap();
            assert_eq!(Holder::of(&path), None, "{words}");
            Lock::take(&path, "a", "stop").unwrap();
        }
    }

    #[test]
    fn a_lock_file_that_is_gone_is_not_made_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        assert!(matches!(Lock::take(&path, "a", "stop").unwrap_err(), Error::Io { .. }));
        assert!(!path.exists());
    }
}
