//! A host profile that holds during the runs of a variant.

use crate::{failure::Failure, hosts, output::Output, paths::Paths};
use lab::experiment::{Fault, Stage, Variant, spec::Arm};
use std::{fs, io, path::PathBuf};

/// The section `host` of a variant.
pub(super) struct HostProfile {
    paths: Paths,
    /// Says by its presence, and by what is in it, that a profile is of our making.
    note: PathBuf,
    output: Output,
}

impl HostProfile {
    pub(super) fn new(paths: Paths, notes: PathBuf, output: Output) -> Self {
        Self { paths, note: notes.join("host"), output }
    }
}

impl Variant for HostProfile {
    fn key(&self) -> &'static str {
        "host"
    }

    fn plan(&self, arm: &Arm) -> Result<Vec<String>, Fault> {
        let Some(profile) = &arm.host else { return Ok(Vec::new()) };
        hosts::planned(profile, &self.paths).map_err(|failure| failure.to_string().into())
    }

    fn before_start(&mut self, stage: &mut Stage<'_>) -> Result<(), Fault> {
        let Some(profile) = &stage.arm.host else { return Ok(()) };
        // First the note: a process that is killed in between has changed nothing, and what it
        // finds to be put back is nothing.
        fs::write(&self.note, hosts::name_of(profile).map_err(told)?)?;
        let data = stage.instance.data_dir();
        hosts::apply_quietly(profile, &data, &self.paths, &self.output).map_err(told)
    }

    fn put_back(&mut self) -> Result<(), Fault> {
        let name = match fs::read_to_string(&self.note) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            read => read?,
        };
        hosts::revert_quietly(&name, &self.paths).map_err(told)?;
        Ok(fs::remove_file(&self.note)?)
    }
}

fn told(failure: Failure) -> Fault {
    format!("{failure}; `myrig host revert` puts back what is changed").into()
}
