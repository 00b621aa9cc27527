//! The daemon's own log file: bounded, and opened anew when it is told to.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// Bytes of a log before it makes room for the next: some fifty thousand lines. By default it lies
/// in `/run`, which is memory.
const LOG_BYTES_MAX: u64 = 4 << 20;

/// A log that never takes more than twice its bound: when it has come to that, it is renamed, over
/// the one before it, and begun anew.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    bytes_max: u64,
}

impl LogFile {
    /// Goes on with the file, or begins it; for its owner alone.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let (file, bytes) = appended(path)?;
        Ok(Self { path: path.to_owned(), file, bytes, bytes_max: LOG_BYTES_MAX })
    }

    /// Goes on with whatever has its name now, as when another program has renamed it. Where that
    /// cannot be opened, it goes on with what it has.
    ///
    /// # Errors
    /// The file of that name cannot be written.
    pub(super) fn reopen(&mut self) -> io::Result<()> {
        (self.file, self.bytes) = appended(&self.path)?;
        Ok(())
    }

    /// Writes a line.
    ///
    /// # Errors
    /// The disk is full, or the like.
    pub(super) fn line(&mut self, words: &str) -> io::Result<()> {
        let line = format!("{words}\n");
        if self.bytes > 0 && self.bytes + line.len() as u64 > self.bytes_max {
            self.make_room()?;
        }
        self.bytes += line.len() as u64;
        self.file.write_all(line.as_bytes())
    }

    fn make_room(&mut self) -> io::Result<()> {
        let mut old = self.path.clone().into_os_string();
        old.push(".old");
        if fs::rename(&self.path, old).is_err() {
            // In a directory that may not be written the earlier lines are given up.
            self.file.set_len(0)?;
        }
        self.reopen()
    }
}

fn appended(path: &Path) -> io::Result<(File, u64)> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    let bytes = file.metadata()?.len();
    Ok((file, bytes))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn small(path: &Path) -> LogFile {
        LogFile { bytes_max: 100, ..LogFile::open(path).unwrap() }
    }

    #[test]
    fn however_much_is_said_it_takes_no_more_than_twice_its_bound() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.log");
        let mut log = small(&path);
        for number in 0..1000 {
            log.line(&format!("line {number:4}")).unwrap();
            let entries = fs::read_dir(dir.path()).unwrap();
            let bytes: u64 = entries.map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
            assert!(bytes <= 200, "{bytes} after {number}");
        }
        let [now, old] = ["a.log", "a.log.old"].map(|name| dir.path().join(name));
        let lines = fs::read_to_string(old).unwrap() + &fs::read_to_string(&now).unwrap();
        assert!(lines.ends_with("line  998\nline  999\n"), "{lines}");
        drop(log);
        // What was there before counts, too.
        let mut again = small(&now);
        again.line(&"x".repeat(90)).unwrap();
        assert_eq!(fs::read_to_string(&now).unwrap().len(), 91);
        again.line(&"y".repeat(300)).unwrap();
        assert_eq!(fs::read_to_string(&now).unwrap().len(), 301, "a line is never cut");
    }

    #[test]
    fn after_a_rename_it_goes_on_under_its_name_when_it_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let [path, moved] = ["a.log", "a.log.1"].map(|name| dir.path().join(name));
        let mut log = LogFile::open(&path).unwrap();
        log.line("one").unwrap();
        fs::rename(&path, &moved).unwrap();
        log.line("two").unwrap();
        log.reopen().unwrap();
        log.line("three").unwrap();
        assert_eq!(fs::read_to_string(&moved).unwrap(), "one\ntwo\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "three\n");
        // A name that cannot be opened leaves it where it was.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(log.reopen().is_err());
        log.line("four").unwrap();
    }
}
