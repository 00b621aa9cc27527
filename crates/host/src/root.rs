//! The directory tree that stands for the machine.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Where `/proc`, `/sys` and `/etc` are found: `/`, or a tree that a test has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(PathBuf);

impl Root {
    /// This machine.
    pub fn real() -> Self {
        Self::at(Path::new("/"))
    }

    /// The tree at `path`.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// True for the machine itself.
    pub fn is_real(&self) -> bool {
        self.0 == Path::new("/")
    }

    /// A path of the machine, with or without its leading slash, in this tree.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.0.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// The text of a file without blanks at its ends; none where there is no such file.
    ///
    /// # Errors
    /// A file that is there and cannot be read.
    pub fn read(&self, path: impl AsRef<Path>) -> io::Result<Option<String>> {
        match fs::read(self.path(path)) {
            // What files of the kernel hold need not be UTF-8: device names, for one.
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned())),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The same, with none as well for what cannot be read.
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        self.read(path).ok().flatten()
    }

    /// Writes a line into a file that is there, at once, as the files of the kernel want it.
    ///
    /// # Errors
    /// No such file, no permission, or a value that the kernel refuses.
    pub fn write(&self, path: impl AsRef<Path>, text: &str) -> io::Result<()> {
        let file = fs::OpenOptions::new().write(true).truncate(true).open(self.path(path));
        file?.write_all(format!("{text}\n").as_bytes())
    }

    /// The number that is all that a file holds.
    pub fn number<T: std::str::FromStr>(&self, path: impl AsRef<Path>) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// The names in a directory, in order; none where there is no such directory.
    pub fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).into_iter().flatten().flatten();
        let mut names: Vec<_> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}

/// A directory of the kernel may go with its device between two calls.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || error.raw_os_error() == Some(rustix::io::Errno::NODEV.raw_os_error())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn paths_of_the_machine_stay_in_the_tree() {
        let root = Root::at(Path::new("/tree"));
        assert_eq!(root.path("/proc/stat"), Path::new("/tree/proc/stat"));
        assert_eq!(root.path("proc/stat"), Path::new("/tree/proc/stat"));
        assert!(Root::real().is_real() && !root.is_real());
    }

    #[test]
    fn what_is_absent_is_no_error() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::at(dir.path());
        fs::write(root.path("n"), " 42\n").unwrap();
        assert_eq!(root.number::<u64>("n"), Some(42));
        assert_eq!(root.read("none").unwrap(), None);
        assert_eq!(root.read("n/below").unwrap(), None);
        assert_eq!(root.names("none"), Vec::<String>::new());
        assert_eq!(root.names("/"), ["n"]);
    }

    #[test]
    fn only_files_that_are_there_are_written() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::at(dir.path());
        fs::write(root.path("n"), "1024\n").unwrap();
        root.write("n", "7").unwrap();
        assert_eq!(fs::read_to_string(root.path("n")).unwrap(), "7\n");
        assert!(root.write("none", "7").is_err() && root.names("/") == ["n"]);
    }
}
