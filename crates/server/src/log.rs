//! The end of a server's log, and what it says about a failure.

use std::{
    fmt,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// Lines of log that an error shows.
const LINES: usize = 20;

/// As much of the log's end as can hold them.
const BYTES: u64 = 16 * 1024;

/// The last lines of a log, ready to follow an error's sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogTail {
    lines: Vec<String>,
}

impl LogTail {
    /// The last lines written at or after byte `from`; empty where the file cannot be read,
    /// since it only ever adds to another error.
    pub(crate) fn read(path: &Path, from: u64) -> Self {
        Self::try_read(path, from).unwrap_or_default()
    }

    fn try_read(path: &Path, from: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let start = from.max(file.metadata()?.len().saturating_sub(BYTES));
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(BYTES).read_to_end(&mut bytes)?;
        Ok(Self::from_text(&String::from_utf8_lossy(&bytes)))
    }

    /// The last lines of a text.
    pub(crate) fn from_text(text: &str) -> Self {
        let mut lines: Vec<_> = text.lines().rev().take(LINES).map(str::to_owned).collect();
        lines.reverse();
        Self { lines }
    }

    /// The same lines with a secret blotted out, in case a server quoted the statement it choked
    /// on.
    pub(crate) fn without(self, secret: &client::Secret) -> Self {
        let blot = |line: String| line.replace(secret.expose(), "***");
        Self { lines: self.lines.into_iter().map(blot).collect() }
    }

    /// The lines themselves.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The known failure that the lines tell of.
    pub(crate) fn cause(&self) -> Option<Cause> {
        self.lines.iter().find_map(|line| Cause::of(line))
    }
}

impl fmt::Display for LogTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lines.is_empty() {
            return Ok(());
        }
        f.write_str("; the end of its log:")?;
        self.lines.iter().try_for_each(|line| write!(f, "\n    {line}"))
    }
}

/// A failure that servers report in words of their own and that a person can mend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Somebody else listens there.
    PortInUse,
    /// A file could not grow.
    DiskFull,
}

impl Cause {
    /// The wordings are those of MySQL 5.7 to 9.7 and MariaDB 10.3 to 11.
    fn of(line: &str) -> Option<Self> {
        let line = line.to_ascii_lowercase();
        if line.contains("bind on tcp/ip port") && line.contains("address already in use") {
            return Some(Self::PortInUse);
        }
        let full = [
            "no space left on device",
            "out of disk space",
            "disk is full",
            "disk full",
            "disk got full",
            "failed with error 28",
            "errcode: 28",
            "errno: 28",
        ];
        full.iter().any(|words| line.contains(words)).then_some(Self::DiskFull)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_the_last_lines_after_the_mark_are_shown() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let old = "an older start\n";
        let new: String = (0..50).map(|i| format!("line {i}\n")).collect();
        std::fs::write(&path, format!("{old}{new}")).unwrap();
        let tail = LogTail::read(&path, old.len() as u64);
        assert_eq!(tail.lines().len(), LINES);
        assert_eq!(tail.lines()[0], "line 30");
        assert_eq!(tail.lines()[LINES - 1], "line 49");

        std::fs::write(&path, format!("{old}only this\n")).unwrap();
        let tail = LogTail::read(&path, old.len() as u64);
        assert_eq!(tail.to_string(), "; the end of its log:\n    only this");
    }

    #[test]
    fn a_log_that_is_not_there_adds_nothing() {
        assert_eq!(LogTail::read(Path::new("/nonexistent/log"), 0).to_string(), "");
    }

    #[test]
    fn a_secret_quoted_by_the_server_is_blotted_out() {
        let tail = LogTail::from_text("syntax error near 'S3cret' at line 1");
        let shown = tail.without(&client::Secret::new("S3cret")).to_string();
        assert!(shown.contains("near '***'"), "{shown}");
    }

    #[test]
    fn the_servers_words_for_a_taken_port_and_a_full_disk_are_known() {
        for (line, cause) in [
            (
                "2026-11-21 0 [ERROR] Can't start server: Bind on TCP/IP port. Got error: 98: \
                 Address already in use",
                Some(Cause::PortInUse),
            ),
            (
                "[ERROR] [MY-010262] [Server] Can't start server: Bind on TCP/IP port: \
                 Address already in use",
                Some(Cause::PortInUse),
            ),
            ("[ERROR] Error writing file './a' (Errcode: 28 \"No space\")", Some(Cause::DiskFull)),
            ("[ERROR] mariadbd: Disk is full writing './x'", Some(Cause::DiskFull)),
            (
                "[ERROR] InnoDB: preallocating 33554432 bytes for file ./ib_logfile101 failed \
                 with error 28",
                Some(Cause::DiskFull),
            ),
            (
                "[ERROR] InnoDB: Could not set the file size of './ibtmp1'. \
                 Probably out of disk space",
                Some(Cause::DiskFull),
            ),
            (
                "[ERROR] [MY-012640] [InnoDB] Error number 28 means 'No space left on device'",
                Some(Cause::DiskFull),
            ),
            ("[ERROR] Can't start server : Bind on unix socket: Address already in use", None),
            ("[Note] ready for connections.", None),
        ] {
            assert_eq!(Cause::of(line), cause, "{line}");
        }
    }
}
