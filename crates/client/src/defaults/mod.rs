//! MySQL's option files (`~/.my.cnf` and kin), as the manual's "Using Option Files" has them.
//!
//! Read are the groups `[client]`, `[client-server]`, `[client-mariadb]` and, over them,
//! `[myrig]`. A later line wins over an earlier one. Other groups, and settings that concern
//! other programs, are passed over. Names must be written out.

mod files;
mod line;
mod setting;

pub use files::{Content, Files};

use crate::options::Options;
use files::System;
use line::Line;
use setting::Settings;
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// How deep files may include each other, as in MySQL.
const DEPTH_MAX: usize = 10;

/// Files that one file may include in all. It stops trees that DEPTH_MAX alone lets explode.
const FILES_MAX: usize = 1000;

/// Groups of every client, in no order: the last line wins.
const CLIENT_GROUPS: [&[u8]; 3] = [b"client", b"client-server", b"client-mariadb"];

/// Our own group, whose lines win over those of the others wherever they stand.
const OWN_GROUP: &[u8] = b"myrig";

/// What an option file says, with all that it includes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefaultsFile {
    /// Its options.
    pub options: Options,
    /// What a person should be told.
    pub warnings: Vec<DefaultsWarning>,
}

/// A file that was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultsWarning {
    /// Anybody may write to it, so that nothing in it is to be believed. MySQL passes over it, too.
    WorldWritable(PathBuf),
    /// An included file that could not be read, and why. MySQL passes over it in silence.
    Unreadable(PathBuf, String),
}

impl fmt::Display for DefaultsWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WorldWritable(path) => {
                let path = path.display();
                write!(f, "{path} is ignored: anybody may write to it; mend it with chmod o-w")
            }
            Self::Unreadable(path, reason) => {
                write!(f, "the included {} is ignored: {reason}", path.display())
            }
        }
    }
}

/// An option file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DefaultsError {
    /// It could not be read.
    #[error("option file {}: {source}", path.display())]
    Read {
        /// Which file, or the folder of an `!includedir`.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line makes no sense.
    #[error("{}:{line}: {reason}", path.display())]
    Line {
        /// Which file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong, and the way out.
        reason: String,
    },
}

impl DefaultsFile {
    /// Reads a file and all that it includes. Relative paths are those of the process.
    ///
    /// # Errors
    /// [`DefaultsError`]; a file that is not there is `Read` with [`io::ErrorKind::NotFound`].
    pub fn read(path: &Path) -> Result<Self, DefaultsError> {
        let failed = |source| DefaultsError::Read { path: path.to_owned(), source };
        match System.read(path).map_err(failed)? {
            Content::Bytes(bytes) => Self::parse(path, &bytes, &mut System),
            Content::WorldWritable => Ok(Self {
                warnings: vec![DefaultsWarning::WorldWritable(path.to_owned())],
                ..Self::default()
            }),
        }
    }

    /// The same for a file that need not be there, such as `~/.my.cnf`.
    ///
    /// # Errors
    /// [`DefaultsError`] for a file that is there.
    pub fn read_if_present(path: &Path) -> Result<Option<Self>, DefaultsError> {
        match Self::read(path) {
            Err(DefaultsError::Read { path: at, source })
                if at == path && source.kind() == io::ErrorKind::NotFound =>
            {
                Ok(None)
            }
            outcome => outcome.map(Some),
        }
    }

    /// Reads the text of a file; `path` is what errors call it, `files` serves its includes.
    ///
    /// # Errors
    /// [`DefaultsError`]: a line that makes no sense, a folder that cannot be listed, files that
    /// include each other in a circle or too deep.
    pub fn parse(path: &Path, text: &[u8], files: &mut dyn Files) -> Result<Self, DefaultsError> {
        let mut reading = Reading {
            files,
            client: Settings::default(),
            own: Settings::default(),
            warnings: Vec::new(),
            open: Vec::new(),
            included: 0,
        };
        reading.file(path, text)?;
        let options = reading.own.over(reading.client).into_options();
        Ok(Self { options, warnings: reading.warnings })
    }
}

/// The state of a parse.
struct Reading<'a> {
    files: &'a mut dyn Files,
    client: Settings,
    own: Settings,
    warnings: Vec<DefaultsWarning>,
    /// The files that we are inside of.
    open: Vec<PathBuf>,
    included: usize,
}

/// Whose settings the lines at hand are.
#[derive(Clone, Copy)]
enum Group {
    Missing,
    Foreign,
    Client,
    Own,
}

impl Reading<'_> {
    fn file(&mut self, path: &Path, text: &[u8]) -> Result<(), DefaultsError> {
        self.open.push(path.to_owned());
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let mut group = Group::Missing;
        for (line, number) in text.split(|byte| *byte == b'\n').zip(1..) {
            let wrong =
                |reason| DefaultsError::Line { path: path.to_owned(), line: number, reason };
            match line::parse(line) {
                Line::Blank => {}
                Line::Group(name) => group = Group::named(&name),
                Line::Setting { name, value } => {
                    self.setting(group, &name, value.as_deref()).map_err(wrong)?;
                }
                Line::Include(file) => {
                    let file = PathBuf::from(files::os_path(file));
                    self.include(&file).map_err(|inner| inner.or(wrong))?;
                }
                Line::IncludeDir(dir) => {
                    let dir = PathBuf::from(files::os_path(dir));
                    self.include_dir(&dir).map_err(|inner| inner.or(wrong))?;
                }
                Line::Wrong(reason) => return Err(wrong(reason.into())),
            }
        }
        self.open.pop();
        Ok(())
    }

    fn setting(&mut self, group: Group, name: &[u8], value: Option<&[u8]>) -> Result<(), String> {
        match group {
            Group::Missing => Err("a setting stands before any [group]".into()),
            Group::Foreign => Ok(()),
            Group::Client => self.client.set(name, value),
            Group::Own => self.own.set(name, value),
        }
    }

    fn include(&mut self, path: &Path) -> Result<(), Include> {
        if self.open.iter().any(|open| open == path) {
            return Err(Include::Refused(format!("{} includes itself", path.display())));
        }
        if self.open.len() > DEPTH_MAX {
            return Err(Include::Refused(format!("more than {DEPTH_MAX} files deep")));
        }
        self.included += 1;
        if self.included > FILES_MAX {
            return Err(Include::Refused(format!("more than {FILES_MAX} files in all")));
        }
        match self.files.read(path) {
            Ok(Content::Bytes(text)) => self.file(path, &text).map_err(Include::Inside),
            Ok(Content::WorldWritable) => {
                self.warnings.push(DefaultsWarning::WorldWritable(path.to_owned()));
                Ok(())
            }
            Err(error) => {
                let warning = DefaultsWarning::Unreadable(path.to_owned(), error.to_string());
                self.warnings.push(warning);
                Ok(())
            }
        }
    }

    fn include_dir(&mut self, dir: &Path) -> Result<(), Include> {
        let mut paths = self.files.list(dir).map_err(|source| {
            Include::Inside(DefaultsError::Read { path: dir.to_owned(), source })
        })?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "cnf"));
        paths.sort();
        paths.iter().try_for_each(|path| self.include(path))
    }
}

impl Group {
    fn named(name: &[u8]) -> Self {
        match name {
            OWN_GROUP => Self::Own,
            name if CLIENT_GROUPS.contains(&name) => Self::Client,
            _ => Self::Foreign,
        }
    }
}

/// An include that failed: by its own line, or somewhere inside.
enum Include {
    Refused(String),
    Inside(DefaultsError),
}

impl Include {
    fn or(self, here: impl FnOnce(String) -> DefaultsError) -> DefaultsError {
        match self {
            Self::Refused(reason) => here(reason),
            Self::Inside(error) => error,
        }
    }
}

#[cfg(test)]
mod tests;
