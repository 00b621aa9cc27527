//! Where a run goes when it is over: into the store, into its report.

use crate::{failure::Failure, paths::Paths};
use anyhow::Context;
use lab::{record::RunRecord, store::Store};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Saves the run; where the store cannot take it, as a file elsewhere, so that nothing is lost.
///
/// # Errors
/// What a person should be told: why, and where the run is instead.
pub(crate) fn keep(store: &mut Store, record: &RunRecord) -> Result<(), String> {
    let Err(error) = store.save(record) else { return Ok(()) };
    let name = format!("myrig-run-{}.json", record.id);
    let places = [PathBuf::from(&name), env::temp_dir().join(&name)];
    let elsewhere = match lab::export::json(record) {
        Ok(json) => places.iter().find(|place| write_whole(place, &json)),
        Err(_) => None,
    };
    Err(match elsewhere {
        Some(place) => format!("{error}; the run is kept in {} instead", place.display()),
        None => format!("{error}; no other place could take the run: what is shown is all of it"),
    })
}

/// Writes a file; a part of one is of no use and goes away again.
fn write_whole(path: &Path, text: &str) -> bool {
    let written = fs::write(path, text).is_ok();
    if !written {
        // There may be nothing to remove.
        let _gone = fs::remove_file(path);
    }
    written
}

/// Writes the HTML report to the place that was asked for, or into the home.
pub(super) fn report(
    wanted: Option<&Path>,
    record: &RunRecord,
    paths: &Paths,
) -> Result<PathBuf, Failure> {
    let path = wanted.map_or_else(|| paths.report(&record.id), Path::to_path_buf);
    let html = report::html::render(record)?;
    fs::write(&path, html)
        .with_context(|| format!("writing the report {} (--report)", path.display()))?;
    Ok(path)
}
