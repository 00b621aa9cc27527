//! What is wrong with an experiment file.

use std::fmt;

/// Where something was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// In this line of the file, from 1.
    Line(usize),
    /// By an override on the command line.
    Set,
    /// By the scale that was asked for there.
    Scale,
}

/// Something wrong, not yet said of which file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Where; none for what is missing.
    pub(super) place: Option<Place>,
    /// The key and what is wrong with it.
    pub(super) words: String,
}

impl Fault {
    /// Something wrong at a place.
    pub(super) fn at(place: Place, words: impl fmt::Display) -> Self {
        Self { place: Some(place), words: words.to_string() }
    }

    /// Something wrong with the whole file.
    pub(super) fn whole(words: impl fmt::Display) -> Self {
        Self { place: None, words: words.to_string() }
    }

    /// The same as an error about a file.
    pub(super) fn in_file(self, origin: &str) -> FileError {
        let place = match self.place {
            Some(Place::Line(line)) => format!("{origin}:{line}"),
            Some(Place::Set) => "--set".to_owned(),
            Some(Place::Scale) => "--scale".to_owned(),
            None => origin.to_owned(),
        };
        let was_typed = matches!(self.place, Some(Place::Set | Place::Scale));
        FileError { place, words: self.words, was_typed }
    }
}

/// An experiment file that is none, or contradicts itself. The words name the key and the way out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {words}")]
pub struct FileError {
    /// `flush.toml:12`, `--set` or `--scale`.
    pub place: String,
    /// What is wrong.
    pub words: String,
    /// True where the fault is on the command line and not in the file.
    pub was_typed: bool,
}
