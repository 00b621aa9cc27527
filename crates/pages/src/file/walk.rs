//! From paths that were named to the files that are to be looked at.

use super::{Kind, Named};
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashSet},
    ffi::OsStr,
    fs::{self, Metadata},
    io,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

/// A file that is to be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Where it is.
    pub path: PathBuf,
    /// What its name says; none where only its content can.
    pub kind: Option<Kind>,
    /// Its size when it was found, bytes.
    pub bytes: u64,
    /// It was named itself, not found in a directory.
    pub named: bool,
}

/// Files that are passed over, all for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// What they are, in words.
    pub what: String,
    /// How many of them there are.
    pub files: u64,
    /// The first of them.
    pub example: PathBuf,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// Where it is.
    pub path: PathBuf,
    /// Why not, in words.
    pub error: String,
}

/// What stands under the paths that were named.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Files to look at, in the order in which they were found.
    pub targets: Vec<Target>,
    /// What is passed over.
    pub skipped: Vec<Skipped>,
    /// What could not be read.
    pub failed: Vec<Failed>,
    /// Every directory that was named or walked.
    pub directories: Vec<PathBuf>,
}

/// A link that tells where a table's file is (MariaDB's and MySQL 5's `DATA DIRECTORY`), bytes.
const LINK_BYTES_MAX: u64 = 4096;

/// Finds the files under `paths`. Directories are walked whole; symbolic links are followed, and
/// nothing is looked at twice, whatever it is called.
pub fn walk(paths: &[PathBuf]) -> Found {
    let mut walker = Walker::default();
    for path in paths {
        walker.named(path);
    }
    let groups = walker.skipped.into_iter();
    walker.found.skipped = groups
        .map(|(what, (files, example))| Skipped { what: what.to_owned(), files, example })
        .collect();
    walker.found
}

#[derive(Default)]
struct Walker {
    found: Found,
    skipped: BTreeMap<&'static str, (u64, PathBuf)>,
    /// Device and inode of everything that was seen.
    seen: HashSet<(u64, u64)>,
}

impl Walker {
    fn named(&mut self, path: &Path) {
        let meta = match fs::metadata(path) {
            Ok(meta) => meta,
            Err(error) => return self.fail(path, &error),
        };
        if meta.is_dir() {
            return self.directories(path.to_owned(), &meta);
        }
        if !meta.is_file() {
            return self.fail(path, "neither a file nor a directory");
        }
        match Named::of(path) {
            Named::Foreign(what) => {
                self.fail(path, format!("no file of InnoDB's by its name ({what})"));
            }
            Named::Is(kind) => self.take(path.to_owned(), Some(kind), &meta, true),
            Named::Nothing => self.take(path.to_owned(), None, &meta, true),
        }
    }

    /// Walks `top` and what is below it; a stack instead of recursion, since depth is not ours.
    fn directories(&mut self, top: PathBuf, meta: &Metadata) {
        let mut waiting = vec![(top, meta.dev(), meta.ino())];
        while let Some((directory, device, inode)) = waiting.pop() {
            if !self.seen.insert((device, inode)) {
                continue;
            }
            let entries = match fs::read_dir(&directory) {
                Ok(entries) => entries,
                Err(error) => {
                    self.fail(&directory, error);
                    continue;
                }
            };
            let mut known = Vec::new();
            for entry in entries {
                match entry {
                    Ok(entry) => known.push(entry),
                    Err(error) => self.fail(&directory, error),
                }
            }
            // The order of a directory is nobody's; that of names is the same every time.
            known.sort_by_cached_key(fs::DirEntry::file_name);
            let mut below: Vec<_> = known.iter().filter_map(|entry| self.entry(entry)).collect();
            // The stack gives back the last first.
            below.sort_by(|a: &(PathBuf, u64, u64), b| b.0.cmp(&a.0));
            waiting.append(&mut below);
            self.found.directories.push(directory);
        }
    }

    /// Takes a file; returns a directory.
    fn entry(&mut self, entry: &fs::DirEntry) -> Option<(PathBuf, u64, u64)> {
        let path = entry.path();
        let meta = entry.metadata().and_then(|meta| match meta.is_symlink() {
            true => fs::metadata(&path),
            false => Ok(meta),
        });
        let meta = match meta {
            Ok(meta) => meta,
            // It was dropped since the directory was read, or is a link to nowhere.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.skip("gone, or a link to nowhere", path);
                return None;
            }
            Err(error) => {
                self.fail(&path, error);
                return None;
            }
        };
        if entry.file_name().as_bytes().starts_with(b".") {
            self.skip("hidden", path);
        } else if meta.is_dir() {
            return Some((path, meta.dev(), meta.ino()));
        } else if !meta.is_file() {
            self.skip("neither a file nor a directory", path);
        } else {
            self.file(path, &meta);
        }
        None
    }

    fn file(&mut self, path: PathBuf, meta: &Metadata) {
        match Named::of(&path) {
            Named::Is(kind) => self.take(path, Some(kind), meta, false),
            // What has no extension may be a file of a system tablespace with a name of its own.
            Named::Nothing if path.extension().is_none() => self.take(path, None, meta, false),
            Named::Nothing => self.skip("unknown", path),
            Named::Foreign(what) => {
                if path.extension() == Some(OsStr::new("isl")) {
                    self.link(&path);
                }
                self.skip(what, path);
            }
        }
    }

    /// Follows a file that holds the path of another one.
    fn link(&mut self, path: &Path) {
        let short = fs::metadata(path).is_ok_and(|meta| meta.len() <= LINK_BYTES_MAX);
        let Some(text) = short.then(|| fs::read(path).ok()).flatten() else { return };
        let there = PathBuf::from(OsStr::from_bytes(text.trim_ascii()));
        match fs::metadata(&there) {
            Ok(meta) if meta.is_file() => self.take(there, Some(Kind::Table), &meta, false),
            Ok(_) => self.fail(&there, "no file, although an .isl names it"),
            Err(error) => self.fail(&there, format!("{error} ({} names it)", path.display())),
        }
    }

    fn take(&mut self, path: PathBuf, kind: Option<Kind>, meta: &Metadata, named: bool) {
        if self.seen.insert((meta.dev(), meta.ino())) {
            self.found.targets.push(Target { path, kind, bytes: meta.len(), named });
        }
    }

    fn skip(&mut self, what: &'static str, path: PathBuf) {
        self.skipped.entry(what).or_insert((0, path)).0 += 1;
    }

    fn fail(&mut self, path: &Path, error: impl ToString) {
        self.found.failed.push(Failed { path: path.to_owned(), error: error.to_string() });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::os::unix::fs::symlink;

    fn names(found: &Found, home: &Path) -> Vec<String> {
        let name = |target: &Target| {
            target.path.strip_prefix(home).unwrap_or(&target.path).display().to_string()
        };
        let mut names: Vec<String> = found.targets.iter().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn a_data_directory_is_walked_and_what_is_not_innodbs_is_told() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::create_dir_all(at("shop/deeper")).unwrap();
        fs::create_dir_all(at(".snapshots")).unwrap();
        for name in ["ibdata1", "sys2", "shop/t.ibd", "shop/t.frm", "shop/u.frm", "aria_log.1"] {
            fs::write(at(name), b"x").unwrap();
        }
        fs::write(at(".snapshots/t.ibd"), b"x").unwrap();
        fs::write(at("shop/what.ever"), b"x").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("fifo"), 0o600.into()).unwrap();
        let found = walk(&[home.path().to_owned()]);
        assert_eq!(names(&found, home.path()), ["ibdata1", "shop/t.ibd", "sys2"]);
        let told: Vec<(&str, u64)> =
            found.skipped.iter().map(|group| (group.what.as_str(), group.files)).collect();
        let expected = [
            ("Aria", 1),
            ("definition", 2),
            ("hidden", 1),
            ("neither a file nor a directory", 1),
            ("unknown", 1),
        ];
        assert_eq!(told, expected);
        assert_eq!(found.failed, []);
    }

    #[test]
    fn links_are_followed_once_and_loops_end() {
        let home = tempfile::tempdir().unwrap();
        let away = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::create_dir(at("db")).unwrap();
        fs::write(away.path().join("far.ibd"), b"x").unwrap();
        fs::write(away.path().join("told.ibd"), b"x").unwrap();
        symlink(home.path(), at("db/loop")).unwrap();
        symlink(away.path().join("far.ibd"), at("db/far.ibd")).unwrap();
        symlink(away.path().join("far.ibd"), at("db/far2.ibd")).unwrap();
        symlink(at("nowhere"), at("db/gone.ibd")).unwrap();
        fs::write(at("db/told.isl"), away.path().join("told.ibd").as_os_str().as_bytes()).unwrap();
        fs::write(at("db/lost.isl"), b"/nowhere/at/all.ibd\n").unwrap();
        let found = walk(&[home.path().to_owned(), at("db")]);
        assert_eq!(found.targets.len(), 2, "{:?}", found.targets);
        assert!(found.targets.iter().any(|target| target.path == away.path().join("told.ibd")));
        assert_eq!(found.failed.len(), 1, "{:?}", found.failed);
        assert!(found.failed[0].error.contains("lost.isl"), "{:?}", found.failed);
    }

    #[test]
    fn what_is_named_itself_and_is_not_innodbs_is_an_error() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::write(at("t.MYI"), b"x").unwrap();
        fs::write(at("backup.bin"), b"x").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("t.ibd"), 0o600.into()).unwrap();
        let found = walk(&[at("t.MYI"), at("t.ibd"), at("none.ibd"), at("backup.bin")]);
        let errors: Vec<&str> = found.failed.iter().map(|failed| failed.error.as_str()).collect();
        assert_eq!(errors.len(), 3);
        assert_eq!(errors[0], "no file of InnoDB's by its name (MyISAM)");
        assert_eq!(errors[1], "neither a file nor a directory");
        assert!(errors[2].starts_with("No such file"), "{errors:?}");
        // Its content decides.
        assert_eq!(found.targets.len(), 1);
        assert_eq!(found.targets[0].kind, None);
    }
}
