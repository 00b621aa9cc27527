//! What a snapshot holds, file by file (`manifest.json`; docs/snapshots.md describes it).

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use host::Size;
use serde::{Deserialize, Serialize};

use super::error::SnapshotError;
use crate::{home::InstanceName, options::Settings, record, version::Release};

/// The form of the manifest; another one is refused.
const SCHEMA: &str = "myrig.snapshot-manifest/1";

/// What stands in the manifest's place for its own checksum while that is computed.
const BLANK: &str = "00000000";

/// The manifest of a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// `myrig.snapshot-manifest/1`.
    pub schema: String,
    /// CRC-32C of this file with `00000000` in this place.
    pub manifest_crc32c: String,
    /// The snapshot's name.
    pub name: String,
    /// When it was taken, RFC 3339.
    pub created_at: String,
    /// What whoever took it wanted to say.
    pub note: Option<String>,
    /// What the data is of, if that was said: `tpcc, 100 warehouses`.
    pub workload: Option<String>,
    /// The instance that it is of.
    pub instance: Origin,
    /// Directories that it is made of.
    pub parts: Vec<Part>,
    /// Directories within the parts, parents first.
    pub directories: Vec<DirectoryEntry>,
    /// Symbolic links within the parts.
    pub links: Vec<LinkEntry>,
    /// Files.
    pub files: Vec<FileEntry>,
}

/// The instance that a snapshot is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Its name.
    pub name: InstanceName,
    /// The server that last worked on the data.
    pub release: Release,
    /// Its settings.
    pub settings: Settings,
    /// Its limits.
    pub size: Size,
}

/// A directory of an instance that holds data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its directory in the snapshot: `data`, or the option that puts it elsewhere.
    pub name: String,
    /// Where it was.
    pub origin: PathBuf,
}

/// A directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryEntry {
    /// Its path in the snapshot.
    pub path: String,
    /// Owner and permissions.
    #[serde(flatten)]
    pub access: Access,
}

/// A symbolic link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkEntry {
    /// Its path in the snapshot.
    pub path: String,
    /// Where it leads, within its part.
    pub target: String,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its path in the snapshot.
    pub path: String,
    /// Its length, holes included.
    pub size_bytes: u64,
    /// Owner and permissions.
    #[serde(flatten)]
    pub access: Access,
    /// CRC-32C of its contents, eight hexadecimal digits.
    pub crc32c: String,
}

/// Owner and permissions of a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Permission bits.
    pub mode: u32,
    /// User.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

/// A checksum as the manifest writes it.
pub(super) fn hex(crc: u32) -> String {
    format!("{crc:08x}")
}

impl Manifest {
    /// A manifest without contents.
    pub(super) fn new(name: String, created_at: String, instance: Origin) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            manifest_crc32c: BLANK.to_owned(),
            name,
            created_at,
            note: None,
            workload: None,
            instance,
            parts: Vec::new(),
            directories: Vec::new(),
            links: Vec::new(),
            files: Vec::new(),
        }
    }

    /// The length of all files, bytes.
    pub fn size_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size_bytes).sum()
    }

    /// Writes it, with its checksum, down to the disk.
    pub(super) fn write(&mut self, path: &Path) -> Result<(), SnapshotError> {
        self.manifest_crc32c = BLANK.to_owned();
        let text = self.text(path)?;
        self.manifest_crc32c = hex(crc32c::crc32c(text.as_bytes()));
        let text = self.text(path)?;
        let written = record::write_private(path, text.as_bytes());
        written.map_err(|error| SnapshotError::io("write", path, error))
    }

    fn text(&self, path: &Path) -> Result<String, SnapshotError> {
        serde_json::to_string_pretty(self)
            .map_err(|error| SnapshotError::io("write", path, error.into()))
    }

    /// Reads the manifest of the snapshot `name`, and believes none of it that does not hold.
    pub(super) fn read(path: &Path, name: &str) -> Result<Self, SnapshotError> {
        let damaged = |what: String| SnapshotError::Damaged {
            name: name.to_owned(),
            differences: vec![format!("manifest.json: {what}")],
        };
        let text = fs::read_to_string(path).map_err(|e| SnapshotError::io("read", path, e))?;
        let manifest: Self =
            serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if manifest.schema != SCHEMA {
            return Err(damaged(format!("its form is {}, not {SCHEMA}", manifest.schema)));
        }
        let sum = format!("\"manifest_crc32c\": \"{}\"", manifest.manifest_crc32c);
        let blank = text.replacen(&sum, &sum.replace(&manifest.manifest_crc32c, BLANK), 1);
        if hex(crc32c::crc32c(blank.as_bytes())) != manifest.manifest_crc32c {
            return Err(damaged("its own checksum does not match".into()));
        }
        match manifest.stray() {
            Some(path) => Err(damaged(format!("`{path}` leads out of the snapshot"))),
            None => Ok(manifest),
        }
    }

    /// The first path that is not within its part: whoever restores must not write elsewhere.
    fn stray(&self) -> Option<&str> {
        let files = self.files.iter().map(|file| file.path.as_str());
        let directories = self.directories.iter().map(|directory| directory.path.as_str());
        let links = self.links.iter().flat_map(|link| [link.path.as_str(), link.target.as_str()]);
        let parts = self.parts.iter().map(|part| part.name.as_str());
        // A link that climbs is not made by us, whether it stays within or not.
        files.chain(directories).chain(links).chain(parts).find(|path| !is_within(path))
    }
}

/// True for a relative path that never climbs.
pub(super) fn is_within(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn manifest() -> Manifest {
        let release = "mysqld  Ver 9.7.4 for Linux on x86_64 (MySQL Community Server - GPL)";
        let release = Release::parse(release).unwrap();
        let (settings, size) = (Settings::new(), Size::UNLIMITED);
        let origin = Origin { name: "a".parse().unwrap(), release, settings, size };
        let mut manifest = Manifest::new("s".into(), "2026-11-22T03:04:05Z".into(), origin);
        manifest.parts.push(Part { name: "data".into(), origin: "/data".into() });
        let access = Access { mode: 0o640, uid: 0, gid: 0 };
        let (path, crc32c) = ("data/ibdata1".to_owned(), "00000000".to_owned());
        manifest.files.push(FileEntry { path, size_bytes: 3, access, crc32c });
        manifest
    }

    #[test]
    fn a_manifest_reads_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("manifest.json");
        let mut written = manifest();
        written.write(&path).unwrap();
        assert_ne!(written.manifest_crc32c, BLANK);
        assert_eq!(Manifest::read(&path, "s").unwrap(), written);
    }

    #[test]
    fn paths_that_lead_out_are_refused_even_with_a_good_checksum() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("manifest.json");
        for stray in ["../x", "/etc/passwd", "data/../../x", ""] {
            let mut bad = manifest();
            bad.files[0].path = stray.into();
            bad.write(&path).unwrap();
            let error = Manifest::read(&path, "s").unwrap_err().to_string();
            assert!(error.contains("leads out"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_single_changed_byte_is_noticed(place in any::<prop::sample::Index>(), byte: u8) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("manifest.json");
            manifest().write(&path).unwrap();
            let mut bytes = fs::read(&path).unwrap();
            let place = place.index(bytes.len());
            prop_assume!(bytes[place] != byte);
            bytes[place] = byte;
            fs::write(&path, bytes).unwrap();
            prop_assert!(Manifest::read(&path, "s").is_err());
        }
    }
}
