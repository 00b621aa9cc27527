//! The read limits that were measured, kept in the home: what speeds are a share of.

use crate::paths::Paths;
use host::{Root, mount_of};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

const SCHEMA: &str = "myrig.disk-limits/1";

/// How fast a device is read through a file system at most, as measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Limit {
    /// The device as the kernel's table of mounts names it, or the device itself.
    pub(crate) device: String,
    /// The file system on it; none for a device that was read by itself.
    pub(crate) file_system: Option<String>,
    /// Sequential direct reads, bytes a second.
    pub(crate) read_bytes_per_s: f64,
    /// Threads, reads in flight a thread and bytes a read that brought it.
    pub(crate) jobs: usize,
    pub(crate) depth: usize,
    pub(crate) block_bytes: usize,
    /// When, in seconds since 1970.
    pub(crate) measured_unix_s: u64,
}

#[derive(Serialize, Deserialize)]
struct Known {
    schema: String,
    limits: Vec<Limit>,
}

/// The limit of the device under `path`, a file or a directory; none where none was measured.
pub(crate) fn known_limit(paths: &Paths, path: &Path) -> Option<Limit> {
    let (device, file_system) = under(path)?;
    let is_it = |limit: &Limit| limit.device == device && limit.file_system == file_system;
    read(&file(paths)).into_iter().find(is_it)
}

/// The device and file system that a path lies on; a block device is its own.
pub(crate) fn under(path: &Path) -> Option<(String, Option<String>)> {
    let real = path.canonicalize().ok()?;
    if host::storage::Device::open(&real).is_ok() {
        return Some((real.display().to_string(), None));
    }
    let mount = mount_of(&Root::real(), &real)?;
    Some((mount.source, Some(mount.file_system)))
}

/// Keeps a limit in place of an earlier one of the same device and file system.
///
/// # Errors
/// The home cannot be written to.
pub(crate) fn keep(paths: &Paths, limit: Limit) -> io::Result<()> {
    let file = file(paths);
    let mut limits = read(&file);
    limits
        .retain(|known| (&known.device, &known.file_system) != (&limit.device, &limit.file_system));
    limits.push(limit);
    fs::create_dir_all(paths.home())?;
    let text = serde_json::to_string_pretty(&Known { schema: SCHEMA.to_owned(), limits })?;
    // Another command may be reading it.
    let draft = file.with_extension(format!("{}.draft", std::process::id()));
    fs::write(&draft, text + "\n")?;
    fs::rename(&draft, &file)
}

fn file(paths: &Paths) -> PathBuf {
    paths.home().join("disk-limits.json")
}

/// What cannot be read is as if it had not been measured.
fn read(file: &Path) -> Vec<Limit> {
    let known = fs::read(file).ok().and_then(|bytes| serde_json::from_slice::<Known>(&bytes).ok());
    known.filter(|known| known.schema == SCHEMA).map_or(Vec::new(), |known| known.limits)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn limit(device: &str, read_bytes_per_s: f64) -> Limit {
        Limit {
            device: device.to_owned(),
            file_system: Some("ext4".into()),
            read_bytes_per_s,
            jobs: 2,
            depth: 16,
            block_bytes: 1 << 20,
            measured_unix_s: 1_795_000_000,
        }
    }

    #[test]
    fn the_last_measurement_of_a_device_is_the_one_that_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::new(Some(dir.path().join("home"))).unwrap();
        let (device, file_system) = under(dir.path()).unwrap();
        assert_eq!(known_limit(&paths, dir.path()), None);
        keep(&paths, limit("/dev/other", 1.0)).unwrap();
        for speed in [1e9, 2e9] {
            let measured = Limit { file_system: file_system.clone(), ..limit(&device, speed) };
            keep(&paths, measured).unwrap();
        }
        assert_eq!(known_limit(&paths, dir.path()).unwrap().read_bytes_per_s, 2e9);
        assert_eq!(read(&file(&paths)).len(), 2);
        assert_eq!(known_limit(&paths, &dir.path().join("none")), None);
    }

    #[test]
    fn what_is_no_list_of_limits_is_as_if_there_were_none() {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::new(Some(dir.path().to_owned())).unwrap();
        for text in ["", "{", r#"{"schema": "other/1", "limits": []}"#] {
            fs::write(file(&paths), text).unwrap();
            assert_eq!(known_limit(&paths, dir.path()), None);
        }
    }
}
