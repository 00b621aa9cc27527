//! Where an instance's data lies: its data directory, and what its settings put elsewhere.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{error::SnapshotError, manifest::Part};
use crate::{
    instance::Instance,
    options::{self, Settings},
};

/// The part that every snapshot has.
pub(super) const DATA: &str = "data";

/// Options that name a directory of data.
const DIRECTORIES: [&str; 5] = [
    "innodb-log-group-home-dir",
    "innodb-undo-directory",
    "innodb-data-home-dir",
    "innodb-doublewrite-dir",
    "aria-log-dir-path",
];

/// Options that name files of data by how they begin.
const PREFIXES: [&str; 2] = ["log-bin", "relay-log"];

/// Options that spread data over several places.
const SCATTERING: [&str; 2] = ["innodb-directories", "innodb-data-file-path"];

/// The parts of an instance, its data directory first.
pub(super) fn of(instance: &Instance) -> Result<Vec<Part>, SnapshotError> {
    let found =
        |path: &Path| path.canonicalize().map_err(|error| SnapshotError::io("find", path, error));
    let data = found(&instance.layout.data())?;
    let mut parts = vec![Part { name: DATA.to_owned(), origin: data.clone() }];
    for (name, dir) in elsewhere(instance.settings(), &data)? {
        let origin = found(&dir)?;
        if !origin.starts_with(&data) && !parts.iter().any(|part| part.origin == origin) {
            parts.push(Part { name, origin });
        }
    }
    match parts[1..].iter().find(|part| data.starts_with(&part.origin)) {
        Some(part) => Err(SnapshotError::OutOfReach {
            path: part.origin.clone(),
            reason: format!("{} names a directory around the data itself", part.name),
        }),
        None => Ok(parts),
    }
}

/// The directories that settings put outside the data directory, by the option that does.
pub(super) fn elsewhere(
    settings: &Settings,
    data: &Path,
) -> Result<Vec<(String, PathBuf)>, SnapshotError> {
    let mut found = Vec::new();
    for (given, value) in settings {
        let plain = options::plain(given);
        let name = plain.strip_prefix("loose-").unwrap_or(&plain);
        let refuse = |reason: String| {
            let path = PathBuf::from(format!("{given}={value}"));
            SnapshotError::OutOfReach { path, reason }
        };
        let value = value.trim_matches(['"', '\'']);
        if SCATTERING.contains(&name) && value.contains('/') {
            let reason = "it names files in other directories; keep them with the data";
            return Err(refuse(reason.into()));
        }
        let dir = if DIRECTORIES.contains(&name) {
            data.join(value)
        } else if PREFIXES.contains(&name) && value.contains('/') {
            let prefix = data.join(value);
            check_prefix(&prefix).map_err(refuse)?;
            prefix.parent().unwrap_or(data).to_owned()
        } else {
            continue;
        };
        if !dir.starts_with(data) {
            found.push((name.to_owned(), dir));
        }
    }
    Ok(found)
}

/// Files known by their beginning must have a directory of their own: it comes and goes whole.
fn check_prefix(prefix: &Path) -> Result<(), String> {
    let unnamed = || "it names no files".to_owned();
    let (dir, name) = (prefix.parent().ok_or_else(unnamed)?, prefix.file_name());
    let name = name.and_then(|name| name.to_str()).ok_or_else(unnamed)?;
    let stem = name.split('.').next().unwrap_or(name);
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let other = entry.file_name();
        let other = other.to_string_lossy();
        if !other.starts_with(stem) && other != "lost+found" {
            let dir = dir.display();
            return Err(format!(
                "{dir} holds `{other}`, too; give these files a directory of \
                                their own"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn files_known_by_their_beginning_need_a_directory_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = dir.path().join("binlog");
        for name in ["binlog.000001", "binlog.index"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        check_prefix(&prefix).unwrap();
        fs::write(dir.path().join("thesis.tex"), "").unwrap();
        assert!(check_prefix(&prefix).unwrap_err().contains("thesis.tex"));
    }
}
