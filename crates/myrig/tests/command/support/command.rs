//! Running the command, with an eye on the clock.

use super::until;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    io::Read,
    process::{Child, Command, Stdio},
    thread::{self, JoinHandle},
};

/// The command at work. Killed when it is dropped.
pub(crate) struct Running {
    child: Child,
    line: String,
    out: Option<JoinHandle<String>>,
    err: Option<JoinHandle<String>>,
}

/// The command when it has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What was typed.
    line: String,
    /// Exit status; none when a signal ended it.
    pub(crate) status: Option<i32>,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Running {
    pub(crate) fn start(mut command: Command, line: &str) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = child.stdout.take().map(collect);
        let err = child.stderr.take().map(collect);
        Self { child, line: line.to_owned(), out, err }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.pid().try_into().unwrap()).unwrap();
        // It may have ended by itself: what it did then is what the test asks about.
        let _gone = kill_process(pid, signal);
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub(crate) fn wait(mut self) -> Ended {
        let line = self.line.clone();
        until(&format!("`myrig {line}` ends"), || self.has_ended());
        let status = self.child.wait().unwrap().code();
        let text = |reader: Option<JoinHandle<String>>| reader.unwrap().join().unwrap();
        Ended { line, status, out: text(self.out.take()), err: text(self.err.take()) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Most have ended by now.
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

impl Ended {
    /// The same, after making sure of the exit status.
    pub(crate) fn ends(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self}");
        self
    }

    /// The same, after making sure that all went well.
    pub(crate) fn good(self) -> Self {
        self.ends(0)
    }

    /// Makes sure that standard error says all of `words`, and that nothing panicked.
    pub(crate) fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.err.contains(word), "`{word}` is not in: {self}");
        }
        assert!(!self.err.contains("panicked"), "{self}");
        self
    }

    /// Standard output as one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, status, out, err } = self;
        let out: String = out.chars().take(4000).collect();
        write!(f, "`myrig {line}` ended with {status:?}\n{out}\n{err}")
    }
}

/// A reader of its own for each pipe, so that neither fills up; it ends with its last writer, so
/// that a process that is left behind with our pipes shows, too.
fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
