//! What an instance keeps of itself: what it is, and which process serves it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use host::{Placement, Size};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    error::Error, home::InstanceName, installation::Installation, options::Settings,
    process::Identity,
};

/// Version of the record's form; one that is newer than the program is refused.
pub(crate) const FORMAT: u32 = 1;

/// What an instance is (`instance.json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InstanceRecord {
    pub(crate) format: u32,
    pub(crate) name: InstanceName,
    pub(crate) installation: Installation,
    pub(crate) port: u16,
    pub(crate) settings: Settings,
    /// Limits on processor time and memory.
    #[serde(default)]
    pub(crate) size: Size,
    /// Processors and NUMA nodes.
    #[serde(default)]
    pub(crate) placement: Placement,
    /// Where the data lies when not in the instance's own directory.
    #[serde(default)]
    pub(crate) data: Option<PathBuf>,
}

impl InstanceRecord {
    /// Reads `instance.json`.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let record: Self = read(path)?;
        if record.format != FORMAT {
            let reason = format!("its form is {}, this program knows {FORMAT}", record.format);
            return Err(Error::Record { path: path.to_owned(), reason });
        }
        Ok(record)
    }
}

/// The process that a `start` has made (`run.json`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunRecord {
    pub(crate) process: Identity,
    /// False until the server has answered: a start that died before leaves an orphan.
    pub(crate) ready: bool,
}

/// Reads a record.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = fs::read(path).map_err(|source| Error::io("read", path, source))?;
    serde_json::from_slice(&text)
        .map_err(|error| Error::Record { path: path.to_owned(), reason: error.to_string() })
}

/// Writes a record so that a crash leaves the old one or the new one, never half of it.
pub(crate) fn write<T: Serialize>(path: &Path, record: &T) -> Result<(), Error> {
    let text = serde_json::to_vec_pretty(record)
        .map_err(|error| Error::Record { path: path.to_owned(), reason: error.to_string() })?;
    replace(path, &text)
}

/// Puts new contents in place of a file's old ones, in one step.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> Result<(), Error> {
    let draft = path.with_extension("new");
    let write = || {
        write_private(&draft, contents)?;
        fs::rename(&draft, path)
    };
    write().map_err(|source| Error::io("write", path, source))
}

/// Writes a file that only its owner can read, down to the disk.
pub(crate) fn write_private(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.create(true).truncate(true).write(true).mode(0o600).open(path)?;
    file.write_all(contents)?;
    file.sync_all()
}

/// Removes a file; one that is not there is removed already.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// Makes a rename within a directory last through a power cut.
pub(crate) fn sync_dir(path: &Path) -> Result<(), Error> {
    let sync = || File::open(path)?.sync_all();
    sync().map_err(|source| Error::io("write", path, source))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_record_reads_back_and_only_its_owner_can() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.json");
        let record = RunRecord { process: Identity { pid: 1, start_ticks: 2 }, ready: true };
        write(&path, &record).unwrap();
        assert_eq!(read::<RunRecord>(&path).unwrap(), record);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "the draft is gone");
    }

    #[test]
    fn a_damaged_record_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("instance.json");
        for text in ["", "{", "[]", "{\"format\":1}"] {
            fs::write(&path, text).unwrap();
            let error = InstanceRecord::read(&path).unwrap_err();
            assert!(matches!(error, Error::Record { .. }), "{error}");
            assert!(error.to_string().contains("instance.json"));
        }
    }
}
