//! A setting as somebody gave it.

use std::{fmt, path::PathBuf};

/// Where a setting was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// On the command line, by the option of that name.
    Argument(&'static str),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Argument(name) => f.write_str(name),
        }
    }
}

/// A setting as somebody gave it: nothing is known of it yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The option, spelt as it was.
    pub name: String,
    /// Its value; none for a bare option.
    pub value: Option<String>,
    /// Where.
    pub place: Place,
}

impl Given {
    /// A setting of the command line, `by` being the option that carries it. An empty value makes
    /// a bare option and `''` an empty value, as they do in [`crate::Settings`].
    pub fn argument(by: &'static str, name: &str, value: &str) -> Self {
        let value = match value {
            "" => None,
            "''" | "\"\"" => Some(String::new()),
            value => Some(value.to_owned()),
        };
        Self { name: name.to_owned(), value, place: Place::Argument(by) }
    }

    /// The setting as a line of an option file.
    pub fn text(&self) -> String {
        match &self.value {
            Some(value) => format!("{} = {value}", self.name),
            None => self.name.clone(),
        }
    }
}
