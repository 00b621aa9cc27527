//! The system tablespace, which may be of several files.

use super::{Kind, Target, kind::number};
use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

/// A file of a system tablespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Where it is.
    pub path: PathBuf,
    /// Bytes of the files before it: where its first page is in the tablespace.
    pub start_bytes: u64,
    /// Its size, bytes.
    pub bytes: u64,
}

/// The system tablespaces that `targets` are of, one a directory, each in the order of its files:
/// by the numbers at the ends of their names, up to the first one that is not there.
pub(crate) fn members(targets: &[Target]) -> HashMap<PathBuf, Vec<Member>> {
    let mut spaces = HashMap::new();
    for target in targets.iter().filter(|target| target.kind == Some(Kind::System)) {
        let Some(directory) = target.path.parent() else { continue };
        if !spaces.contains_key(directory) {
            spaces.insert(directory.to_owned(), of_directory(directory));
        }
    }
    spaces
}

/// The files of the system tablespace in `directory`.
pub(crate) fn of_directory(directory: &Path) -> Vec<Member> {
    let mut start_bytes = 0;
    let mut members = Vec::new();
    for at in 1_u64.. {
        let path = directory.join(format!("ibdata{at}"));
        let Ok(meta) = fs::metadata(&path) else { break };
        members.push(Member { path, start_bytes, bytes: meta.len() });
        start_bytes += meta.len();
    }
    members
}

/// Whether `path` is the first file of its tablespace, by its name.
pub(crate) fn is_first(path: &Path) -> bool {
    number(path).is_none_or(|number| number == 1)
}
