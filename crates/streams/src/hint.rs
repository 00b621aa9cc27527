//! The write hint of an open file.
//!
//! `libc` lacks the two commands. Their argument is a pointer to a `u64`, of which the kernel reads
//! all eight bytes. A descriptor that was opened for reading will do for both.

#![allow(unsafe_code)]

use std::{
    io,
    os::fd::{AsFd, AsRawFd},
};

use crate::Lifetime;

/// `F_GET_RW_HINT` of `include/uapi/linux/fcntl.h`.
const GET: libc::c_int = 1035;
/// `F_SET_RW_HINT` of the same.
const SET: libc::c_int = 1036;

/// Why a hint could not be read or set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HintError {
    /// `EPERM`: only the owner of a file may set its hint.
    #[error("not the owner of the file; run as its owner or with CAP_FOWNER")]
    NotOwner,
    /// `EINVAL`: the kernel does not know the command or the lifetime.
    #[error("this kernel knows no write hints for files (Linux 4.13 and later do)")]
    Unsupported,
    /// `EBADF`: no descriptor for files of this kind, such as one opened with `O_PATH`.
    #[error("the descriptor is not open for reading or writing")]
    BadDescriptor,
    /// The kernel holds a lifetime that this program does not know.
    #[error("the kernel says lifetime {0}, which is none of 0 to 5")]
    Unknown(u64),
    /// Anything else.
    #[error("{}", io::Error::from_raw_os_error(*.0))]
    Other(i32),
}

impl HintError {
    fn last() -> Self {
        match io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO) {
            libc::EPERM => Self::NotOwner,
            libc::EINVAL => Self::Unsupported,
            libc::EBADF => Self::BadDescriptor,
            other => Self::Other(other),
        }
    }

    /// The kernel's number of the error.
    #[must_use]
    pub fn errno(self) -> i32 {
        match self {
            Self::NotOwner => libc::EPERM,
            Self::Unsupported | Self::Unknown(_) => libc::EINVAL,
            Self::BadDescriptor => libc::EBADF,
            Self::Other(errno) => errno,
        }
    }
}

/// The hint of the file's inode.
///
/// # Errors
/// See [`HintError`].
pub fn get(file: impl AsFd) -> Result<Lifetime, HintError> {
    let mut value = 0_u64;
    // SAFETY: the command writes one u64 through the pointer, which outlives the call.
    if unsafe { libc::fcntl(file.as_fd().as_raw_fd(), GET, &raw mut value) } < 0 {
        return Err(HintError::last());
    }
    Lifetime::from_number(value).ok_or(HintError::Unknown(value))
}

/// Gives the file's inode a hint; [`Lifetime::NotSet`] takes it away.
///
/// # Errors
/// See [`HintError`].
pub fn set(file: impl AsFd, lifetime: Lifetime) -> Result<(), HintError> {
    let value = u64::from(lifetime.number());
    // SAFETY: the command reads one u64 through the pointer, which outlives the call.
    if unsafe { libc::fcntl(file.as_fd().as_raw_fd(), SET, &raw const value) } < 0 {
        return Err(HintError::last());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs::File;

    use super::*;

    #[test]
    fn a_hint_is_the_inodes_and_set_by_a_descriptor_for_reading() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let writer = File::create(&path).unwrap();
        assert_eq!(get(&writer), Ok(Lifetime::NotSet));
        for lifetime in Lifetime::ALL {
            set(File::open(&path).unwrap(), lifetime).unwrap();
            assert_eq!(get(&writer), Ok(lifetime));
        }
    }

    #[test]
    fn errors_are_named() {
        use std::os::unix::fs::OpenOptionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path_only =
            File::options().read(true).custom_flags(libc::O_PATH).open(dir.path()).unwrap();
        assert_eq!(get(&path_only), Err(HintError::BadDescriptor));
        assert_eq!(set(&path_only, Lifetime::Short), Err(HintError::BadDescriptor));
        assert!(HintError::NotOwner.to_string().contains("CAP_FOWNER"));
        assert!(HintError::Other(libc::EIO).to_string().contains("Input/output"));
    }
}
