//! What can go wrong when a machine is tuned.

use super::{journal::JournalError, place::Place};
use crate::CpuSet;
use std::path::PathBuf;

/// Why a machine was not tuned, or not put back.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    /// A setting that there is none of.
    #[error("there is no setting `{key}`; the nearest is `{nearest}`")]
    UnknownKey {
        /// What was asked for.
        key: String,
        /// The most similar key.
        nearest: String,
    },
    /// A value that a setting does not take.
    #[error("`{key}` does not take `{value}`: it takes {takes}")]
    Value {
        /// The setting.
        key: String,
        /// What was asked for.
        value: String,
        /// What it takes.
        takes: String,
    },
    /// Two settings of the same place.
    #[error("`{first}` and `{second}` set the same thing: give only one")]
    Conflict {
        /// The one.
        first: String,
        /// The other.
        second: String,
    },
    /// A directory that is not there.
    #[error("--data {}: there is no such directory", path.display())]
    NoDirectory {
        /// Its path.
        path: PathBuf,
    },
    /// A card that is not there.
    #[error("--nic {name}: there is no such network card; there are {there}")]
    NoNic {
        /// Its name.
        name: String,
        /// Those that are there.
        there: String,
    },
    /// Processors that are not there.
    #[error("processors {missing} ({whose}) are not online; {online} are")]
    NoCpus {
        /// What they are for: an option or a setting.
        whose: &'static str,
        /// Those that are not there.
        missing: CpuSet,
        /// Those that are there.
        online: CpuSet,
    },
    /// This process may not write what is to be changed.
    #[error("this takes root, and nothing was changed; these cannot be written: {places}")]
    NotPermitted {
        /// Settings and places, with commas between.
        places: String,
    },
    /// The machine does not take a value.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// Somebody stopped it.
    #[error("interrupted{}", left_behind(.left))]
    Interrupted {
        /// Places that could not be put back; none in most cases.
        left: Vec<String>,
    },
    /// A value that is there and cannot be read.
    #[error("{key}: {place} cannot be read: {why}")]
    Unreadable {
        /// The setting.
        key: String,
        /// Where.
        place: String,
        /// What the machine says.
        why: String,
    },
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// A value that the machine does not take.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {place} does not take `{wanted}`: {why}{}", left_behind(.left))]
pub struct Refusal {
    /// The setting.
    pub key: String,
    /// Where.
    pub place: Place,
    /// The value.
    pub wanted: String,
    /// What the machine says.
    pub why: String,
    /// Places that could not be put back; none in most cases.
    pub left: Vec<String>,
}

impl TuningError {
    /// True where it is the caller's request that cannot be.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::UnknownKey { .. }
                | Self::Value { .. }
                | Self::Conflict { .. }
                | Self::NoDirectory { .. }
                | Self::NoNic { .. }
                | Self::NoCpus { .. }
        )
    }
}

fn left_behind(left: &[String]) -> String {
    match left {
        [] => "; everything is as it was before".to_owned(),
        left => format!(
            "; these could not be put back: {}; `myrig host revert` tries again",
            left.join(", ")
        ),
    }
}
