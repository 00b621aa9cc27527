//! Where included files come from.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Read},
    os::unix::{ffi::OsStringExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

/// The longest option file that is read, bytes: far more than anybody writes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What was found under a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The file's bytes.
    Bytes(Vec<u8>),
    /// A file that anybody may write to; it was not read.
    WorldWritable,
}

/// The files that an option file may include.
pub trait Files {
    /// Reads one.
    ///
    /// # Errors
    /// As the system says it.
    fn read(&mut self, path: &Path) -> io::Result<Content>;

    /// The paths in a folder, in any order.
    ///
    /// # Errors
    /// As the system says it.
    fn list(&mut self, dir: &Path) -> io::Result<Vec<PathBuf>>;
}

/// The machine's own files.
pub(super) struct System;

impl Files for System {
    fn read(&mut self, path: &Path) -> io::Result<Content> {
        let file = File::open(path)?;
        let about = file.metadata()?;
        if about.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if about.is_file() && about.mode() & 0o002 != 0 {
            return Ok(Content::WorldWritable);
        }
        let mut bytes = Vec::new();
        file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            let reason = format!("longer than {FILE_BYTES_MAX} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
        }
        Ok(Content::Bytes(bytes))
    }

    fn list(&mut self, dir: &Path) -> io::Result<Vec<PathBuf>> {
        fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect()
    }
}

/// A path as it stands in a file: any bytes.
pub(super) fn os_path(bytes: Vec<u8>) -> OsString {
    OsString::from_vec(bytes)
}
