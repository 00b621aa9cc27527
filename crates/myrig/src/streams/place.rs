//! Where a daemon's files are: its lock with its number, its socket, its log.

use crate::{args::StreamsPlaceArgs, failure::Failure, paths::Paths};
use anyhow::Context;
use std::{
    fs::{self, DirBuilder},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

/// The files of a daemon. One daemon a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pid_file: PathBuf,
}

impl Place {
    /// The place that was named, or the usual one.
    ///
    /// # Errors
    /// The name is no file's.
    pub(crate) fn new(args: &StreamsPlaceArgs, paths: &Paths) -> Result<Self, Failure> {
        let usual = || paths.runtime().join("streams.pid");
        let named = args.pid_file.clone().unwrap_or_else(usual);
        let pid_file = std::path::absolute(&named)?;
        if pid_file.file_name().is_none() {
            return Err(Failure::usage(format!("--pid-file {}: no file's name", named.display())));
        }
        Ok(Self { pid_file })
    }

    /// What is locked for as long as the daemon runs, and holds its number.
    pub(crate) fn pid_file(&self) -> &Path {
        &self.pid_file
    }

    /// Where it answers questions.
    pub(super) fn socket(&self) -> PathBuf {
        self.pid_file.with_extension("sock")
    }

    /// Where it logs, if nothing else is said.
    pub(super) fn log(&self) -> PathBuf {
        self.pid_file.with_extension("log")
    }

    /// Where it tells whoever started it that it is ready.
    pub(super) fn ready(&self) -> PathBuf {
        self.pid_file.with_extension(format!("ready.{}", std::process::id()))
    }

    /// Makes the directory, for its owner alone.
    pub(super) fn prepare(&self) -> Result<(), Failure> {
        let Some(dir) = self.pid_file.parent().filter(|dir| !dir.is_dir()) else { return Ok(()) };
        if let Some(above) = dir.parent() {
            fs::create_dir_all(above).with_context(|| cannot(above))?;
        }
        let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
        Ok(made.with_context(|| cannot(dir))?)
    }
}

fn cannot(dir: &Path) -> String {
    format!("{} cannot be made: name another place with --pid-file", dir.display())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn everything_lies_beside_the_pid_file() {
        let args = StreamsPlaceArgs { pid_file: Some("/run/a/b.pid".into()) };
        let place = Place::new(&args, &Paths::new(Some("/h".into())).unwrap()).unwrap();
        assert_eq!(place.socket(), Path::new("/run/a/b.sock"));
        assert_eq!(place.log(), Path::new("/run/a/b.log"));
        let usual = StreamsPlaceArgs { pid_file: None };
        let usual = Place::new(&usual, &Paths::new(Some("/h".into())).unwrap()).unwrap();
        assert_eq!(usual.pid_file(), Path::new("/h/run/streams.pid"));
        let none = StreamsPlaceArgs { pid_file: Some("/".into()) };
        assert!(Place::new(&none, &Paths::new(Some("/h".into())).unwrap()).is_err());
    }
}
