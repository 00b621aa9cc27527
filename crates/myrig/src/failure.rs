//! How a command ends: its status, and what a person is told.

use std::{fmt, process::ExitCode};

/// The exit status of the command, as documented in `--help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Carried out, and the answer is good.
    Good,
    /// Carried out, and the answer is bad: a failed consistency check.
    Bad,
    /// The command line is wrong.
    Usage,
    /// It could not be carried out, or not to the end.
    NotDone,
    /// That of a command that was run for somebody.
    Of(u8),
}

impl Status {
    /// The number that a shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Bad => 1,
            Self::Usage => 2,
            Self::NotDone => 3,
            Self::Of(code) => code,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The status to end with.
    pub(crate) status: Status,
    error: anyhow::Error,
}

impl Failure {
    /// The command line asks for something that cannot be.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self { status: Status::Usage, error: anyhow::anyhow!("{message}") }
    }

    /// The same with the place where it happened, of several.
    pub(crate) fn at(self, place: &str) -> Self {
        Self { status: self.status, error: self.error.context(place.to_owned()) }
    }
}

/// What the libraries report could not be carried out, unless said otherwise.
impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { status: Status::NotDone, error: error.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Many errors repeat their source in their own words; it is shown once.
        let mut shown = String::new();
        for cause in self.error.chain() {
            let words = cause.to_string();
            if !shown.contains(&words) {
                if !shown.is_empty() {
                    shown.push_str(": ");
                }
                shown.push_str(&words);
            }
        }
        f.write_str(&shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn causes_are_told_once_from_the_outside_in() {
        let inner = std::io::Error::other("disk full");
        let failure = Failure::from(Err::<(), _>(inner).context("saving the run").unwrap_err());
        assert_eq!(failure.to_string(), "saving the run: disk full");
        assert_eq!(failure.status, Status::NotDone);
    }
}
