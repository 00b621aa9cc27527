//! A server program on this machine: where it is, how it is run, and what it is.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::process::Command;

use crate::{
    error::Error,
    version::{Flavour, Release},
};

/// How long a program may take to tell its version; a server answers in milliseconds.
const VERSION_DEADLINE: Duration = Duration::from_secs(20);

/// Names of the server program; MariaDB's own first, since it may bring the other as an alias.
const PROGRAMS: [&str; 2] = ["mariadbd", "mysqld"];

/// Directories of a prefix, or of the root of unpacked packages, that may hold the program.
pub(crate) const PROGRAM_DIRS: [&str; 7] =
    ["bin", "sbin", "libexec", "usr/sbin", "usr/bin", "usr/libexec", "usr/local/mysql/bin"];

/// Directories that hold servers without being on every search path.
const USUAL_DIRS: [&str; 5] = [
    "/usr/sbin",
    "/usr/libexec",
    "/usr/local/sbin",
    "/usr/local/mysql/bin",
    "/usr/local/mariadb/bin",
];

/// Directories of a prefix that may hold the messages and the system tables.
const SHARE_DIRS: [&str; 4] = ["share/mysql", "share/mariadb", "share", "share/mysql-server"];

/// Where to look for a server. The first of `mysqld` and `basedir` that is given decides alone;
/// without either, `path`, the usual directories and `roots` are searched in that order.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The server program itself (`--mysqld`).
    pub mysqld: Option<PathBuf>,
    /// An installation prefix, or a directory into which packages were unpacked (`--basedir`).
    pub basedir: Option<PathBuf>,
    /// Directories of the search path.
    pub path: Vec<PathBuf>,
    /// Further directories into which packages were unpacked.
    pub roots: Vec<PathBuf>,
    /// The only flavour that will do.
    pub flavour: Option<Flavour>,
}

/// A server program that runs and has told its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installation {
    /// What to execute: the program, or the loader that runs it.
    program: PathBuf,
    /// What precedes the server's own arguments.
    leading_arguments: Vec<String>,
    /// The server program.
    mysqld: PathBuf,
    /// The installation prefix.
    basedir: PathBuf,
    /// The directory of messages and system tables, where there is one.
    share: Option<PathBuf>,
    /// Flavour and version.
    release: Release,
}

impl Installation {
    /// Finds a server.
    ///
    /// # Errors
    /// [`Error::NotAServer`] when the named one does not run, [`Error::NoServer`] when there is
    /// none in the places of the search, or none of the flavour that was asked for.
    pub async fn find(search: &Search) -> Result<Self, Error> {
        if let Some(mysqld) = &search.mysqld {
            return Self::at(mysqld).await?.of_flavour(search, mysqld);
        }
        let places = places(search);
        let mut refusal = None;
        for program in places.iter().flat_map(|dir| programs(dir)) {
            match Self::at(&program).await.and_then(|it| it.of_flavour(search, &program)) {
                Ok(installation) => return Ok(installation),
                Err(error @ Error::NotAServer { .. }) => refusal = refusal.or(Some(error)),
                Err(_) => {}
            }
        }
        // A server that is there but broken is more to the point than that there is no other.
        Err(refusal.unwrap_or_else(|| no_server(search, &places)))
    }

    /// The server whose program is `mysqld`.
    ///
    /// # Errors
    /// [`Error::NotAServer`] when it does not run or does not answer as a server.
    pub async fn at(mysqld: &Path) -> Result<Self, Error> {
        let refuse = |reason: String| Error::NotAServer { path: mysqld.to_owned(), reason };
        let mysqld = std::path::absolute(mysqld).map_err(|error| refuse(error.to_string()))?;
        let (program, leading_arguments) = launcher(&mysqld);
        let output = Command::new(&program)
            .args(&leading_arguments)
            .args(["--no-defaults", "--version"])
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let output = tokio::time::timeout(VERSION_DEADLINE, output)
            .await
            .map_err(|_| refuse("it does not answer --version".into()))?
            .map_err(|error| refuse(error.to_string()))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let release = Release::parse(&said).ok_or_else(|| {
            let complaint = String::from_utf8_lossy(&output.stderr);
            let words = said.lines().chain(complaint.lines()).find(|line| !line.is_empty());
            refuse(format!("to --version it says `{}`", words.unwrap_or_default()))
        })?;
        let (basedir, share) = prefix(&mysqld);
        Ok(Self { program, leading_arguments, mysqld, basedir, share, release })
    }

    /// The server program (where a loader runs it, not the loader).
    pub fn mysqld(&self) -> &Path {
        &self.mysqld
    }

    /// The installation prefix, `--basedir` in the server's own terms.
    pub fn basedir(&self) -> &Path {
        &self.basedir
    }

    /// The directory of messages and system tables (`--lc-messages-dir`), where there is one.
    pub fn share(&self) -> Option<&Path> {
        self.share.as_deref()
    }

    /// Flavour and version.
    pub fn release(&self) -> &Release {
        &self.release
    }

    /// The server with an option file, as which more arguments may follow.
    pub fn command(&self, options: &Path) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        let mut file = OsString::from("--defaults-file=");
        file.push(options);
        command.args(&self.leading_arguments).arg(file);
        // Servers refuse to run as root unless told that it is meant.
        if rustix::process::geteuid().is_root() {
            command.arg("--user=root");
        }
        command
    }

    fn of_flavour(self, search: &Search, place: &Path) -> Result<Self, Error> {
        match search.flavour {
            Some(wanted) if wanted != self.release.flavour => {
                Err(no_server(search, &[place.to_owned()]))
            }
            _ => Ok(self),
        }
    }
}

fn no_server(search: &Search, places: &[PathBuf]) -> Error {
    let shown: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
    Error::NoServer {
        wanted: search.flavour.map_or("MySQL or MariaDB".into(), |flavour| flavour.to_string()),
        searched: if shown.is_empty() { "no directory at all".into() } else { shown.join(", ") },
    }
}

/// The directories to look in, in order and each once.
fn places(search: &Search) -> Vec<PathBuf> {
    let below = |prefix: &PathBuf| PROGRAM_DIRS.map(|dir| prefix.join(dir));
    let all: Vec<PathBuf> = match &search.basedir {
        Some(basedir) => below(basedir).to_vec(),
        None => {
            let usual = USUAL_DIRS.iter().map(PathBuf::from);
            let roots = search.roots.iter().flat_map(below);
            search.path.iter().cloned().chain(usual).chain(roots).collect()
        }
    };
    let mut places: Vec<PathBuf> = Vec::new();
    for place in all {
        if !places.contains(&place) && (search.basedir.is_some() || place.is_dir()) {
            places.push(place);
        }
    }
    places
}

/// The server programs in a directory, one for those that are the same file.
fn programs(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in PROGRAMS.map(|name| dir.join(name)) {
        let Ok(real) = path.canonicalize() else { continue };
        if real.is_file() && !found.iter().any(|(_, known)| *known == real) {
            found.push((path, real));
        }
    }
    found.into_iter().map(|(path, _)| path).collect()
}

/// The prefix and its directory of messages. A link to a program elsewhere leads to the prefix
/// there, unless the messages are where the link is.
fn prefix(mysqld: &Path) -> (PathBuf, Option<PathBuf>) {
    let here = basedir_of(mysqld);
    let there = mysqld.canonicalize().map(|real| basedir_of(&real));
    match (share_of(&here), there) {
        (None, Ok(there)) if share_of(&there).is_some() => {
            let share = share_of(&there);
            (there, share)
        }
        (share, _) => (here, share),
    }
}

/// The prefix of a program: `/usr` of `/usr/sbin/mysqld`.
fn basedir_of(mysqld: &Path) -> PathBuf {
    mysqld.parent().and_then(Path::parent).unwrap_or(Path::new("/")).to_owned()
}

fn share_of(basedir: &Path) -> Option<PathBuf> {
    let has_messages = |dir: &PathBuf| dir.join("english/errmsg.sys").is_file();
    SHARE_DIRS.iter().map(|dir| basedir.join(dir)).find(has_messages)
}

/// How to run the program. One that was unpacked with its libraries into a directory of its own
/// is run by the loader it came with, since the system's libraries may be older than it needs.
pub(crate) fn launcher(mysqld: &Path) -> (PathBuf, Vec<String>) {
    let plain = || (mysqld.to_owned(), Vec::new());
    let Some(root) = basedir_of(mysqld).parent().map(Path::to_owned) else { return plain() };
    if root == Path::new("/") {
        return plain();
    }
    let Some(loader) = loader_in(&root) else { return plain() };
    let (Some(libraries), Some(program)) =
        (loader.parent().and_then(Path::to_str), mysqld.to_str())
    else {
        return plain();
    };
    let arguments = vec!["--library-path".to_owned(), libraries.to_owned(), program.to_owned()];
    (loader, arguments)
}

/// The dynamic loader among unpacked packages: `usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2`.
fn loader_in(root: &Path) -> Option<PathBuf> {
    let files = |dir: PathBuf| {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let is_loader = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("ld-linux-") && path.is_file()
    };
    ["usr/lib", "lib"]
        .iter()
        .flat_map(|dir| files(root.join(dir)))
        .filter(|dir| dir.to_string_lossy().ends_with("-linux-gnu"))
        .find_map(|dir| files(dir).into_iter().find(is_loader))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::version::Version;

    fn script(path: &Path, says: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("#!/bin/sh\necho '{says}'\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    const PERCONA: &str = "mysqld  Ver 8.0.35-27 for Linux on x86_64 (Percona Server (GPL))";

    #[tokio::test]
    async fn a_prefix_is_enough_to_find_program_share_and_version() {
        let dir = tempfile::tempdir().unwrap();
        script(&dir.path().join("bin/mysqld"), PERCONA);
        fs::create_dir_all(dir.path().join("share/english")).unwrap();
        fs::write(dir.path().join("share/english/errmsg.sys"), "").unwrap();
        let search = Search { basedir: Some(dir.path().into()), ..Search::default() };
        let found = Installation::find(&search).await.unwrap();
        assert_eq!(found.basedir(), dir.path());
        assert_eq!(found.share(), Some(dir.path().join("share").as_path()));
        assert_eq!(found.release().flavour, Flavour::Percona);
        assert_eq!(found.release().version, Version::new(8, 0, 35));
        assert_eq!(found.leading_arguments, Vec::<String>::new());

        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path().join("bin/mysqld"), &link).unwrap();
        let linked = Installation::at(&link).await.unwrap();
        assert_eq!(linked.share(), found.share(), "a link leads to the same prefix");
    }

    #[tokio::test]
    async fn an_unpacked_root_is_run_by_its_own_loader() {
        let dir = tempfile::tempdir().unwrap();
        let libraries = dir.path().join("usr/lib/x86_64-linux-gnu");
        // The loader stands in for the real one: it tells what it was given.
        script(&dir.path().join("usr/sbin/mysqld"), "never run directly");
        script(&libraries.join("ld-linux-x86-64.so.2"), PERCONA);
        let search = Search { basedir: Some(dir.path().into()), ..Search::default() };
        let found = Installation::find(&search).await.unwrap();
        assert_eq!(found.program, libraries.join("ld-linux-x86-64.so.2"));
        let mysqld = dir.path().join("usr/sbin/mysqld");
        assert_eq!(
            found.leading_arguments,
            ["--library-path", libraries.to_str().unwrap(), mysqld.to_str().unwrap()]
        );
        assert_eq!(found.basedir(), dir.path().join("usr"));
    }

    #[tokio::test]
    async fn the_search_path_goes_before_unpacked_roots_and_flavour_decides() {
        let dir = tempfile::tempdir().unwrap();
        script(&dir.path().join("path/mysqld"), PERCONA);
        let newer = PERCONA.replace("8.0.35-27", "8.4.1-1");
        script(&dir.path().join("root/usr/sbin/mysqld"), &newer);
        let mut search = Search {
            path: vec![dir.path().join("path")],
            roots: vec![dir.path().join("root")],
            flavour: Some(Flavour::Percona),
            ..Search::default()
        };
        let found = Installation::find(&search).await.unwrap();
        assert_eq!(found.mysqld(), dir.path().join("path/mysqld"));
        search.path.clear();
        let found = Installation::find(&search).await.unwrap();
        assert_eq!(found.release().version, Version::new(8, 4, 1));
    }

    #[tokio::test]
    async fn what_was_not_found_is_told_with_options_and_packages() {
        let dir = tempfile::tempdir().unwrap();
        let search = Search { basedir: Some(dir.path().into()), ..Search::default() };
        let error = Installation::find(&search).await.unwrap_err().to_string();
        for word in ["--basedir", "--mysqld", "mariadb-server-core", dir.path().to_str().unwrap()] {
            assert!(error.contains(word), "{word} in {error}");
        }
    }

    #[tokio::test]
    async fn a_program_that_is_no_server_is_shown_with_its_words() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mysqld");
        script(&path, "hello");
        let search = Search { mysqld: Some(path.clone()), ..Search::default() };
        let error = Installation::find(&search).await.unwrap_err().to_string();
        assert!(error.contains("hello") && error.contains("--mysqld"), "{error}");
        fs::remove_file(&path).unwrap();
        let error = Installation::find(&search).await.unwrap_err();
        assert!(matches!(error, Error::NotAServer { .. }), "{error}");
    }
}
