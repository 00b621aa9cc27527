//! The directory tree that holds instances.
//!
//! ```text
//! HOME/servers/NAME/            0700
//!     data/                     the server's data directory, or a link to it
//!     tmp/  log/                its temporary files; its log
//!     instance.json             what the instance is: server, port, settings
//!     run.json                  the process that serves it, while there is one
//!     my.cnf                    options of the server
//!     root.password             0600, password of root
//!     mysqld.sock  mysqld.pid   made by the server
//!     lock                      held by the command at work on the instance
//! HOME/servers/.init-NAME/      an instance in the making; a leftover when nothing locks it
//! HOME/servers/.removed-NAME/   an instance on its way out; likewise
//! HOME/snapshots/SNAP/          a snapshot, or a link to it; see `snapshot`
//! HOME/builds/NAME/             a server built from source; see `build`
//! ```

use std::{
    fmt, fs, io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    str::FromStr,
};

use serde::{Deserialize, Serialize};

use crate::{data, error::Error};

/// Longest path of a UNIX socket: `sun_path` holds 108 bytes, the last of them zero.
const SOCKET_PATH_BYTES_MAX: usize = 107;

/// Longest instance name; keeps paths short and tables readable.
const NAME_CHARS_MAX: usize = 32;

/// The name of an instance: letters, digits, `-`, `_` and `.`, beginning with a letter or digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct InstanceName(String);

impl InstanceName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for InstanceName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refuse = |reason| Err(Error::Name { name: text.to_owned(), reason });
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        match text.chars().next() {
            None => refuse("it is empty"),
            Some(first) if !first.is_ascii_alphanumeric() => {
                refuse("it must begin with a letter or digit")
            }
            Some(_) if !text.chars().all(allowed) => {
                refuse("only letters, digits, `-`, `_` and `.` are allowed")
            }
            Some(_) if text.len() > NAME_CHARS_MAX => refuse("it is longer than 32 characters"),
            Some(_) => Ok(Self(text.to_owned())),
        }
    }
}

impl TryFrom<String> for InstanceName {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<InstanceName> for String {
    fn from(name: InstanceName) -> Self {
        name.0
    }
}

impl fmt::Display for InstanceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A directory that holds instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    servers: PathBuf,
}

impl Home {
    /// The home at `path`, which need not exist yet.
    ///
    /// # Errors
    /// [`Error::Home`] when a relative path cannot be made absolute.
    pub fn at(path: &Path) -> Result<Self, Error> {
        let path = std::path::absolute(path).map_err(|source| Error::home(path, source))?;
        Ok(Self { servers: path.join("servers") })
    }

    /// The directory of the instances.
    pub fn servers(&self) -> &Path {
        &self.servers
    }

    /// The directory of the snapshots.
    pub fn snapshots(&self) -> PathBuf {
        self.servers.with_file_name("snapshots")
    }

    /// The directory of the servers that were built from source.
    pub fn builds(&self) -> PathBuf {
        self.servers.with_file_name("builds")
    }

    /// The files of an instance.
    pub(crate) fn layout(&self, name: &InstanceName) -> Layout {
        Layout { dir: self.servers.join(name.as_str()) }
    }

    /// The files of an instance in the making.
    pub(crate) fn draft(&self, name: &InstanceName) -> Layout {
        Layout { dir: self.servers.join(format!(".init-{name}")) }
    }

    /// Where an instance goes before it is deleted.
    pub(crate) fn removed(&self, name: &InstanceName) -> Layout {
        Layout { dir: self.servers.join(format!(".removed-{name}")) }
    }

    /// Makes the directory of the instances where it does not exist.
    pub(crate) fn create(&self) -> Result<(), Error> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&self.servers).map_err(|source| Error::home(&self.servers, source))
    }

    /// The names of the instances, in order.
    pub(crate) fn names(&self) -> Result<Vec<InstanceName>, Error> {
        let mut names: Vec<InstanceName> =
            self.entries()?.iter().filter_map(|entry| entry.parse().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// What unfinished commands left, or running ones are using.
    pub(crate) fn unfinished(&self) -> Result<Vec<Layout>, Error> {
        let unfinished =
            |entry: &String| entry.starts_with(".init-") || entry.starts_with(".removed-");
        let entries = self.entries()?.into_iter().filter(unfinished);
        Ok(entries.map(|entry| Layout { dir: self.servers.join(entry) }).collect())
    }

    fn entries(&self) -> Result<Vec<String>, Error> {
        let refuse = |source| Error::home(&self.servers, source);
        let entries = match fs::read_dir(&self.servers) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(refuse)?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(refuse)?;
            if let (true, Ok(name)) = (entry.path().is_dir(), entry.file_name().into_string()) {
                found.push(name);
            }
        }
        Ok(found)
    }
}

/// The files of one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    dir: PathBuf,
}

impl Layout {
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    pub(crate) fn tmp(&self) -> PathBuf {
        self.dir.join("tmp")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.dir.join("log/mysqld.log")
    }

    pub(crate) fn instance_record(&self) -> PathBuf {
        self.dir.join("instance.json")
    }

    pub(crate) fn run_record(&self) -> PathBuf {
        self.dir.join("run.json")
    }

    /// The cgroup that the server runs in.
    pub(crate) fn cgroup_record(&self) -> PathBuf {
        self.dir.join("cgroup.json")
    }

    pub(crate) fn options(&self) -> PathBuf {
        self.dir.join("my.cnf")
    }

    pub(crate) fn password(&self) -> PathBuf {
        self.dir.join("root.password")
    }

    pub(crate) fn pid(&self) -> PathBuf {
        self.dir.join("mysqld.pid")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.dir.join("mysqld.sock")
    }

    /// Refuses a socket path that the kernel could not take.
    pub(crate) fn check_socket(&self) -> Result<(), Error> {
        let path = self.socket();
        let bytes = path.as_os_str().len();
        if bytes > SOCKET_PATH_BYTES_MAX {
            return Err(Error::SocketPath { path, bytes, limit: SOCKET_PATH_BYTES_MAX });
        }
        Ok(())
    }

    /// Makes the directory, which must not exist, readable by nobody else.
    pub(crate) fn create(&self) -> io::Result<()> {
        fs::DirBuilder::new().mode(0o700).create(&self.dir)
    }

    /// Makes the directories within; `data` is where the data is to lie if not here.
    pub(crate) fn create_within(&self, data: Option<&Path>) -> Result<(), Error> {
        if let Some(data) = data {
            data::create(data, &self.data())?;
        }
        let own = if data.is_some() { &["tmp", "log"][..] } else { &["data", "tmp", "log"] };
        for dir in own.iter().map(|dir| self.dir.join(dir)) {
            let made = fs::DirBuilder::new().mode(0o700).create(&dir);
            made.map_err(|source| Error::home(&dir, source))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_could_leave_the_directory_are_refused() {
        for text in ["", ".", "..", "a/b", "../a", ".init-a", "-a", "a b", "a\n", "é", "a\0"] {
            assert!(text.parse::<InstanceName>().is_err(), "{text:?}");
        }
        assert!("x".repeat(33).parse::<InstanceName>().is_err());
        for text in ["a", "mysql-9.7", "8_0", &"x".repeat(32)] {
            assert_eq!(text.parse::<InstanceName>().unwrap().as_str(), text);
        }
    }

    #[test]
    fn a_socket_path_may_have_107_bytes_and_no_more() {
        let name: InstanceName = "a".parse().unwrap();
        let rest = "/servers/a/mysqld.sock".len();
        let fits = format!("/{}", "h".repeat(SOCKET_PATH_BYTES_MAX - rest - 1));
        Home::at(Path::new(&fits)).unwrap().layout(&name).check_socket().unwrap();
        let over = format!("{fits}h");
        let error = Home::at(Path::new(&over)).unwrap().layout(&name).check_socket().unwrap_err();
        let error = error.to_string();
        assert!(error.contains("--home") && error.contains("108"), "{error}");
    }

    #[test]
    fn only_whole_instances_are_listed() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path()).unwrap();
        assert_eq!(home.names().unwrap(), []);
        home.create().unwrap();
        for name in ["b", "a", ".init-c", ".removed-d"] {
            fs::create_dir(home.servers().join(name)).unwrap();
        }
        fs::write(home.servers().join("file"), "").unwrap();
        let names: Vec<String> = home.names().unwrap().into_iter().map(String::from).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(home.unfinished().unwrap().len(), 2);
    }

    proptest! {
        #[test]
        fn a_name_that_is_accepted_stays_in_its_directory(text in "\\PC{0,40}") {
            if let Ok(name) = text.parse::<InstanceName>() {
                let home = Home::at(Path::new("/h")).unwrap();
                let layout = home.layout(&name);
                prop_assert_eq!(layout.dir().parent(), Some(home.servers()));
                prop_assert_eq!(layout.dir().components().count(), 4);
            }
        }
    }
}
