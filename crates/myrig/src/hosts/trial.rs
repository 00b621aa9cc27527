//! A profile that holds during a trial of an experiment.

use super::{Machine, apply::Tuning, apply::named, directory, revert, told};
use crate::{
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use host::tuning::{Fate, Foreign, Host, Journal, Scope, Turn};
use std::path::{Path, PathBuf};

/// The name under which a profile, built in or a file, stands in a journal.
///
/// # Errors
/// There is no such profile, or it cannot be read.
pub(crate) fn name_of(profile: &str) -> Result<String, Failure> {
    Ok(named(profile)?.name)
}

/// What a profile would change on this machine, a line each, in time; nothing is touched.
///
/// # Errors
/// There is no such profile, or the machine is tuned already.
pub(crate) fn planned(profile: &str, paths: &Paths) -> Result<Vec<String>, Failure> {
    let tuning = tuning(profile, None, paths)?;
    if tuning.directory.is_dir()
        && let Some(journal) = Journal::open(&tuning.directory)?
        && !journal.head().is_stale(&tuning.machine.root)
    {
        return Err(anyhow::anyhow!(
            "host.profile: the machine is tuned already, by `{}` since {}: `myrig host revert` \
             puts it back",
            journal.head().profile,
            journal.head().begun_at
        )
        .into());
    }
    let steps = tuning.planned()?;
    let changes = steps.iter().filter(|step| step.fate == Fate::Change);
    let line = |step: &host::tuning::Step| {
        let old = step.old.as_deref().unwrap_or("unset");
        format!("{}: {old} becomes {}", step.key, step.wanted)
    };
    Ok(changes.map(line).collect())
}

/// Applies a profile, all of it or nothing.
///
/// # Errors
/// What the machine does not take, or somebody else has tuned it.
pub(crate) fn apply_quietly(
    profile: &str,
    data: &Path,
    paths: &Paths,
    output: &Output,
) -> Result<(), Failure> {
    let tuning = tuning(profile, Some(data.to_owned()), paths)?;
    let (steps, _) = tuning.apply(&|| false, output)?;
    match steps.iter().find(|step| matches!(step.fate, Fate::Refused(_))) {
        Some(step) => Err(anyhow::anyhow!("the machine did not take {}", step.key).into()),
        None => Ok(()),
    }
}

/// Puts back what a profile of this name has changed; where another one, or none, is applied,
/// nothing is done.
///
/// # Errors
/// What is not as it was.
pub(crate) fn revert_quietly(name: &str, paths: &Paths) -> Result<(), Failure> {
    let (directory, machine) = (directory(paths), Machine::of(None)?);
    if !directory.is_dir() {
        return Ok(());
    }
    let _turn = Turn::take(&directory)?;
    if Journal::open(&directory)?.is_none_or(|journal| journal.head().profile != name) {
        return Ok(());
    }
    let host = Host { root: &machine.root, shell: machine.shell };
    let reverted = host::tuning::revert(&directory, &machine.root, &host, Foreign::Keep);
    match revert::status(reverted.map_err(told)?.as_ref()) {
        Status::Good => Ok(()),
        _ => Err(anyhow::anyhow!("some settings of the machine are not as they were").into()),
    }
}

fn tuning(profile: &str, data: Option<PathBuf>, paths: &Paths) -> Result<Tuning, Failure> {
    let profile = named(profile)?;
    Ok(Tuning {
        machine: Machine::of(None)?,
        scope: Scope { data, nic: None, server_cpus: None },
        profile: profile.name,
        settings: profile.settings,
        keep_going: false,
        directory: directory(paths),
    })
}
