//! What a host does to a drive: writes with their streams, discards.

use super::{Op, Setup};
use crate::{
    ftl::{Counters, Drive, GeometryError},
    placement::Placement,
    trace::Kind,
};
use std::ops::Range;

/// Pages that are handed to a drive at a time, which is faster than one by one.
const BATCH_PAGES: usize = 1024;

/// A drive, and pages for one stream that it was not yet handed.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    drive: Drive,
    placement: Placement,
    pages: Vec<u32>,
    stream: u8,
}

impl Host {
    /// A drive that has never been written.
    pub(crate) fn new(setup: &Setup) -> Result<Self, GeometryError> {
        let drive = Drive::new(&setup.drive)?;
        let placement = setup.placement.clone();
        Ok(Self { drive, placement, pages: Vec::with_capacity(BATCH_PAGES), stream: 0 })
    }

    /// Writes or discards.
    pub(crate) fn apply(&mut self, op: &Op) {
        let pages = op.page..op.page + op.pages;
        match op.kind {
            Kind::Write => self.write(pages, self.placement.stream(op.hint, op.file)),
            Kind::Discard => {
                self.flush();
                pages.for_each(|page| self.drive.trim(page));
            }
        }
    }

    /// Writes pages in order to a stream.
    pub(crate) fn write(&mut self, mut pages: Range<u32>, stream: u8) {
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

    /// Writes pages in any order to a stream.
    pub(crate) fn write_pages(&mut self, pages: &[u32], stream: u8) {
        self.flush();
        self.drive.write_many(pages, stream);
    }

    /// What the drive has done, everything until now handed to it.
    pub(crate) fn counters(&mut self) -> Counters {
        self.flush();
        self.drive.counters()
    }

    /// The drive, everything until now handed to it.
    pub(crate) fn drive(&mut self) -> &Drive {
        self.flush();
        &self.drive
    }

    fn flush(&mut self) {
        self.drive.write_many(&self.pages, self.stream);
        self.pages.clear();
    }
}
