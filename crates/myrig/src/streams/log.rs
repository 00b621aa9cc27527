//! What the daemon says: lines for a person, for the journal, or for syslog. What goes wrong again
//! and again in the same words is counted, not repeated.

use super::{log_file::LogFile, repeats::Repeats};
use crate::args::LogLevelArg as Level;
use report::text::printable;
use std::{
    env,
    io::{self, Write},
    os::unix::net::UnixDatagram,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Instant, SystemTime},
};

/// Where syslog takes messages.
const SYSLOG: &str = "/dev/log";

/// Facility `user` of syslog(3).
const FACILITY_USER: u8 = 1 << 3;

/// Where lines go, and which.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    level: Level,
    sink: Arc<Sink>,
    repeats: Arc<Mutex<Repeats>>,
}

/// Where lines go.
#[derive(Debug)]
enum Sink {
    /// Standard error, with the time.
    Lines,
    /// A file of the daemon's own, with the time.
    File(Mutex<LogFile>),
    /// Standard error as the journal reads it: with the weight, without the time.
    Journal,
    /// The system's log, under the names that astream has there.
    Syslog(Option<UnixDatagram>),
}

impl Log {
    /// Lines from `level` on, to standard error.
    pub(super) fn to_stderr(level: Level) -> Self {
        let is_journal = env::var_os("JOURNAL_STREAM").is_some();
        Self::to(if is_journal { Sink::Journal } else { Sink::Lines }, level)
    }

    /// The same, to the system's log.
    pub(super) fn to_syslog(level: Level) -> Self {
        Self::to(Sink::Syslog(connected(Path::new(SYSLOG)).ok()), level)
    }

    /// The same, to a file.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn to_file(level: Level, path: &Path) -> io::Result<Self> {
        Ok(Self::to(Sink::File(Mutex::new(LogFile::open(path)?)), level))
    }

    fn to(sink: Sink, level: Level) -> Self {
        Self { level, sink: Arc::new(sink), repeats: Arc::default() }
    }

    /// Goes on in the file that has the log's name now.
    pub(super) fn reopen(&self) {
        let Sink::File(file) = &*self.sink else { return };
        let reopened = file.lock().unwrap_or_else(PoisonError::into_inner).reopen();
        if let Err(error) = reopened {
            self.error(&format!(
                "the log cannot be opened anew, and goes on where it was: {error}"
            ));
        }
    }

    pub(crate) fn debug(&self, words: &str) {
        self.line(Level::Debug, words);
    }

    pub(crate) fn info(&self, words: &str) {
        self.line(Level::Info, words);
    }

    pub(crate) fn warn(&self, words: &str) {
        self.line(Level::Warn, words);
    }

    pub(crate) fn error(&self, words: &str) {
        self.line(Level::Error, words);
    }

    fn line(&self, level: Level, words: &str) {
        if level < self.level {
            return;
        }
        // Files may be called anything, and a log is read on terminals.
        let mut words = printable(words);
        if level >= Level::Warn {
            let mut repeats = self.repeats.lock().unwrap_or_else(PoisonError::into_inner);
            match repeats.pass(&words, Instant::now()) {
                None => return,
                Some(0) => {}
                Some(more) => words += &format!(" ({more} times more since this was last said)"),
            }
        }
        // A log that is full or gone is no reason to leave files without hints.
        let _unheard = match &*self.sink {
            Sink::Lines => writeln!(io::stderr().lock(), "{}", timed(level, &words)),
            Sink::File(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.line(&timed(level, &words))
            }
            Sink::Journal => writeln!(io::stderr().lock(), "<{}>{words}", weight(level)),
            Sink::Syslog(Some(socket)) => socket.send(syslog(level, &words).as_bytes()).map(drop),
            Sink::Syslog(None) => Ok(()),
        };
    }
}

fn connected(path: &Path) -> io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    socket.connect(path)?;
    Ok(socket)
}

fn name(level: Level) -> &'static str {
    match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    }
}

/// Severity of syslog(3).
fn weight(level: Level) -> u8 {
    match level {
        Level::Debug => 7,
        Level::Info => 6,
        Level::Warn => 4,
        Level::Error => 3,
    }
}

fn timed(level: Level, words: &str) -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now());
    format!("{now} {:5} {words}", name(level))
}

fn syslog(level: Level, words: &str) -> String {
    let pid = std::process::id();
    format!("<{}>[astream_{}][{pid}]: {words}", FACILITY_USER + weight(level), name(level))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn syslog_hears_what_weighs_enough_with_its_weight() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let heard = UnixDatagram::bind(&path).unwrap();
        let log = Log::to(Sink::Syslog(connected(&path).ok()), Level::Warn);
        log.debug("a");
        log.info("b");
        for _ in 0..1000 {
            log.warn("two\nlines");
        }
        log.error("c");
        let next = || {
            let mut message = [0; 200];
            let length = heard.recv(&mut message).unwrap();
            String::from_utf8_lossy(&message[..length]).into_owned()
        };
        let pid = std::process::id();
        assert_eq!(next(), format!("<12>[astream_warn][{pid}]: two lines"));
        assert_eq!(next(), format!("<11>[astream_error][{pid}]: c"));
    }

    #[test]
    fn a_line_has_its_time_and_its_weight() {
        let line = timed(Level::Info, "watching /a");
        assert!(line.contains("Z info  watching /a"), "{line}");
    }
}
