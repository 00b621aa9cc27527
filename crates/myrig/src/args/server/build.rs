//! What can be typed about building a server from source.

use clap::Args;
use std::path::PathBuf;

/// A server to be built.
#[derive(Clone, Debug, Args)]
pub(crate) struct BuildArgs {
    /// The source: a tarball with one directory in it
    #[arg(long, value_name = "TARBALL")]
    pub(crate) source: PathBuf,
    /// A patch for it, as `patch -p1` takes it; may be given again, and order counts
    #[arg(long = "patch", value_name = "FILE")]
    pub(crate) patches: Vec<PathBuf>,
    /// An argument of CMake, such as -DWITH_DEBUG=0; may be given again
    #[arg(long = "cmake-arg", value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) cmake_args: Vec<String>,
    /// Where to install it [default: HOME/builds/NAME/prefix]
    #[arg(long, value_name = "DIR")]
    pub(crate) prefix: Option<PathBuf>,
    /// What to call it [default: the tarball's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// How many compilers at once [default: as many as there are processors]
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Directory of Boost, for servers that want it [default: boost in the source, if it is there]
    #[arg(long, value_name = "DIR")]
    pub(crate) boost: Option<PathBuf>,
}
