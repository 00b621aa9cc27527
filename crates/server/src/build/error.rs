//! What can go wrong with a build, and the way out.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::Step;
use crate::error::Error;

/// A server that could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// What can go wrong with any server.
    #[error(transparent)]
    Server(#[from] Error),
    /// Not a name for a build.
    #[error("`{name}` cannot name a build: {reason}")]
    Name {
        /// The text.
        name: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// No such build.
    #[error("there is no build `{name}` in {dir}; `myrig server builds` lists them")]
    NoBuild {
        /// The name.
        name: String,
        /// The directory that would hold it.
        dir: PathBuf,
    },
    /// Another command builds it.
    #[error("build `{0}` is busy: another command is at work on it; try again later")]
    Busy(String),
    /// A program is not installed.
    #[error("{program} is not installed: it is in the package {program} of most distributions")]
    NoProgram {
        /// The program.
        program: String,
    },
    /// The tarball is not one tree.
    #[error("{path} is no source tree: {reason}")]
    Source {
        /// The tarball.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A patch does not fit the source.
    #[error("{patch} does not apply, and nothing was changed: {reason}")]
    Patch {
        /// The patch.
        patch: PathBuf,
        /// Which hunk of which file, with its first lines.
        reason: String,
    },
    /// An argument that belongs to the build.
    #[error("{argument} cannot be used: {reason}")]
    Argument {
        /// The argument.
        argument: String,
        /// What to use instead.
        reason: &'static str,
    },
    /// A step failed.
    #[error("{step} failed ({ended}); all of it is in {}{said}", log.display())]
    Failed {
        /// The step.
        step: Step,
        /// How its program ended.
        ended: String,
        /// The log.
        log: PathBuf,
        /// The first error and the last lines, each on a line of its own.
        said: String,
    },
    /// Somebody wanted it to end.
    #[error("interrupted; the same command goes on where it was")]
    Interrupted,
}

impl BuildError {
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Error::io(action, path, source).into()
    }
}
