//! Where a run goes when it is over: into the store, into its report.

use crate::{failure::Failure, paths::Paths};
use anyhow::Context;
use lab::{
    export::ExportError, group::GroupRecord, record::RunRecord, store::Store, sweep::SweepRecord,
};
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
    Err(format!("{error}; {}", elsewhere("run", &name, lab::export::json(record))))
}

/// The same for a sweep; its steps are kept by themselves.
///
/// # Errors
/// As for [`keep`].
pub(crate) fn keep_sweep(store: &mut Store, record: &SweepRecord) -> Result<(), String> {
    let Err(error) = store.save_sweep(record) else { return Ok(()) };
    let name = format!("myrig-{}.json", record.id);
    Err(format!("{error}; {}", elsewhere("sweep", &name, lab::sweep::json(record))))
}

/// The same for a group; the runs of its members are kept by themselves.
///
/// # Errors
/// As for [`keep`].
pub(crate) fn keep_group(store: &mut Store, record: &GroupRecord) -> Result<(), String> {
    let Err(error) = store.save_group(record) else { return Ok(()) };
    let name = format!("myrig-{}.json", record.id);
    Err(format!("{error}; {}", elsewhere("group", &name, lab::group::json(record))))
}

/// Writes what the store could not take into the first place that can; says where it is.
fn elsewhere(what: &str, name: &str, json: Result<String, ExportError>) -> String {
    let places = [PathBuf::from(name), env::temp_dir().join(name)];
    let place = json.ok().and_then(|json| places.iter().find(|place| write_whole(place, &json)));
    match place {
        Some(place) => format!("the {what} is kept in {} instead", place.display()),
        None => format!("no other place could take the {what}: what is shown is all of it"),
    }
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
pub(crate) fn report(
    wanted: Option<&Path>,
    record: &RunRecord,
    paths: &Paths,
) -> Result<PathBuf, Failure> {
    page(wanted, &record.id, report::html::render(record)?, paths)
}

/// Writes the HTML report of a sweep.
pub(crate) fn sweep_report(
    wanted: Option<&Path>,
    record: &SweepRecord,
    paths: &Paths,
) -> Result<PathBuf, Failure> {
    page(wanted, &record.id, report::sweep::html(record)?, paths)
}

/// Writes the HTML report of a group.
pub(crate) fn group_report(
    wanted: Option<&Path>,
    record: &GroupRecord,
    runs: &[RunRecord],
    paths: &Paths,
) -> Result<PathBuf, Failure> {
    page(wanted, &record.id, report::group::html(record, runs)?, paths)
}

fn page(wanted: Option<&Path>, id: &str, html: String, paths: &Paths) -> Result<PathBuf, Failure> {
    let path = wanted.map_or_else(|| paths.report(id), Path::to_path_buf);
    fs::write(&path, html)
        .with_context(|| format!("writing the report {} (--report)", path.display()))?;
    Ok(path)
}
