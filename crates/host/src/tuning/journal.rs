//! The journal: what was changed from what, on disk before anything is changed.
//!
//! A file of lines, each a JSON object: a head, then an intent for each value before it is
//! written, and a mark for each value that was. A process may die between any two bytes of it: what
//! is not a whole line was not acted upon. The head tells the boot that the values belong to, for
//! they are gone with it.

use super::place::Place;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The form of the file.
const SCHEMA: &str = "myrig.host-journal/1";
const NAME: &str = "journal.jsonl";
const LOCK: &str = "lock";

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The machine is tuned.
    #[error(
        "the machine is tuned already, by `{profile}` since {begun_at}: `myrig host revert` puts \
         it back ({})", path.display()
    )]
    Open {
        /// The journal.
        path: PathBuf,
        /// What it was tuned by.
        profile: String,
        /// When, as the head tells.
        begun_at: String,
    },
    /// Somebody else is changing the machine.
    #[error("another command is changing this machine: {} is held", path.display())]
    Held {
        /// The lock.
        path: PathBuf,
    },
    /// It belongs to another tree.
    #[error(
        "{} is of the machine at {theirs}, not of {ours}: name that --root, or another --home",
        path.display()
    )]
    OtherMachine {
        /// The journal.
        path: PathBuf,
        /// The root that it tells.
        theirs: String,
        /// The root that is worked on.
        ours: String,
    },
    /// It holds what was never written by us.
    #[error(
        "{}: line {line} cannot be read: {why}. What the machine was like before stands in it as \
         `old`; put it back by hand, then remove the file", path.display()
    )]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// It cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What a journal is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    schema: String,
    /// The boot of the machine, `/proc/sys/kernel/random/boot_id`; empty where it does not tell.
    pub boot_id: String,
    /// The root of the machine's tree.
    pub root: String,
    /// The profile's name.
    pub profile: String,
    /// When it was begun, UTC, RFC 3339.
    pub begun_at: String,
}

/// A value that is, or was about to be, changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The setting.
    pub key: String,
    /// Where.
    pub place: Place,
    /// The value before.
    pub old: String,
    /// The value that was wanted.
    pub wanted: String,
    /// True once the value was written and read back.
    #[serde(skip)]
    pub done: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Head(Head),
    Intent(Entry),
    /// The value of the entry of that number was written.
    Done(usize),
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    head: Head,
    entries: Vec<Entry>,
}

/// The right to change the machine, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    _lock: File,
}

impl Turn {
    /// Takes the right that the directory of a journal stands for, making the directory.
    ///
    /// # Errors
    /// Somebody else has it, or the directory cannot be written to.
    pub fn take(directory: &Path) -> Result<Self, JournalError> {
        let path = directory.join(LOCK);
        let failed = |source| JournalError::Io { path: path.clone(), source };
        fs::create_dir_all(directory).map_err(failed)?;
        let lock = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { _lock: lock }),
            Err(fs::TryLockError::WouldBlock) => Err(JournalError::Held { path }),
            Err(fs::TryLockError::Error(source)) => Err(JournalError::Io { path, source }),
        }
    }
}

impl Head {
    /// The head of a journal of the machine at `root`.
    pub fn new(root: &crate::Root, profile: &str, begun_at: &str) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            boot_id: boot_id(root),
            root: root.path("").display().to_string(),
            profile: profile.to_owned(),
            begun_at: begun_at.to_owned(),
        }
    }

    /// Whether the machine at `root` was booted since, so that the values are gone.
    pub fn is_stale(&self, root: &crate::Root) -> bool {
        let now = boot_id(root);
        !now.is_empty() && !self.boot_id.is_empty() && now != self.boot_id
    }
}

fn boot_id(root: &crate::Root) -> String {
    root.text("proc/sys/kernel/random/boot_id").unwrap_or_default()
}

impl Journal {
    /// Begins a journal in a directory. It is on disk, with its directory, when this returns.
    ///
    /// # Errors
    /// One is open there, or the directory cannot be written to.
    pub fn begin(directory: &Path, head: Head) -> Result<Self, JournalError> {
        let path = directory.join(NAME);
        if let Some(open) = Self::open(directory)? {
            let Head { profile, begun_at, .. } = open.head;
            return Err(JournalError::Open { path, profile, begun_at });
        }
        let failed = |source| JournalError::Io { path: path.clone(), source };
        fs::create_dir_all(directory).map_err(failed)?;
        let file = OpenOptions::new().append(true).create(true).open(&path).map_err(failed)?;
        file.set_len(0).map_err(failed)?;
        let mut journal =
            Self { path: path.clone(), file, head: head.clone(), entries: Vec::new() };
        journal.append(&[Line::Head(head)])?;
        journal.sync()?;
        File::open(directory).and_then(|it| it.sync_all()).map_err(failed)?;
        Ok(journal)
    }

    /// Opens the journal of a directory; none where there is none, or one that nothing was begun
    /// with. What a dying process left of a last line is cut off.
    ///
    /// # Errors
    /// It cannot be read, or holds what was never written by us.
    pub fn open(directory: &Path) -> Result<Option<Self>, JournalError> {
        let path = directory.join(NAME);
        let failed = |source| JournalError::Io { path: path.clone(), source };
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let damaged = |line, why: String| JournalError::Damaged { path: path.clone(), line, why };
        let (mut head, mut entries) = (None, Vec::<Entry>::new());
        for (text, number) in bytes[..whole].split_inclusive(|byte| *byte == b'\n').zip(1..) {
            let line =
                serde_json::from_slice(text).map_err(|it| damaged(number, it.to_string()))?;
            match line {
                Line::Head(found) if number == 1 && found.schema == SCHEMA => head = Some(found),
                Line::Intent(entry) if head.is_some() => entries.push(entry),
                Line::Done(at) if at < entries.len() => entries[at].done = true,
                _ => return Err(damaged(number, "it does not belong there".to_owned())),
            }
        }
        let Some(head) = head else { return Ok(None) };
        let file = OpenOptions::new().append(true).open(&path).map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        Ok(Some(Self { path: path.clone(), file, head, entries }))
    }

    /// What it is about.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The values, in the order in which they were changed.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Makes sure that it belongs to the machine at `root`.
    ///
    /// # Errors
    /// It belongs to another.
    pub fn is_of(&self, root: &crate::Root) -> Result<(), JournalError> {
        let ours = root.path("").display().to_string();
        match self.head.root == ours {
            true => Ok(()),
            false => Err(JournalError::OtherMachine {
                path: self.path.clone(),
                theirs: self.head.root.clone(),
                ours,
            }),
        }
    }

    /// Notes what is about to be changed; it is on disk when this returns.
    ///
    /// # Errors
    /// It cannot be written: nothing may be changed then.
    pub fn intend(&mut self, entries: Vec<Entry>) -> Result<(), JournalError> {
        let lines: Vec<Line> = entries.iter().cloned().map(Line::Intent).collect();
        self.append(&lines)?;
        self.entries.extend(entries);
        self.sync()
    }

    /// Notes that the entry of that number was changed. The mark need not be on disk, nor come
    /// there at all: without it any value that is found there counts as ours.
    pub fn done(&mut self, at: usize) {
        self.entries[at].done = true;
        let _lost = self.append(&[Line::Done(at)]);
    }

    /// Removes it: everything is as it was, or is left so on purpose.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn close(self) -> Result<(), JournalError> {
        fs::remove_file(&self.path).map_err(|source| JournalError::Io { path: self.path, source })
    }

    fn append(&mut self, lines: &[Line]) -> Result<(), JournalError> {
        let mut text = Vec::new();
        let written = lines.iter().try_for_each(|line| {
            serde_json::to_writer(&mut text, line)?;
            text.write_all(b"\n")
        });
        let failed = |source| JournalError::Io { path: self.path.clone(), source };
        written.map_err(failed)?;
        let length = self.file.metadata().map_err(failed)?.len();
        self.file.write_all(&text).map_err(|error| {
            // A full disk may have taken a part, which the next line must not be glued to.
            let _kept = self.file.set_len(length);
            failed(error)
        })
    }

    fn sync(&self) -> Result<(), JournalError> {
        let synced = self.file.sync_all();
        synced.map_err(|source| JournalError::Io { path: self.path.clone(), source })
    }
}
