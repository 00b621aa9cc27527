//! What can be wrong with a configuration, and where.

use std::{io, path::PathBuf};

use super::given::Place;

/// A configuration that cannot be read, or not be carried over.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that is not there, or not readable.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line that no server would read.
    #[error("{place}: {reason}")]
    Line {
        /// The line.
        place: Place,
        /// What is wrong with it.
        reason: String,
    },
    /// An option that no version knows.
    #[error("{place}: no version knows the option `{name}`{nearest}")]
    Unknown {
        /// Where it was given.
        place: Place,
        /// The option as it was given.
        name: String,
        /// What may have been meant, and the way around, as the rest of the sentence.
        nearest: String,
    },
    /// A value that the option cannot have.
    #[error("{place}: `{name}` cannot be `{value}`: {reason}")]
    Value {
        /// Where it was given.
        place: Place,
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// What it can be.
        reason: String,
    },
    /// No server that the table knows of.
    #[error("`{text}` names no server: {reason}")]
    Target {
        /// The text.
        text: String,
        /// What there is.
        reason: String,
    },
}
