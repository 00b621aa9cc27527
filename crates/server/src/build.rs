//! Servers built from source: unpacked, patched, configured, compiled, installed and registered.
//!
//! - `runner`: programs, logged and ended with all their children. `patch`: patches, tried before
//!   they are applied. `steps`: the steps, each with a stamp of what it was taken with, so that a
//!   build goes on where it was. `record`: what is kept of a build.
//!
//! ```text
//! HOME/builds/NAME/
//!     build.json     what was built of what; when it is there, the build is whole
//!     source/TOP/    the patched tree, TOP being the top directory of the tarball
//!     build/         what the compiler made
//!     prefix/        the server, unless a prefix was named
//!     build.log      all that the programs said
//!     stamps/        a file a step that is done
//! ```

mod error;
mod patch;
mod record;
mod runner;
mod steps;

pub use error::BuildError;
pub use record::{Build, BuildRecord, Source, StepTime};
pub use runner::BuildProgress;
pub use steps::{BuildOptions, Built};

use serde::{Deserialize, Serialize};
use std::fmt;

/// A step of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// The tarball becomes a tree.
    Unpack,
    /// The patches are tried and applied.
    Patch,
    /// CMake looks at the machine.
    Configure,
    /// The compiler works.
    Compile,
    /// The server goes to its prefix.
    Install,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unpack => "unpack",
            Self::Patch => "patch",
            Self::Configure => "configure",
            Self::Compile => "compile",
            Self::Install => "install",
        })
    }
}
