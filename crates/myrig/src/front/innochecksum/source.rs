//! Where pages come from: a file under its lock, or standard input.

use super::tablespace::LEAST_BYTES;
use rustix::fs::{FlockOperation, SeekFrom, fcntl_lock};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    os::unix::fs::{FileExt, FileTypeExt},
};

/// A file or standard input, read from one place on.
#[derive(Debug)]
pub(super) struct Source {
    /// None is standard input.
    file: Option<File>,
    /// Where the next read begins, in bytes.
    position: u64,
    /// What was read of standard input and is to be read again.
    ahead: Vec<u8>,
    /// The size of the file; 0 of standard input, whose size nobody knows.
    pub(super) bytes: u64,
}

/// Why a file cannot be had.
#[derive(Debug)]
pub(super) enum Refusal {
    /// There is none of that name.
    Missing,
    /// It cannot be opened, or another process holds it: the system's words.
    Locked(String),
    /// It is a pipe: nobody can go back in it, and whoever opens it may wait for ever.
    Unseekable,
}

impl Source {
    pub(super) fn stdin() -> Self {
        Self { file: None, position: 0, ahead: Vec::new(), bytes: 0 }
    }

    /// Opens a file and takes its lock, as the stock tools do: a server that has it open holds
    /// the same lock for itself alone, so that nobody looks at pages that change.
    pub(super) fn open(name: &str, write: bool) -> Result<Self, Refusal> {
        let Ok(found) = std::fs::metadata(name) else { return Err(Refusal::Missing) };
        if found.file_type().is_fifo() {
            return Err(Refusal::Unseekable);
        }
        let file = OpenOptions::new().read(true).write(write).open(name);
        // The stock tools lock what they could not open, and say what the kernel says of that.
        let Ok(file) = file else { return Err(Refusal::Locked("Bad file descriptor".to_owned())) };
        let operation = match write {
            true => FlockOperation::NonBlockingLockExclusive,
            false => FlockOperation::NonBlockingLockShared,
        };
        match fcntl_lock(&file, operation) {
            Ok(()) => {}
            Err(error) => return Err(Refusal::Locked(words(&error.into()))),
        }
        let bytes = found.len();
        Ok(Self { file: Some(file), position: 0, ahead: Vec::new(), bytes })
    }

    pub(super) fn is_stdin(&self) -> bool {
        self.file.is_none()
    }

    /// The file, for whoever writes into it.
    pub(super) fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// Where the next read begins, in bytes.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Goes to a place in a file.
    ///
    /// # Errors
    /// The place is beyond what the file system can hold.
    pub(super) fn seek(&mut self, position: u64) -> io::Result<()> {
        if let Some(file) = &self.file {
            rustix::fs::seek(file, SeekFrom::Start(position))?;
        }
        self.position = position;
        self.ahead.clear();
        Ok(())
    }

    /// The first bytes, at most `most` of them, which stay to be read. Reading less than what
    /// there is says nothing of why, as `fread` does not.
    pub(super) fn head(&mut self, most: usize) -> Vec<u8> {
        let mut head = vec![0; most.max(LEAST_BYTES)];
        let (read, _) = self.read(&mut head);
        head.truncate(read);
        self.position -= read as u64;
        if self.file.is_none() {
            self.ahead.clone_from(&head);
        }
        head
    }

    /// Gives back what was read last, to be read again.
    pub(super) fn unread(&mut self, bytes: &[u8]) {
        self.position -= bytes.len() as u64;
        if self.file.is_none() {
            self.ahead.splice(..0, bytes.iter().copied());
        }
    }

    /// Fills `buffer` as far as there is something, and says how far, and why not further.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
        let mut filled = self.ahead.len().min(buffer.len());
        buffer[..filled].copy_from_slice(&self.ahead[..filled]);
        self.ahead.drain(..filled);
        let mut failed = None;
        while filled < buffer.len() {
            let rest = &mut buffer[filled..];
            let read = match &self.file {
                Some(file) => file.read_at(rest, self.position + filled as u64),
                None => io::stdin().lock().read(rest),
            };
            match read {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        self.position += filled as u64;
        (filled, failed)
    }
}

/// What the system says of an error, without the number that Rust adds.
pub(super) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}
