//! What can go wrong with a store, in words that name the file and the way out.

use crate::export::ExportError;
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// A store that cannot be used, or a run that cannot be found or kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file exists and is something else; it was not touched.
    #[error(
        "{} is not a store of myrig ({found}). It was left as it is: name another file",
        path.display()
    )]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        found: &'static str,
    },
    /// The file was written by a later version; it was not touched.
    #[error(
        "the store {} has format {found}, and this myrig knows formats up to {known}: use the \
         newer myrig that wrote it, or name another file", path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The latest format that this version reads.
        known: i64,
    },
    /// The file or its directory cannot be opened for writing.
    #[error(
        "the store {} cannot be written ({detail}): name a file in a directory that you may \
         write to", path.display()
    )]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// In the system's words.
        detail: String,
    },
    /// No room; what was to be saved was not saved, what was there before still is.
    #[error(
        "no room left for the store {}: make room on its file system, or name a file on another \
         one; nothing that was saved before is lost", path.display()
    )]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// Another process held it for too long.
    #[error(
        "the store {} was locked by another process for {waited_s} s: wait for that process to \
         end (fuser {0} names it), then try again", path.display()
    )]
    Locked {
        /// The file.
        path: PathBuf,
        /// How long was waited, seconds.
        waited_s: f64,
    },
    /// The file is damaged.
    #[error(
        "the store {} is damaged ({detail}): move it away and rescue what can be read with \
         `sqlite3 {0} .recover`; a new store is made at the next run", path.display()
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was met.
        detail: String,
    },
    /// No run has this id.
    #[error("the store {} has no run {key:?}{}", path.display(), suggestion(near))]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        key: String,
        /// Ids that look like it, the nearest first.
        near: Vec<String>,
    },
    /// No experiment has this id.
    #[error(
        "the store {} has no experiment {key:?}: `myrig runs list` shows the ids", path.display()
    )]
    NoExperiment {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        key: String,
    },
    /// Several runs have ids that begin so.
    #[error(
        "{key:?} is the beginning of several runs' ids: {}: give more of it",
        matches.join(", ")
    )]
    Ambiguous {
        /// What was asked for.
        key: String,
        /// Some of the ids, the latest first.
        matches: Vec<String>,
    },
    /// The store holds no run at all.
    #[error("the store {} holds no run yet: `myrig demo` makes one", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The run itself cannot be written down.
    #[error(transparent)]
    Run(#[from] ExportError),
    /// Anything else that SQLite says.
    #[error("the store {}: {source}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// In SQLite's words.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// Sorts what SQLite says about `path` by what a person can do about it.
    pub(super) fn sort(path: &Path, waited_s: f64, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        let detail = source.to_string();
        let Some(error) = source.sqlite_error() else {
            return Self::Other { path, source };
        };
        match error.code {
            ErrorCode::DiskFull => Self::Full { path },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Locked { path, waited_s },
            ErrorCode::DatabaseCorrupt => Self::Corrupt { path, detail },
            ErrorCode::NotADatabase => Self::Corrupt { path, detail },
            ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
                Self::Unwritable { path, detail }
            }
            // The shared-memory file and the journal say "I/O error" where there is no room.
            ErrorCode::SystemIoFailure if is_write(error.extended_code) => Self::Full { path },
            _ => Self::Other { path, source },
        }
    }
}

/// Whether an I/O error came from making a file larger or from writing into one.
fn is_write(extended_code: i32) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE};
    [SQLITE_IOERR_WRITE, SQLITE_IOERR_SHMSIZE].contains(&extended_code)
}

fn suggestion(near: &[String]) -> String {
    if near.is_empty() {
        return ": `myrig runs list` shows the ids".to_owned();
    }
    format!(": did you mean {}?", near.join(" or "))
}
