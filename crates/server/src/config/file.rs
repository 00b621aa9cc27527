//! An existing option file with what it includes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    error::ConfigError,
    given::{Given, Place},
    line::Line,
};

/// The longest option file that is read, in bytes; longer ones are something else.
const SIZE_MAX_BYTES: u64 = 1 << 20;

/// The most files that one may lead to, so that files which include each other's neighbours twice
/// come to an end.
const FILES_MAX: usize = 100;

/// The sections that a server reads, whatever its version.
const SERVER_SECTIONS: [&str; 7] =
    ["mysqld", "server", "mariadb", "mariadbd", "client-server", "percona", "galera"];

/// What an option file says to servers.
#[derive(Clone, Debug, Default)]
pub struct OptionFile {
    /// The settings in their order, with those of included files where they are included.
    pub given: Vec<Given>,
    /// The sections that are not for servers, or for other versions.
    pub passed_over: Vec<PassedOver>,
}

/// A section that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// Its head.
    pub place: Place,
    /// Its name.
    pub section: String,
    /// How many settings it holds.
    pub settings: usize,
}

impl OptionFile {
    /// Reads an option file. `series` is that of the server it was written for, such as `8.4`:
    /// sections such as `[mysqld-8.4]` are taken for it alone. Relative paths of included files
    /// are relative to the file that names them.
    ///
    /// # Errors
    /// [`ConfigError::Read`], and [`ConfigError::Line`] for what no server would read and for a
    /// file that includes itself.
    pub fn read(path: &Path, series: &str) -> Result<Self, ConfigError> {
        let mut reader =
            Reader { series: series.to_owned(), open: Vec::new(), files: 0, read: Self::default() };
        reader.file(path)?;
        Ok(reader.read)
    }
}

struct Reader {
    series: String,
    /// The files that are being read, each included by the one before.
    open: Vec<PathBuf>,
    /// How many files were included so far.
    files: usize,
    read: OptionFile,
}

impl Reader {
    fn file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let text = text_of(path)?;
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.open.push(real);
        // None before the first section, else whether it is for the server.
        let mut taken = None;
        for (line, number) in text.lines().zip(1..) {
            let place = || Place::File { path: path.to_owned(), line: number };
            let refuse = |reason: String| ConfigError::Line { place: place(), reason };
            match Line::parse(line).map_err(refuse)? {
                Line::Blank => {}
                Line::Section(section) => taken = Some(self.section(section, place())),
                Line::Include(other) => self.include(path, Path::new(&other), &place())?,
                Line::IncludeDir(dir) => {
                    for other in files_of(&beside(path, Path::new(&dir)))? {
                        self.include(path, &other, &place())?;
                    }
                }
                Line::Option { name, value } => match taken {
                    Some(true) => self.read.given.push(Given { name, value, place: place() }),
                    Some(false) => {
                        if let Some(section) = self.read.passed_over.last_mut() {
                            section.settings += 1;
                        }
                    }
                    None => {
                        let reason = format!("`{name}` stands before any section; say [mysqld]");
                        return Err(refuse(reason));
                    }
                },
            }
        }
        self.open.pop();
        Ok(())
    }

    /// Says whether a section is taken.
    fn section(&mut self, section: String, place: Place) -> bool {
        let name = section.to_ascii_lowercase();
        let (plain, series) = match name.rsplit_once('-') {
            Some((plain, series)) if series.starts_with(|c: char| c.is_ascii_digit()) => {
                (plain, Some(series))
            }
            _ => (name.as_str(), None),
        };
        let taken = SERVER_SECTIONS.contains(&plain) && series.is_none_or(|it| it == self.series);
        if !taken {
            self.read.passed_over.push(PassedOver { place, section, settings: 0 });
        }
        taken
    }

    fn include(&mut self, from: &Path, other: &Path, place: &Place) -> Result<(), ConfigError> {
        let path = beside(from, other);
        let refuse = |reason: String| ConfigError::Line { place: place.clone(), reason };
        let real = path
            .canonicalize()
            .map_err(|error| refuse(format!("cannot include {}: {error}", path.display())))?;
        if self.open.contains(&real) {
            return Err(refuse(format!("{} includes itself", path.display())));
        }
        self.files += 1;
        if self.files > FILES_MAX {
            return Err(refuse(format!("more than {FILES_MAX} files are included")));
        }
        self.file(&path)
    }
}

fn beside(file: &Path, other: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new(".")).join(other)
}

/// The option files of a directory, in the order of their names.
fn files_of(dir: &Path) -> Result<Vec<PathBuf>, ConfigError> {
    let failed = |source| ConfigError::Read { path: dir.to_owned(), source };
    let entries = fs::read_dir(dir).map_err(failed)?.collect::<Result<Vec<_>, _>>();
    let is_option_file = |path: &PathBuf| path.extension().is_some_and(|it| it == "cnf");
    let paths = entries.map_err(failed)?.into_iter().map(|entry| entry.path());
    let mut paths: Vec<_> = paths.filter(is_option_file).collect();
    paths.sort();
    // What a relative path is relative to is put before it again by the reader.
    paths.into_iter().map(|path| std::path::absolute(path).map_err(failed)).collect()
}

fn text_of(path: &Path) -> Result<String, ConfigError> {
    let failed = |source| ConfigError::Read { path: path.to_owned(), source };
    let size_bytes = fs::metadata(path).map_err(failed)?.len();
    if size_bytes > SIZE_MAX_BYTES {
        let reason = format!("{size_bytes} bytes are no option file");
        return Err(ConfigError::Line {
            place: Place::File { path: path.into(), line: 1 },
            reason,
        });
    }
    let bytes = fs::read(path).map_err(failed)?;
    String::from_utf8(bytes).map_err(|error| {
        let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let place = Place::File { path: path.into(), line };
        ConfigError::Line { place, reason: "it is not UTF-8 text".into() }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn read(files: &[(&str, &str)]) -> Result<OptionFile, String> {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let read = OptionFile::read(&dir.path().join(files[0].0), "8.4");
        read.map_err(|error| error.to_string())
    }

    fn names(read: &OptionFile) -> Vec<&str> {
        read.given.iter().map(|given| given.name.as_str()).collect()
    }

    #[test]
    fn sections_of_servers_are_taken_and_others_said() {
        let text = "[mysqld_safe]\nlog-error=a\n[client]\n[mysqld]\na=1\n[mysqld-8.4]\nb\n\
                    [mysqld-8.0]\nc=1\n[MariaDB]\nd=1\n";
        let read = read(&[("my.cnf", text)]).unwrap();
        assert_eq!(names(&read), ["a", "b", "d"]);
        let passed: Vec<_> =
            read.passed_over.iter().map(|it| (it.section.as_str(), it.settings)).collect();
        assert_eq!(passed, [("mysqld_safe", 1), ("client", 0), ("mysqld-8.0", 1)]);
        assert!(read.given[0].place.to_string().ends_with("my.cnf:5"));
    }

    #[test]
    fn included_files_are_read_where_they_are_included() {
        let read = read(&[
            ("my.cnf", "!includedir conf.d\n[mysqld]\nb=1\n!include more/c.txt\nd=1\n"),
            ("conf.d/1.cnf", "[mysqld]\na1=1\n"),
            ("conf.d/0.cnf", "[server]\na0=1\n"),
            ("conf.d/readme", "not an option file"),
            ("more/c.txt", "[mysqld]\nc=1\n"),
        ]);
        assert_eq!(names(&read.unwrap()), ["a0", "a1", "b", "c", "d"]);
    }

    #[test]
    fn what_cannot_be_read_is_told_with_file_and_line() {
        for (files, words) in [
            (vec![("my.cnf", "a=1\n")], ["my.cnf:1", "[mysqld]"]),
            (vec![("my.cnf", "[mysqld]\n\n[oops\n")], ["my.cnf:3", "`]`"]),
            (vec![("my.cnf", "!include none.cnf\n")], ["my.cnf:1", "none.cnf"]),
            (vec![("my.cnf", "!include my.cnf\n")], ["my.cnf:1", "includes itself"]),
            (
                vec![("my.cnf", "!include b.cnf\n"), ("b.cnf", "\n!include my.cnf")],
                ["b.cnf:2", "includes itself"],
            ),
        ] {
            let error = read(&files).unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
    }

    #[test]
    fn files_that_multiply_come_to_an_end() {
        let names: Vec<String> = (0..9).map(|number| format!("{number}.cnf")).collect();
        let twice = |next: usize| format!("!include {next}.cnf\n!include {next}.cnf\n");
        let texts: Vec<String> = (1..9).map(twice).chain([String::new()]).collect();
        let files: Vec<_> =
            names.iter().zip(&texts).map(|(n, t)| (n.as_str(), t.as_str())).collect();
        assert!(read(&files).unwrap_err().contains("more than 100 files"));
    }

    #[test]
    fn bytes_that_are_no_text_are_told_with_their_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("my.cnf");
        fs::write(&path, b"[mysqld]\na=1\nb=\xff\xfe\n").unwrap();
        let error = OptionFile::read(&path, "").unwrap_err().to_string();
        assert!(error.contains("my.cnf:3") && error.contains("UTF-8"), "{error}");
        let error = OptionFile::read(&dir.path().join("none"), "").unwrap_err().to_string();
        assert!(error.contains("none"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_bytes_get_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("my.cnf");
            fs::write(&path, &bytes).unwrap();
            let _answer = OptionFile::read(&path, "8.4");
        }
    }
}
