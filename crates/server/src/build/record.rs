//! What is kept of a build (`build.json`).

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde::{Deserialize, Serialize};

use super::{Step, error::BuildError};
use crate::{
    home::Home,
    installation::{Installation, Search},
    record,
    version::Release,
};

/// Version of the record's form.
const FORMAT: u32 = 1;
/// Longest name of a build.
const NAME_CHARS_MAX: usize = 64;

/// A server that was built.
#[derive(Clone, Debug, PartialEq)]
pub struct Build {
    /// Its directory.
    pub dir: PathBuf,
    /// What it was built of.
    pub record: BuildRecord,
}

/// What was built of what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildRecord {
    /// 1.
    pub format: u32,
    /// The build's name.
    pub name: String,
    /// The tarball.
    pub source: Source,
    /// The patches, in the order in which they were applied.
    pub patches: Vec<Source>,
    /// Arguments of CMake.
    pub cmake_args: Vec<String>,
    /// The compiler in its own words.
    pub compiler: String,
    /// Where the server is installed.
    pub prefix: PathBuf,
    /// The server program.
    pub mysqld: PathBuf,
    /// What the server says it is.
    pub release: Release,
    /// The steps of the last build.
    pub steps: Vec<StepTime>,
    /// When it ended, RFC 3339.
    pub built_at: String,
}

/// A file that a build was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Where it was.
    pub path: PathBuf,
    /// SHA-256 of its contents, hexadecimal.
    pub sha256: String,
}

/// How long a step took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepTime {
    /// The step.
    pub step: Step,
    /// Its time, seconds.
    pub took_s: f64,
    /// Whether an earlier build had done it already.
    pub was_done: bool,
}

impl Source {
    /// A file and its checksum.
    pub(super) fn of(path: &Path) -> Result<Self, BuildError> {
        let failed = |error| BuildError::io("read", path, error);
        let path = path.canonicalize().map_err(failed)?;
        let output = Command::new("sha256sum").arg("--").arg(&path).output().map_err(failed)?;
        let text = String::from_utf8_lossy(&output.stdout);
        // A name with a backslash or a newline has the line begin with a backslash.
        let sum = text.split_whitespace().next().unwrap_or_default().trim_start_matches('\\');
        match sum.len() == 64 && sum.chars().all(|c| c.is_ascii_hexdigit()) {
            true => Ok(Self { sha256: sum.to_owned(), path }),
            false => {
                let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                Err(BuildError::io("read", &path, std::io::Error::other(said)))
            }
        }
    }
}

impl Build {
    /// The build of that name.
    ///
    /// # Errors
    /// [`BuildError::NoBuild`]; a record that cannot be read.
    pub fn open(home: &Home, name: &str) -> Result<Self, BuildError> {
        check_name(name)?;
        let dir = home.builds().join(name);
        let path = dir.join("build.json");
        if !path.is_file() {
            return Err(BuildError::NoBuild { name: name.to_owned(), dir: home.builds() });
        }
        let record: BuildRecord = record::read(&path)?;
        Ok(Self { dir, record })
    }

    /// Every build that is whole, in the order of their names.
    ///
    /// # Errors
    /// A record that cannot be read.
    pub fn list(home: &Home) -> Result<Vec<Self>, BuildError> {
        let entries = fs::read_dir(home.builds()).into_iter().flatten().flatten();
        let mut names: Vec<_> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        let is_whole = |name: &String| home.builds().join(name).join("build.json").is_file();
        names.iter().filter(|name| is_whole(name)).map(|name| Self::open(home, name)).collect()
    }

    /// The server that it made.
    ///
    /// # Errors
    /// It is gone, or does not run.
    pub async fn installation(&self) -> Result<Installation, BuildError> {
        Ok(Installation::at(&self.record.mysqld).await?)
    }
}

/// Everything of a record but what only the installed server can tell.
#[derive(Clone, Debug)]
pub(super) struct Ingredients {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) patches: Vec<Source>,
    pub(super) cmake_args: Vec<String>,
    pub(super) compiler: String,
    pub(super) prefix: PathBuf,
    pub(super) steps: Vec<StepTime>,
}

/// Asks the installed server what it is, and keeps the answer.
pub(super) async fn register(
    dir: &Path,
    made: Ingredients,
    built_at: String,
) -> Result<Build, BuildError> {
    let search = Search { basedir: Some(made.prefix.clone()), ..Search::default() };
    let installation = Installation::find(&search).await?;
    let record = BuildRecord {
        format: FORMAT,
        name: made.name,
        source: made.source,
        patches: made.patches,
        cmake_args: made.cmake_args,
        compiler: made.compiler,
        prefix: made.prefix,
        mysqld: installation.mysqld().to_owned(),
        release: installation.release().clone(),
        steps: made.steps,
        built_at,
    };
    record::write(&dir.join("build.json"), &record)?;
    Ok(Build { dir: dir.to_owned(), record })
}

/// Refuses what could leave the directory of builds.
pub(super) fn check_name(name: &str) -> Result<(), BuildError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let reason = match () {
        () if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) => {
            "it must begin with a letter or digit"
        }
        () if !name.chars().all(allowed) => "only letters, digits, `-`, `_` and `.` are allowed",
        () if name.len() > NAME_CHARS_MAX => "it is longer than 64 characters",
        () => return Ok(()),
    };
    Err(BuildError::Name { name: name.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_checksum_of_a_file_is_the_one_that_publishers_print() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("with\\backslash");
        fs::write(&path, "abc").unwrap();
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Source::of(&path).unwrap().sha256, sum);
        assert!(Source::of(&dir.path().join("none")).is_err());
        assert!(Source::of(dir.path()).is_err());
    }

    #[test]
    fn names_that_could_leave_the_directory_are_refused() {
        for name in ["", ".", "..", "a/b", "-a", "a b", &"x".repeat(65)] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        check_name("mysql-8.0.20-patched").unwrap();
    }
}
