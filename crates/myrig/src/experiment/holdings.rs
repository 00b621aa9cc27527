//! What an experiment holds on the machine, written down before it is taken: so that whatever
//! becomes of its process, `--resume` and `--cleanup` find all of it.
//!
//! ```text
//! HOME/experiments/ID/
//!     lock             held by the process that carries it out
//!     holdings.json    instances that are its own, and snapshots of the same names
//!     host …           notes of capabilities on what they have changed
//! ```

use crate::{failure::Failure, paths::Paths};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

const LIST: &str = "holdings.json";
const LOCK: &str = "lock";

/// Instances by name; a snapshot of one has its name.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct List {
    instances: BTreeSet<String>,
}

/// The holdings of an experiment; nobody else carries it out while they are open.
#[derive(Debug)]
pub(super) struct Holdings {
    id: String,
    dir: PathBuf,
    list: List,
    _lock: File,
}

impl Holdings {
    /// Those of a new experiment: none.
    ///
    /// # Errors
    /// The home cannot be written to.
    pub(super) fn begin(paths: &Paths, id: &str) -> Result<Self, Failure> {
        let dir = paths.experiments().join(id);
        fs::create_dir_all(&dir).with_context(|| format!("making {}", dir.display()))?;
        let lock = hold(&dir, id)?;
        let holdings = Self { id: id.to_owned(), dir, list: List::default(), _lock: lock };
        holdings.write()?;
        Ok(holdings)
    }

    /// Those of an experiment that was broken off.
    ///
    /// # Errors
    /// It has none, another process carries it out, or its list cannot be read.
    pub(super) fn open(paths: &Paths, id: &str) -> Result<Self, Failure> {
        let dir = paths.experiments().join(id);
        if !dir.is_dir() {
            return Err(anyhow::anyhow!(
                "{id} holds nothing any more: it went to its end or was cleaned up"
            )
            .into());
        }
        let lock = hold(&dir, id)?;
        let path = dir.join(LIST);
        let list = match fs::read(&path) {
            // It was killed before it had written one, so there is nothing yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => List::default(),
            read => {
                let bytes = read.with_context(|| format!("reading {}", path.display()))?;
                serde_json::from_slice(&bytes)
                    .with_context(|| format!("{} is damaged", path.display()))?
            }
        };
        Ok(Self { id: id.to_owned(), dir, list, _lock: lock })
    }

    /// Every experiment that holds something, the latest last.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub(super) fn all(paths: &Paths) -> Result<Vec<String>, Failure> {
        let dir = paths.experiments();
        let entries = match fs::read_dir(&dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.with_context(|| format!("reading {}", dir.display()))?,
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut ids: Vec<String> = names.collect();
        ids.sort();
        Ok(ids)
    }

    /// The experiment's id.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Where capabilities keep their notes.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Its instances.
    pub(super) fn instances(&self) -> Vec<String> {
        self.list.instances.iter().cloned().collect()
    }

    /// Says that an instance of this name is about to be made, and a snapshot of it.
    ///
    /// # Errors
    /// The list cannot be written: then nothing may be made.
    pub(super) fn take(&mut self, name: &str) -> Result<(), Failure> {
        if self.list.instances.insert(name.to_owned()) { self.write() } else { Ok(()) }
    }

    /// Says that they are gone.
    ///
    /// # Errors
    /// The list cannot be written.
    pub(super) fn give_back(&mut self, name: &str) -> Result<(), Failure> {
        if self.list.instances.remove(name) { self.write() } else { Ok(()) }
    }

    /// Nothing is held any more.
    ///
    /// # Errors
    /// The directory cannot be removed.
    pub(super) fn close(self) -> Result<(), Failure> {
        let removed = fs::remove_dir_all(&self.dir);
        Ok(removed.with_context(|| format!("removing {}", self.dir.display()))?)
    }

    fn write(&self) -> Result<(), Failure> {
        let (path, draft) = (self.dir.join(LIST), self.dir.join(".holdings.json"));
        let written = || -> io::Result<()> {
            let mut file = File::create(&draft)?;
            file.write_all(&serde_json::to_vec_pretty(&self.list)?)?;
            file.sync_all()?;
            fs::rename(&draft, &path)?;
            File::open(&self.dir)?.sync_all()
        };
        Ok(written().with_context(|| format!("writing {}", path.display()))?)
    }
}

fn hold(dir: &Path, id: &str) -> Result<File, Failure> {
    let path = dir.join(LOCK);
    let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = opened.with_context(|| format!("opening {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let words = format!("{id} is being carried out by another process: wait for its end");
            Err(anyhow::anyhow!(words).into())
        }
        Err(TryLockError::Error(error)) => {
            Err(anyhow::Error::new(error).context(format!("locking {}", path.display())).into())
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_was_taken_is_found_by_the_next_process() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::new(Some(home.path().to_owned())).unwrap();
        assert!(Holdings::all(&paths).unwrap().is_empty());
        let mut holdings = Holdings::begin(&paths, "experiment-1").unwrap();
        holdings.take("x1-1").unwrap();
        holdings.take("x1-2").unwrap();
        holdings.give_back("x1-1").unwrap();
        let busy = Holdings::open(&paths, "experiment-1").unwrap_err().to_string();
        assert!(busy.contains("another process"), "{busy}");
        drop(holdings);
        let found = Holdings::open(&paths, "experiment-1").unwrap();
        assert_eq!(found.instances(), ["x1-2"]);
        assert_eq!(Holdings::all(&paths).unwrap(), ["experiment-1"]);
        found.close().unwrap();
        assert!(Holdings::all(&paths).unwrap().is_empty());
        assert!(Holdings::open(&paths, "experiment-1").is_err());
    }

    #[test]
    fn a_damaged_list_is_refused_and_a_missing_one_is_empty() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::new(Some(home.path().to_owned())).unwrap();
        drop(Holdings::begin(&paths, "e").unwrap());
        let list = paths.experiments().join("e").join(LIST);
        fs::write(&list, "{\"instances\": 7}").unwrap();
        assert!(Holdings::open(&paths, "e").unwrap_err().to_string().contains("damaged"));
        fs::remove_file(&list).unwrap();
        assert!(Holdings::open(&paths, "e").unwrap().instances().is_empty());
    }
}
