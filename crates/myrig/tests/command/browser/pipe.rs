//! Questions and answers: JSON, each ended by a zero byte.

use crate::support::DEADLINE;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, channel},
    thread,
};

pub(super) struct Pipe {
    to: File,
    from: Receiver<Value>,
    asked: u64,
    /// What happened meanwhile.
    pub(super) events: Vec<Value>,
}

impl Pipe {
    /// Makes two named pipes.
    pub(super) fn places(dir: &Path) -> (PathBuf, PathBuf) {
        let places = ["pipe-to", "pipe-from"].map(|name| dir.join(name));
        for place in &places {
            mknodat(CWD, place, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        }
        let [to, from] = places;
        (to, from)
    }

    /// Opens them, in the order in which the shell does.
    pub(super) fn open(to: &Path, from: &Path) -> Self {
        let to = OpenOptions::new().write(true).open(to).unwrap();
        let mut reader = BufReader::new(File::open(from).unwrap());
        let (send, receive) = channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            while reader.read_until(0, &mut bytes).is_ok_and(|count| count > 0) {
                bytes.pop();
                let value = serde_json::from_slice(&bytes).unwrap();
                bytes.clear();
                if send.send(value).is_err() {
                    return;
                }
            }
        });
        Self { to, from: receive, asked: 0, events: Vec::new() }
    }

    /// Sends a message that nobody waits for an answer to.
    pub(super) fn tell(&mut self, method: &str, parameters: &Value) {
        self.send(None, method, parameters);
    }

    fn send(&mut self, session: Option<&str>, method: &str, parameters: &Value) -> u64 {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method });
        if !parameters.is_null() {
            message["params"] = parameters.clone();
        }
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        // A browser that has gone is seen by the answer that does not come.
        let _gone = self.to.write_all(&bytes);
        self.asked
    }

    /// Asks, and waits for the answer.
    pub(super) fn ask(&mut self, session: Option<&str>, method: &str, parameters: &Value) -> Value {
        let answer = self.try_asking(session, method, parameters);
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The same; what the browser would not do is an error.
    pub(super) fn try_asking(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: &Value,
    ) -> Result<Value, Value> {
        let id = self.send(session, method, parameters);
        loop {
            let message = self.from.recv_timeout(DEADLINE);
            let message = message.unwrap_or_else(|error| panic!("{method}: {error}"));
            if message["id"] == id {
                return match &message["error"] {
                    Value::Null => Ok(message["result"].clone()),
                    error => Err(error.clone()),
                };
            }
            self.events.push(message);
        }
    }
}
