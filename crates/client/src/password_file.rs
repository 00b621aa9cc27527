//! A password in a file of its own.

use crate::target::Secret;
use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// The longest first line that is read, bytes. It keeps `/dev/zero` from filling the memory.
const LINE_BYTES_MAX: u64 = 4096;

/// A password, and how well it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasswordFile {
    /// The file's first line without its end.
    pub password: Secret,
    /// True when others than the owner may read the file, which a person should be told.
    pub others_can_read: bool,
}

/// A password file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PasswordFileError {
    /// It could not be read.
    #[error("--password-file {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It holds no password.
    #[error("--password-file {}: {reason}", path.display())]
    Content {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// Reads the first line of a file, or of a pipe, as a password. An empty line is the empty
/// password; an empty file is a mistake.
///
/// # Errors
/// [`PasswordFileError`]; it never holds any of the file's text.
pub fn read_password_file(path: &Path) -> Result<PasswordFile, PasswordFileError> {
    let read = || -> io::Result<(Vec<u8>, bool)> {
        let file = File::open(path)?;
        let about = file.metadata()?;
        let mut bytes = Vec::new();
        file.take(LINE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        Ok((bytes, about.is_file() && about.mode() & 0o077 != 0))
    };
    let (bytes, others_can_read) =
        read().map_err(|source| PasswordFileError::Read { path: path.to_owned(), source })?;
    let password = first_line(&bytes)
        .map_err(|reason| PasswordFileError::Content { path: path.to_owned(), reason })?;
    Ok(PasswordFile { password, others_can_read })
}

fn first_line(bytes: &[u8]) -> Result<Secret, &'static str> {
    if bytes.is_empty() {
        return Err("the file is empty; its first line should be the password");
    }
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.len() as u64 > LINE_BYTES_MAX {
        return Err("its first line is longer than any password");
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match std::str::from_utf8(line) {
        Ok(text) if text.contains('\0') => Err("its first line holds a NUL"),
        Ok(text) => Ok(Secret::new(text)),
        Err(_) => Err("its first line is not valid UTF-8"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use std::{fs, os::unix::fs::PermissionsExt};

    #[test]
    fn the_first_line_is_the_password() {
        for (text, password) in
            [("pw", "pw"), ("pw\n", "pw"), (" p w \r\nx", " p w "), ("\n", ""), ("é\n", "é")]
        {
            assert_eq!(first_line(text.as_bytes()).unwrap().expose(), password, "{text:?}");
        }
        for text in [&b""[..], b"\xff\n", b"a\0b", &[b'a'; 5000]] {
            assert!(first_line(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_file_that_others_can_read_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pw");
        fs::write(&path, "secret\n").unwrap();
        for (mode, others) in [(0o600, false), (0o400, false), (0o640, true), (0o644, true)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let file = read_password_file(&path).unwrap();
            assert_eq!((file.password.expose(), file.others_can_read), ("secret", others));
        }
    }

    #[test]
    fn a_file_that_is_not_there_or_endless_is_an_error_with_its_name() {
        for path in ["/nonexistent", "/dev/zero", "/"] {
            let error = read_password_file(Path::new(path)).unwrap_err().to_string();
            assert!(error.starts_with(&format!("--password-file {path}: ")), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_file_gives_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _answer = first_line(&bytes);
        }
    }
}
