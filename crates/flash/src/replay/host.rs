//! What a host does to a drive: writes with their streams, discards.

use super::{Op, Setup};
use crate::{
    ftl::{Buffer, Counters, Drive, GeometryError},
    placement::{FileNumber, Placement},
    trace::Kind,
};
use std::ops::Range;

/// Pages that are handed to a drive at a time, which is faster than one by one.
const BATCH_PAGES: usize = 1024;

/// A drive with its write buffer, and pages for one stream that it was not yet handed.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    drive: Drive,
    buffered: Option<Buffered>,
    placement: Placement,
    pages: Vec<u32>,
    stream: u8,
}

/// A write buffer, and what the drive behind it does not see.
#[derive(Clone, Debug)]
struct Buffered {
    buffer: Buffer,
    /// Pages that the host wrote.
    host_pages: u64,
    /// Pages that were discarded before they were ever programmed.
    trimmed_pages: u64,
}

impl Host {
    /// A drive that has never been written.
    pub(crate) fn new(setup: &Setup) -> Result<Self, GeometryError> {
        let drive = Drive::new(&setup.drive)?;
        let buffered = (setup.drive.buffer_pages > 0).then(|| Buffered {
            buffer: Buffer::new(setup.drive.buffer_pages),
            host_pages: 0,
            trimmed_pages: 0,
        });
        let placement = setup.placement.clone();
        Ok(Self { drive, buffered, placement, pages: Vec::with_capacity(BATCH_PAGES), stream: 0 })
    }

    /// Writes or discards.
    pub(crate) fn apply(&mut self, op: &Op) {
        let pages = op.page..op.page + op.pages;
        match op.kind {
            Kind::Write => self.write(pages, self.placement.stream(op.hint, op.file)),
            Kind::Discard => {
                self.flush();
                pages.for_each(|page| self.trim(page));
            }
        }
    }

    /// Writes pages in order to a stream.
    pub(crate) fn write(&mut self, pages: Range<u32>, stream: u8) {
        match self.buffered {
            None => self.hand(pages, stream),
            Some(_) => pages.for_each(|page| self.put(page, stream)),
        }
    }

    /// Writes pages in any order to a stream.
    pub(crate) fn write_pages(&mut self, pages: &[u32], stream: u8) {
        if self.buffered.is_some() {
            pages.iter().for_each(|page| self.put(*page, stream));
        } else {
            self.flush();
            self.drive.write_many(pages, stream);
        }
    }

    /// From here on a file has this stream, if the placement goes by files.
    pub(crate) fn place(&mut self, file: FileNumber, stream: u8) {
        if let Placement::Files(streams) = &mut self.placement {
            let at = file as usize;
            streams.resize(streams.len().max(at + 1), 0);
            streams[at] = stream;
        }
    }

    /// Programs all that waits in the write buffer.
    pub(crate) fn drain(&mut self) {
        while let Some((page, stream)) = self.buffered.as_mut().and_then(|own| own.buffer.take()) {
            self.hand(page..page + 1, stream);
        }
        self.flush();
    }

    /// What host and drive have done, everything until now handed to the drive, or to the buffer
    /// in front of it.
    pub(crate) fn counters(&mut self) -> Counters {
        self.flush();
        let counters = self.drive.counters();
        match &self.buffered {
            None => counters,
            Some(own) => Counters {
                host_pages: own.host_pages,
                trimmed_pages: counters.trimmed_pages + own.trimmed_pages,
                ..counters
            },
        }
    }

    /// The drive, everything until now handed to it; but for what waits in the write buffer.
    pub(crate) fn drive(&mut self) -> &Drive {
        self.flush();
        &self.drive
    }

    /// Through the write buffer.
    fn put(&mut self, page: u32, stream: u8) {
        let Some(own) = &mut self.buffered else { return };
        own.host_pages += 1;
        if let Some((leaves, its_stream)) = own.buffer.put(page, stream) {
            self.hand(leaves..leaves + 1, its_stream);
        }
    }

    fn trim(&mut self, page: u32) {
        let waited = self.buffered.as_mut().is_some_and(|own| own.buffer.forget(page));
        let before = self.drive.valid_pages();
        self.drive.trim(page);
        if let Some(own) = &mut self.buffered {
            own.trimmed_pages += u64::from(waited && self.drive.valid_pages() == before);
        }
    }

    fn hand(&mut self, mut pages: Range<u32>, stream: u8) {
        if stream != self.stream {
            self.flush();
            self.stream = stream;
        }
        while !pages.is_empty() {
            let room = BATCH_PAGES - self.pages.len();
            self.pages.extend(pages.by_ref().take(room));
            if self.pages.len() == BATCH_PAGES {
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        self.drive.write_many(&self.pages, self.stream);
        self.pages.clear();
    }
}

#[cfg(test)]
mod tests;
