//! What can go wrong with a snapshot, and the way out.

use std::{
    io,
    path::{Path, PathBuf},
};

use host::storage::StorageError;

use crate::{error::Error, home::InstanceName};

/// A snapshot that could not be taken, or not be restored.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// What can go wrong with any instance.
    #[error(transparent)]
    Server(#[from] Error),
    /// Too little room.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// Not a name for a snapshot.
    #[error(
        "`{0}` cannot name a snapshot: a name has letters, digits, `-`, `_` and `.`, begins with \
         a letter or digit and has 64 characters at most"
    )]
    Name(String),
    /// The name is taken.
    #[error(
        "there is {path} already; take this snapshot --as another name, or delete that one with \
         --remove"
    )]
    Exists {
        /// What has the name.
        path: PathBuf,
    },
    /// No such snapshot.
    #[error("there is no snapshot `{name}` in {dir}; `myrig server snapshots` lists them")]
    NoSnapshot {
        /// The name.
        name: String,
        /// The directory that would hold it.
        dir: PathBuf,
    },
    /// Another command is at work on it.
    #[error("snapshot `{0}` is busy: another command is at work on it; try again later")]
    Busy(String),
    /// The server did not shut down, so that its files need recovery.
    #[error(
        "`{0}` has crashed, and its files need recovery first: start it and stop it, then take \
         the snapshot"
    )]
    Crashed(InstanceName),
    /// The instance has data where a snapshot does not reach.
    #[error("{path} cannot be in a snapshot: {reason}")]
    OutOfReach {
        /// What leads there.
        path: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// The instance's data changed or vanished under the copy.
    #[error("{0} changed while it was copied; who else works on the instance's data?")]
    Changed(PathBuf),
    /// A snapshot does not hold what it held.
    #[error(
        "snapshot `{name}` is damaged and nothing was restored:{}",
        differences.iter().map(|line| format!("\n  {line}")).collect::<String>()
    )]
    Damaged {
        /// The snapshot.
        name: String,
        /// What differs, a line a file; the first few.
        differences: Vec<String>,
    },
    /// The server cannot work on the snapshot's data.
    #[error("{server} cannot work on data of {data}: {reason}")]
    WrongServer {
        /// The server.
        server: String,
        /// The server that the data is from.
        data: String,
        /// Why not, and what to do.
        reason: &'static str,
    },
    /// The target's settings contradict the data.
    #[error(
        "the data was made with {option}={data} and `{instance}` has {target}; restore with \
         --with-settings, or change the instance with --set {option}={data}"
    )]
    Settings {
        /// The instance.
        instance: InstanceName,
        /// The option.
        option: String,
        /// Its value for the data.
        data: String,
        /// Its value for the instance.
        target: String,
    },
    /// Somebody wanted it to end.
    #[error("interrupted; nothing is left of it")]
    Interrupted,
}

impl SnapshotError {
    /// An I/O error with its place; a full device is told apart.
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Error::io(action, path, source).into()
    }
}
