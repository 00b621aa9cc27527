//! The file that makes a daemon the only one: locked by it for as long as it runs, and with its
//! number inside.
//!
//! The lock is the truth, since the kernel takes it back however a process ends; the number only
//! says who holds it. It stands there with the process's start, so that a number that was left by
//! a killed daemon and has been given anew is never taken for the daemon.

use crate::{failure::Failure, live::Writer};
use anyhow::Context;
use rustix::fs::{FlockOperation, flock};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How long a daemon may take between its lock and its number.
const NUMBER_WITHIN: Duration = Duration::from_secs(2);

/// The lock, held. Dropping it removes the file and gives it back.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock, over whatever an earlier daemon has left, and writes the caller's number.
    ///
    /// # Errors
    /// Another process has it, or the file cannot be written.
    pub(super) fn take(path: &Path) -> Result<Self, Failure> {
        let at = || format!("--pid-file {}", path.display());
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false).mode(0o644);
            let mut file = options.open(path).with_context(at)?;
            if !locked(&file).with_context(at)? {
                return Err(refusal(holder(path).ok().flatten(), path));
            }
            // Whoever ended meanwhile may have removed the file that we have locked.
            if !is_at(&file, path) {
                continue;
            }
            let Writer { pid, pid_start } = Writer::this_process();
            file.set_len(0).with_context(at)?;
            file.write_all(format!("{pid}\n{pid_start}\n").as_bytes()).with_context(at)?;
            return Ok(Self { path: path.to_owned(), _file: file });
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still ours: nobody else's file can be meant.
        let _left = fs::remove_file(&self.path);
    }
}

/// The daemon of a place; none where none runs, whatever the file says.
///
/// # Errors
/// The file cannot be read, or whoever holds it does not say who it is.
pub(super) fn holder(path: &Path) -> io::Result<Option<Writer>> {
    let begun = Instant::now();
    loop {
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        // To look without holding it up, a lock that many may have; it goes with `file`.
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => return Ok(None),
            Err(rustix::io::Errno::WOULDBLOCK) => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(writer) = parse(&fs::read_to_string(path).unwrap_or_default())
            && writer.is_alive()
        {
            return Ok(Some(writer));
        }
        if begun.elapsed() > NUMBER_WITHIN {
            return Err(io::Error::other("a process holds the lock that does not say its number"));
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Why there is no second daemon at a place.
pub(super) fn refusal(holder: Option<Writer>, path: &Path) -> Failure {
    let number = holder.map(|holder| format!(" as process {}", holder.pid)).unwrap_or_default();
    let path = path.display();
    Failure::from(anyhow::anyhow!(
        "a daemon runs already{number}, with the lock {path}: end it with `myrig streams stop`, \
         or give this one another --pid-file"
    ))
}

fn parse(text: &str) -> Option<Writer> {
    let mut lines = text.lines();
    let pid = lines.next()?.parse().ok()?;
    Some(Writer { pid, pid_start: lines.next()?.parse().ok()? })
}

/// Tries for a moment: who only looks has a lock, too, and gives it back at once.
fn locked(file: &File) -> io::Result<bool> {
    for _ in 0..20 {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(rustix::io::Errno::WOULDBLOCK) => thread::sleep(Duration::from_millis(5)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

fn is_at(file: &File, path: &Path) -> bool {
    let identity = |facts: fs::Metadata| (facts.dev(), facts.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(ours), Ok(there)) => identity(ours) == identity(there),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_holder_is_told_and_its_end_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pid");
        assert_eq!(holder(&path).unwrap(), None);
        let lock = Lock::take(&path).unwrap();
        assert_eq!(holder(&path).unwrap(), Some(Writer::this_process()));
        let second = Lock::take(&path).unwrap_err().to_string();
        let words = format!("as process {}", std::process::id());
        assert!(second.contains(&words) && second.contains("myrig streams stop"), "{second}");
        drop(lock);
        assert!(!path.exists());
        assert_eq!(holder(&path).unwrap(), None);
    }

    #[test]
    fn what_a_killed_daemon_left_is_nobody_and_is_taken_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pid");
        for left in ["", "1\n", "1\n1\n", "no number\n\n\n", "99999999999999999999\n1"] {
            fs::write(&path, left).unwrap();
            assert_eq!(holder(&path).unwrap(), None, "{left:?}");
            let lock = Lock::take(&path).unwrap();
            assert_eq!(holder(&path).unwrap(), Some(Writer::this_process()), "{left:?}");
            drop(lock);
        }
    }

    #[test]
    fn a_place_that_cannot_be_written_is_told_by_its_option() {
        let error = Lock::take(Path::new("/no/such/dir/a.pid")).unwrap_err().to_string();
        assert!(error.starts_with("--pid-file /no/such/dir/a.pid: "), "{error}");
    }
}
