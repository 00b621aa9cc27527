//! What a directory of an instance holds, before anything is done with it.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use super::{
    error::SnapshotError,
    manifest::{Access, DirectoryEntry, LinkEntry, Part, is_within},
};

/// Names in the top directory of a device or of an instance's data that are no data.
const NO_DATA: [&str; 2] = ["lost+found", super::swap::DRAFT];

/// A file to be copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Its path in the snapshot.
    pub(super) path: String,
    /// Where it is.
    pub(super) source: PathBuf,
    pub(super) size_bytes: u64,
    /// What it takes on its device.
    pub(super) allocated_bytes: u64,
    pub(super) access: Access,
}

/// Everything in the parts of an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) directories: Vec<DirectoryEntry>,
    pub(super) links: Vec<LinkEntry>,
    pub(super) files: Vec<Found>,
}

impl Tree {
    /// Looks through a part.
    pub(super) fn add(&mut self, part: &Part) -> Result<(), SnapshotError> {
        let access = access(&metadata(&part.origin)?);
        self.directories.push(DirectoryEntry { path: part.name.clone(), access });
        self.walk(&part.origin, &part.name, &part.origin)
    }

    /// What the files take on their devices, bytes.
    pub(super) fn allocated_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.allocated_bytes).sum()
    }

    fn walk(&mut self, dir: &Path, prefix: &str, top: &Path) -> Result<(), SnapshotError> {
        let failed = |error| SnapshotError::io("read", dir, error);
        let mut entries = fs::read_dir(dir).map_err(failed)?.collect::<Result<Vec<_>, _>>();
        if let Ok(entries) = &mut entries {
            entries.sort_by_key(fs::DirEntry::file_name);
        }
        for entry in entries.map_err(failed)? {
            let source = entry.path();
            let Ok(name) = entry.file_name().into_string() else {
                return Err(out_of_reach(&source, "its name is not UTF-8"));
            };
            if dir != top || !NO_DATA.contains(&&*name) {
                self.take(source, format!("{prefix}/{name}"), top)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, source: PathBuf, path: String, top: &Path) -> Result<(), SnapshotError> {
        let facts = metadata(&source)?;
        let (kind, access) = (facts.file_type(), access(&facts));
        if kind.is_dir() {
            self.directories.push(DirectoryEntry { path: path.clone(), access });
            self.walk(&source, &path, top)?;
        } else if kind.is_symlink() {
            let target = target(&source)?;
            self.links.push(LinkEntry { path, target });
        } else if kind.is_file() {
            if source.extension().is_some_and(|extension| extension == "isl") {
                let reason = "it leads to a table in another directory (DATA DIRECTORY); move \
                              that table into the instance first";
                return Err(out_of_reach(&source, reason));
            }
            let (size_bytes, allocated_bytes) = (facts.len(), facts.blocks() * 512);
            self.files.push(Found { path, source, size_bytes, allocated_bytes, access });
        }
        // What is left are sockets and the like, which hold nothing.
        Ok(())
    }
}

/// Where a link leads; what lies elsewhere would go on changing under the snapshot.
fn target(link: &Path) -> Result<String, SnapshotError> {
    let target = fs::read_link(link).map_err(|e| SnapshotError::io("read", link, e))?;
    match target.to_str() {
        Some(text) if is_within(text) => Ok(text.to_owned()),
        _ => {
            let reason = format!("it is a link to {}; put the data itself there", target.display());
            Err(SnapshotError::OutOfReach { path: link.to_owned(), reason })
        }
    }
}

fn metadata(path: &Path) -> Result<fs::Metadata, SnapshotError> {
    fs::symlink_metadata(path).map_err(|error| SnapshotError::io("read", path, error))
}

pub(super) fn access(facts: &fs::Metadata) -> Access {
    Access { mode: facts.mode() & 0o7777, uid: facts.uid(), gid: facts.gid() }
}

fn out_of_reach(path: &Path, reason: &str) -> SnapshotError {
    SnapshotError::OutOfReach { path: path.to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::{fs::symlink, net::UnixListener};

    fn tree(dir: &Path) -> Result<Tree, SnapshotError> {
        let mut tree = Tree::default();
        tree.add(&Part { name: "data".into(), origin: dir.to_owned() }).map(|()| tree)
    }

    #[test]
    fn files_directories_and_inner_links_are_found_and_sockets_are_not() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["tpcc", "lost+found"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("tpcc/item.ibd"), "abc").unwrap();
        fs::write(dir.path().join("lost+found/x"), "abc").unwrap();
        symlink("tpcc", dir.path().join("link")).unwrap();
        let _socket = UnixListener::bind(dir.path().join("mysqlx.sock")).unwrap();
        let tree = tree(dir.path()).unwrap();
        let directories: Vec<_> = tree.directories.iter().map(|entry| &*entry.path).collect();
        assert_eq!(directories, ["data", "data/tpcc"]);
        assert_eq!(tree.links, [LinkEntry { path: "data/link".into(), target: "tpcc".into() }]);
        assert_eq!(tree.files.len(), 1);
        assert_eq!((&*tree.files[0].path, tree.files[0].size_bytes), ("data/tpcc/item.ibd", 3));
    }

    #[test]
    fn data_elsewhere_is_refused_by_name() {
        for target in ["/var/lib/mysql", "../elsewhere"] {
            let dir = tempfile::tempdir().unwrap();
            symlink(target, dir.path().join("tpcc")).unwrap();
            let error = tree(dir.path()).unwrap_err().to_string();
            assert!(error.contains("tpcc") && error.contains(target), "{error}");
        }
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("t.isl"), "/ssd/t.ibd").unwrap();
        assert!(tree(dir.path()).unwrap_err().to_string().contains("DATA DIRECTORY"));
    }
}
