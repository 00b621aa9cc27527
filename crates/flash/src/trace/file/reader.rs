//! Traces are read, without trust.

use super::{
    Header, MAGIC, Trailer, events,
    frame::{self, Fault, Tag},
    names,
    survey::survey,
};
use crate::trace::{
    Event,
    names::{FileMap, Resolver},
};
use std::io::{self, Read};

/// Why a trace cannot be read on. What was read before is sound.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is something else.
    #[error("not a trace of myrig's (`myrig ssd trace -o FILE` makes one)")]
    NotATrace,
    /// A later version of myrig made it.
    #[error("a trace in format {0}, which this version of myrig does not know")]
    Version(char),
    /// It ends too early.
    #[error(
        "cut off at byte {offset}: {events} events come before, and how many were lost is not known"
    )]
    Cut {
        /// Where the last whole frame ends.
        offset: u64,
        /// Events before that.
        events: u64,
    },
    /// Bytes are not as they were written.
    #[error("damaged at byte {offset}: {what}; {events} events come before")]
    Damaged {
        /// Where the damaged frame begins.
        offset: u64,
        /// What is wrong.
        what: &'static str,
        /// Events before it.
        events: u64,
    },
    /// The system does not read it.
    #[error("byte {offset}: {source}")]
    Io {
        /// Where.
        offset: u64,
        /// What the system said.
        source: io::Error,
    },
}

/// Reads a trace from its beginning to its end.
#[derive(Debug)]
pub struct Reader<R: Read> {
    from: R,
    header: Header,
    trailer: Option<Trailer>,
    names: Resolver,
    payload: Vec<u8>,
    /// Where the next frame begins.
    offset: u64,
    events: u64,
    latest_ns: u64,
}

pub(super) enum Step {
    Events,
    File(FileMap),
    End,
}

impl<R: Read> Reader<R> {
    /// Reads the header. `from` is best buffered.
    ///
    /// # Errors
    /// It is no trace, or its header is damaged.
    pub fn new(mut from: R) -> Result<Self, FileError> {
        let mut magic = [0; MAGIC.len()];
        from.read_exact(&mut magic).map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => FileError::NotATrace,
            _ => FileError::Io { offset: 0, source },
        })?;
        let version = char::from(magic[7]);
        if magic[..7] != MAGIC[..7] {
            return Err(FileError::NotATrace);
        } else if magic[7] != MAGIC[7] {
            return Err(FileError::Version(version));
        }
        let nothing = Header {
            device: String::new(),
            device_bytes: 0,
            started_unix_ns: 0,
            started_ns: 0,
            carries_hints: false,
        };
        let mut reader = Self {
            from,
            header: nothing,
            trailer: None,
            names: Resolver::default(),
            payload: Vec::new(),
            offset: MAGIC.len() as u64,
            events: 0,
            latest_ns: 0,
        };
        let tag = reader.frame()?;
        let header = names::read_header(&reader.payload).filter(|_| tag == Tag::Header);
        reader.header = header.ok_or_else(|| reader.damaged("no header"))?;
        reader.step_over();
        Ok(reader)
    }

    /// What the trace is of.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whose sectors are, as far as it is known at the events that were read last.
    #[must_use]
    pub fn names(&self) -> &Resolver {
        &self.names
    }

    /// Uses what the whole file tells of names ([`read_names`]), so that files are known from their
    /// first write, not only from when they were seen.
    #[must_use]
    pub fn with_names(mut self, names: Resolver) -> Self {
        self.names = names;
        self
    }

    /// How the trace ended, when all of it has been read.
    #[must_use]
    pub fn trailer(&self) -> Option<&Trailer> {
        self.trailer.as_ref()
    }

    /// How many events have been read.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Reads the next events into `events`, which is cleared first; there are none if and only if
    /// the trace is at its end. Their times do not go back.
    ///
    /// # Errors
    /// The file is damaged or cut off here. What was read before is sound.
    pub fn next_events(&mut self, events: &mut Vec<Event>) -> Result<(), FileError> {
        events.clear();
        while self.trailer.is_none() {
            match self.step(events)? {
                Step::Events if !events.is_empty() => break,
                Step::Events | Step::End => {}
                Step::File(file) => self.names.observe(&file),
            }
        }
        Ok(())
    }

    /// Reads a frame; events are added to `events`.
    pub(super) fn step(&mut self, events: &mut Vec<Event>) -> Result<Step, FileError> {
        let step = match self.frame()? {
            Tag::Events => {
                let decoded = events::decode(&self.payload, events);
                let in_order = events.first().is_none_or(|event| event.time_ns >= self.latest_ns);
                if decoded.is_none() || !in_order {
                    events.clear();
                    return Err(self.damaged("events that cannot be read"));
                }
                self.events += events.len() as u64;
                self.latest_ns = events.last().map_or(self.latest_ns, |event| event.time_ns);
                Step::Events
            }
            Tag::File => {
                let file = names::read_file(&self.payload);
                Step::File(file.ok_or_else(|| self.damaged("a file that cannot be read"))?)
            }
            Tag::Trailer => {
                let trailer = names::read_trailer(&self.payload)
                    .filter(|trailer| trailer.events == self.events)
                    .ok_or_else(|| self.damaged("a trailer that counts other events"))?;
                self.trailer = Some(trailer);
                Step::End
            }
            Tag::Header => return Err(self.damaged("a second header")),
        };
        self.step_over();
        Ok(step)
    }

    fn frame(&mut self) -> Result<Tag, FileError> {
        let (offset, events) = (self.offset, self.events);
        frame::read(&mut self.from, &mut self.payload).map_err(|fault| match fault {
            Fault::End | Fault::Cut => FileError::Cut { offset, events },
            Fault::Damaged(what) => FileError::Damaged { offset, what, events },
            Fault::Io(source) => FileError::Io { offset, source },
        })
    }

    fn damaged(&self, what: &'static str) -> FileError {
        FileError::Damaged { offset: self.offset, what, events: self.events }
    }

    fn step_over(&mut self) {
        self.offset += frame::HEAD_BYTES + self.payload.len() as u64;
    }
}

/// Reads what a whole trace tells of files, as far as it is sound, for [`Reader::with_names`].
///
/// # Errors
/// It is no trace.
pub fn read_names(from: impl Read) -> Result<Resolver, FileError> {
    Ok(survey(from, u64::MAX)?.names)
}

#[cfg(test)]
mod tests;
