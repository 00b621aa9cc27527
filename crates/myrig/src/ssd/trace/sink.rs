//! The file that a trace goes into, if it is kept.

use anyhow::{Context, Result};
use flash::trace::{
    Event,
    file::{Header, Writer},
    names::FileMap,
    place::Place,
};
use std::{
    fs::{self, File},
    io::{self, BufWriter},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// A file in the making.
pub(super) struct Sink {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
}

impl Sink {
    /// Makes the file; one that is there is replaced.
    pub(super) fn create(path: &Path, header: &Header) -> Result<Self> {
        let named = || path.display().to_string();
        let file = BufWriter::with_capacity(1 << 18, File::create(path).with_context(named)?);
        let writer = Writer::new(file, header).with_context(named)?;
        Ok(Self { path: path.to_owned(), writer })
    }

    pub(super) fn events(&mut self, events: &[Event]) -> Result<()> {
        let done = self.writer.events(events);
        self.named(done)
    }

    pub(super) fn files(&mut self, files: &[FileMap]) -> Result<()> {
        let done = files.iter().try_for_each(|file| self.writer.file(file));
        self.named(done)
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        let done = self.writer.flush();
        self.named(done)
    }

    /// Ends the trace and says how many bytes it has.
    pub(super) fn finish(self, lost: u64, ended_ns: u64) -> Result<u64> {
        self.writer.finish(lost, ended_ns).with_context(|| self.path.display().to_string())
    }

    fn named(&self, done: io::Result<()>) -> Result<()> {
        done.with_context(|| self.path.display().to_string())
    }
}

/// Whether a file lies, or would lie, on the device that is traced.
pub(super) fn lies_on(path: &Path, place: &Place) -> bool {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let Ok(its) = fs::metadata(dir.unwrap_or(Path::new("."))) else { return false };
    let mounts = place.mounts(Path::new("/")).unwrap_or_default();
    let device = |point: &PathBuf| fs::metadata(point).map(|metadata| metadata.dev()).ok();
    mounts.iter().any(|(point, _)| device(point) == Some(its.dev()))
}
