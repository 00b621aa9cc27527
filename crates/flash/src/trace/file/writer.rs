//! Traces are written: frames as they become full, and the trailer at the end.

use super::{
    Header, MAGIC, Trailer, events,
    frame::{self, Tag},
    names,
};
use crate::trace::{Event, names::FileMap};
use std::io::{self, Write};

/// Writes a trace. Without [`Writer::finish`] it has no trailer, as when the process is killed:
/// what is there can then be read, and that it was cut off is told.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    waiting: Vec<Event>,
    payload: Vec<u8>,
    events: u64,
    bytes: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a trace. `out` is best buffered.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(mut out: W, header: &Header) -> io::Result<Self> {
        out.write_all(&MAGIC)?;
        let bytes = frame::write(&mut out, Tag::Header, &names::header(header))?;
        let (waiting, payload) = (Vec::with_capacity(events::EVENTS_MAX), Vec::new());
        Ok(Self { out, waiting, payload, events: 0, bytes: MAGIC.len() as u64 + bytes })
    }

    /// Adds events in the order of their times.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn events(&mut self, events: &[Event]) -> io::Result<()> {
        for event in events {
            self.waiting.push(*event);
            if self.waiting.len() == events::EVENTS_MAX {
                self.flush_events()?;
            }
        }
        Ok(())
    }

    /// Adds where a file lies from here on.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn file(&mut self, file: &FileMap) -> io::Result<()> {
        self.flush_events()?;
        for part in names::file(file) {
            self.bytes += frame::write(&mut self.out, Tag::File, &part)?;
        }
        Ok(())
    }

    /// Events that were added.
    #[must_use]
    pub fn events_written(&self) -> u64 {
        self.events + self.waiting.len() as u64
    }

    /// Bytes that were written, without events that wait for their frame to be full.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.bytes
    }

    /// Gives what is complete to the file, so that it is there whatever becomes of this process.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.flush_events()?;
        self.out.flush()
    }

    /// Ends the trace, of which `lost` events are missing, and says how many bytes it has.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self, lost: u64, ended_ns: u64) -> io::Result<u64> {
        self.flush_events()?;
        let trailer = Trailer { events: self.events, lost, ended_ns };
        self.bytes += frame::write(&mut self.out, Tag::Trailer, &names::trailer(&trailer))?;
        self.out.flush()?;
        Ok(self.bytes)
    }

    fn flush_events(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.payload.clear();
        events::encode(&self.waiting, &mut self.payload);
        self.bytes += frame::write(&mut self.out, Tag::Events, &self.payload)?;
        self.events += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }
}
