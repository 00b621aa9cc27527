//! A trace is read from its file and added up.

use super::{
    summary::{Kept, Summary},
    view,
};
use crate::{
    failure::{Failure, Status},
    output::Output,
};
use anyhow::{Context, Result};
use flash::trace::{
    file::{FileError, Reader, read_names},
    totals::Totals,
};
use std::{
    fs::{self, File},
    io::BufReader,
    path::Path,
};

pub(super) fn run(path: &Path, output: &Output) -> Result<Status, Failure> {
    let spinner = output.spinner(&format!("reading {}", path.display()));
    let (mut reader, has_names) = opened(path)?;
    let mut totals = Totals::default();
    let mut events = Vec::new();
    let damage = loop {
        match reader.next_events(&mut events) {
            Ok(()) if events.is_empty() => break None,
            Ok(()) => {
                let names = reader.names();
                events.iter().for_each(|event| totals.add(event, names.file(event)));
            }
            Err(error) => break Some(error),
        }
    };
    spinner.finish_and_clear();
    let bytes = fs::metadata(path).map(|metadata| metadata.len()).unwrap_or(0);
    let kept = Some(Kept { path: path.to_owned(), bytes });
    let names = has_names.then(|| reader.names());
    let mut summary = Summary::new(reader.header(), &totals, names, reader.trailer(), kept);
    summary.damage = damage.as_ref().map(ToString::to_string);
    output.result(&summary, &view::text(&summary, output.style()))?;
    said(path, damage, output)
}

/// A trace with all the names that are in it, and whether there are any.
pub(super) fn opened(path: &Path) -> Result<(Reader<BufReader<File>>, bool)> {
    let named = || path.display().to_string();
    let open = || File::open(path).map(|file| BufReader::with_capacity(1 << 18, file));
    let names = read_names(open().with_context(named)?).with_context(named)?;
    let has_names = names.files().next().is_some();
    let reader = Reader::new(open().with_context(named)?).with_context(named)?;
    Ok((reader.with_names(names), has_names))
}

/// How it ends: a trace that is cut off or damaged is a bad answer.
pub(super) fn said(
    path: &Path,
    damage: Option<FileError>,
    output: &Output,
) -> Result<Status, Failure> {
    match damage {
        None => Ok(Status::Good),
        Some(error @ FileError::Io { .. }) => {
            Err(anyhow::Error::new(error).context(path.display().to_string()).into())
        }
        Some(error) => {
            output.note(&format!("myrig: {}: {error}", path.display()));
            Ok(Status::Bad)
        }
    }
}
