//! What can go wrong with devices and file systems, and the way out.

use crate::Bytes;
use std::{
    io,
    path::{Path, PathBuf},
};

use super::share::Percent;

/// A device or file system that is not as it has to be.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// A file or the kernel resists.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// A verb: read, write …
        action: &'static str,
        /// What it was to be done to.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Too little room for what is to be written.
    #[error(
        "{path} needs {} and its device has {} left: {} are missing",
        Bytes(*bytes), Bytes(*available_bytes),
        Bytes(bytes.saturating_sub(*available_bytes))
    )]
    NoRoom {
        /// What is to be written.
        path: PathBuf,
        /// Its size, bytes.
        bytes: u64,
        /// What can be written, bytes.
        available_bytes: u64,
    },
    /// A share beyond the limit.
    #[error("--to {wanted} is beyond the limit of {limit}; fill less, or raise --limit")]
    BeyondLimit {
        /// What was asked for.
        wanted: Percent,
        /// What is allowed.
        limit: Percent,
    },
    /// A path to be filled that is no directory.
    #[error("{0} is no directory; name one on the device to be filled")]
    NoDirectory(PathBuf),
    /// Not a block device.
    #[error("{0} is no block device; name one, such as /dev/nvme1n1 (`lsblk` lists them)")]
    NoDevice(PathBuf),
    /// Destroying was not asked for, or for another device.
    #[error(
        "{device} is left alone: say --destroy-data {device} to have what is on it destroyed{named}"
    )]
    NotAsked {
        /// The device.
        device: PathBuf,
        /// What was named instead, in words.
        named: String,
    },
    /// There is something on the device.
    #[error(
        "{device} is left alone: it {found}; what is on it would be lost: say `--destroy-data \
         {device}` twice if that is meant"
    )]
    HoldsData {
        /// The device.
        device: PathBuf,
        /// What, in words.
        found: String,
    },
    /// Something works on the device.
    #[error("{device} is left alone: it {used}; {way_out}")]
    InUse {
        /// The device.
        device: PathBuf,
        /// By what, in words.
        used: String,
        /// How to end that.
        way_out: String,
    },
    /// The machine itself, or its owner, lives on the device.
    #[error("{device} is left alone, whatever is said: {path} is on it")]
    Vital {
        /// The device.
        device: PathBuf,
        /// The directory that must not go.
        path: PathBuf,
    },
    /// A mount point that will not do.
    #[error("cannot mount at {path}: {reason}")]
    MountPoint {
        /// The directory.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// A disk in a file that is too small for a file system.
    #[error(
        "a disk of {} is too small for a file system: give it 300M or more", Bytes(*.0)
    )]
    ImageSize(u64),
    /// Somebody who may not mount.
    #[error("mounting a file system takes root: run it as root")]
    NotRoot,
    /// A kernel without loop devices.
    #[error(
        "there are no loop devices (/dev/loop-control): load the module `loop`, or name a device"
    )]
    NoLoop,
    /// A program is not installed.
    #[error("{program} is not installed: it is in the package {package}")]
    NoProgram {
        /// The program.
        program: &'static str,
        /// Where distributions have it.
        package: &'static str,
    },
    /// A program failed.
    #[error("`{command}` failed ({ended}){said}")]
    Failed {
        /// The program and its arguments.
        command: String,
        /// How it ended.
        ended: String,
        /// The last of its words.
        said: String,
    },
    /// Somebody wanted it to end.
    #[error("interrupted; nothing is left of it")]
    Interrupted,
}

impl StorageError {
    /// An I/O error with its place.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }
}
