//! `myrig host`: what of the machine bears on a benchmark, changing it, and the way back.

mod apply;
mod check;
mod guarded;
mod revert;
mod trial;
mod view;

pub(crate) use trial::{apply_quietly, name_of, planned, revert_quietly};

use crate::{
    args::{HostScopeArgs, HostVerb},
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use anyhow::Context;
use host::{
    Root,
    tuning::{Nothing, Programs, Scope, Shell, TuningError},
};
use std::{
    env,
    path::{Path, PathBuf},
};

pub(crate) fn run(verb: HostVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    match verb {
        HostVerb::Check(args) => check::run(&args, output),
        HostVerb::Apply(args) => apply::run(&args, paths, output),
        HostVerb::Revert(args) => revert::run(&args, paths, output),
    }
}

/// The machine that is meant: this one, or a tree.
struct Machine {
    root: Root,
    shell: &'static dyn Shell,
}

impl Machine {
    fn of(root: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = root else { return Ok(Self { root: Root::real(), shell: &Programs }) };
        // A journal tells its machine by the path, which has to be the same from anywhere.
        let path = path.canonicalize();
        let path = path.map_err(|error| {
            Failure::usage(format!("--root {}: {error}", root.unwrap_or(Path::new("")).display()))
        })?;
        let shell: &dyn Shell = if path == Path::new("/") { &Programs } else { &Nothing };
        Ok(Self { root: Root::at(&path), shell })
    }
}

/// Where journals are.
fn directory(paths: &Paths) -> PathBuf {
    paths.home().join("host")
}

/// Which parts are meant; paths of this machine are made absolute, without links.
fn scope(args: &HostScopeArgs, machine: &Machine) -> Result<Scope, Failure> {
    let data = match &args.data {
        None => None,
        Some(data) if machine.root.is_real() => {
            let real = data.canonicalize();
            let no = |_| TuningError::NoDirectory { path: data.clone() };
            Some(real.map_err(|error| told(no(error)))?)
        }
        Some(data) => Some(env::current_dir().context("the working directory")?.join(data)),
    };
    Ok(Scope { data, nic: args.nic.clone(), server_cpus: args.cpus.clone() })
}

/// A wrong request is wrong usage; everything else could not be carried out.
fn told(error: TuningError) -> Failure {
    match error.is_usage() {
        true => Failure::usage(error),
        false => error.into(),
    }
}
