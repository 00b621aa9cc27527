//! A trace, read and cut to pages, with the files that it names.

use super::room;
use crate::{failure::Failure, output::Output};
use anyhow::Context;
use flash::{
    ftl::Geometry,
    placement::FileNumber,
    replay::{PageTrace, ReplayError, Watch},
    trace::{
        Event,
        file::{FileError, Header, Reader, Trailer, survey},
        names::{FileId, Resolver},
    },
};
use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufReader, Read},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

/// A trace as it was read.
pub(super) struct Traced {
    pub(super) header: Header,
    pub(super) trace: PageTrace,
    /// The path of each file by its number; that of number 0, no file, is empty.
    pub(super) files: Vec<PathBuf>,
    /// Sectors that files held.
    pub(super) held: Vec<Range<u64>>,
    /// How it ended; none if it was cut off.
    pub(super) trailer: Option<Trailer>,
    /// Why it could not be read to its end.
    pub(super) damage: Option<String>,
}

/// What a trace says of itself.
pub(super) fn header(path: &Path) -> Result<Header, Failure> {
    Ok(open(path, &Arc::default())?.header().clone())
}

/// A file that can be read until somebody says stop.
struct Stoppable<F> {
    file: F,
    watch: Arc<Watch>,
}

impl<F: Read> Read for Stoppable<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.watch.stop.load(Ordering::Relaxed) {
            true => Err(io::Error::other(ReplayError::Stopped)),
            false => self.file.read(into),
        }
    }
}

/// Reads a trace for drives of this geometry. `partial` takes one that is damaged or cut off as
/// far as it is sound. It ends when `watch` says stop, or if there is too little memory for it.
pub(super) fn read(
    path: &Path,
    geometry: &Geometry,
    partial: bool,
    output: &Output,
    watch: &Arc<Watch>,
) -> Result<Traced, Failure> {
    let spinner = output.spinner(&format!("reading {}", path.display()));
    let place = || path.display().to_string();
    let available = room::available_bytes();
    let found = survey(buffered(path, watch)?, available).with_context(place)?;
    if watch.stop.load(Ordering::Relaxed) {
        return Err(super::refusal(ReplayError::Stopped));
    }
    room::check_trace(path, &found, available)?;
    let held = found.names.held().collect();
    let mut reader = open(path, watch)?.with_names(found.names);
    let mut cutter = Cutter { trace: PageTrace::new(geometry), numbers: Numbers::default() };
    cutter.trace.reserve(usize::try_from(found.events)?).with_context(place)?;
    let mut damage = None;
    let mut events = Vec::new();
    loop {
        match reader.next_events(&mut events) {
            Ok(()) if events.is_empty() => break,
            Ok(()) => cutter.take(&events, reader.names()).with_context(place)?,
            Err(_) if watch.stop.load(Ordering::Relaxed) => {
                return Err(super::refusal(ReplayError::Stopped));
            }
            Err(error) if partial && !matches!(error, FileError::Io { .. }) => {
                damage = Some(error.to_string());
                break;
            }
            Err(error) => {
                let hint = match error {
                    FileError::Cut { .. } | FileError::Damaged { .. } => {
                        "; --partial uses what comes before"
                    }
                    _ => "",
                };
                return Err(anyhow::anyhow!("{}: {error}{hint}", path.display()).into());
            }
        }
    }
    spinner.finish_and_clear();
    Ok(Traced {
        header: reader.header().clone(),
        trailer: reader.trailer().copied(),
        files: cutter.numbers.paths(reader.names()),
        trace: cutter.trace,
        held,
        damage,
    })
}

/// A megabyte, a hundred thousand events, is read between looks whether to stop.
fn buffered(path: &Path, watch: &Arc<Watch>) -> Result<BufReader<Stoppable<File>>, Failure> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    Ok(BufReader::with_capacity(1 << 20, Stoppable { file, watch: Arc::clone(watch) }))
}

fn open(path: &Path, watch: &Arc<Watch>) -> Result<Reader<BufReader<Stoppable<File>>>, Failure> {
    Ok(Reader::new(buffered(path, watch)?).with_context(|| path.display().to_string())?)
}

struct Cutter {
    trace: PageTrace,
    numbers: Numbers,
}

impl Cutter {
    fn take(&mut self, events: &[Event], names: &Resolver) -> anyhow::Result<()> {
        for event in events {
            let file = names.file(event).map_or(0, |file| self.numbers.of(file));
            self.trace.push(event, file).context("--capacity")?;
        }
        Ok(())
    }
}

/// Files numbered in the order in which they are met, from 1.
#[derive(Default)]
struct Numbers {
    by_file: HashMap<FileId, FileNumber>,
    met: Vec<FileId>,
}

impl Numbers {
    fn of(&mut self, file: FileId) -> FileNumber {
        let met = &mut self.met;
        *self.by_file.entry(file).or_insert_with(|| {
            met.push(file);
            met.len() as FileNumber
        })
    }

    fn paths(&self, names: &Resolver) -> Vec<PathBuf> {
        let path = |file: &FileId| names.path(*file).map(Path::to_owned).unwrap_or_default();
        [PathBuf::new()].into_iter().chain(self.met.iter().map(path)).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_file_is_read_until_somebody_says_stop() {
        let watch = Arc::new(Watch::default());
        let file = io::repeat(7);
        let mut reader = BufReader::with_capacity(16, Stoppable { file, watch: watch.clone() });
        let mut bytes = [0; 8];
        reader.read_exact(&mut bytes).unwrap();
        watch.stop.store(true, Ordering::Relaxed);
        reader.read_exact(&mut bytes).unwrap();
        let error = reader.read_exact(&mut bytes).unwrap_err();
        assert_eq!(error.to_string(), ReplayError::Stopped.to_string());
    }
}
