//! What is to be checked: files below a directory, or writes to a device itself.

use crate::failure::Failure;
use anyhow::Context;
use host::{
    Root,
    storage::{Device, Mount},
};
use std::{
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// What is to be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Files below a directory.
    Files {
        /// The directory, without links.
        directory: PathBuf,
        /// The type of its file system.
        file_system: String,
        /// The device that the file system is on, if it has one.
        device: Option<(u32, u32)>,
    },
    /// A device that no file system is mounted from.
    Device {
        /// Its file.
        path: PathBuf,
        /// Its number.
        number: (u32, u32),
    },
}

impl Target {
    /// What lies at `path`: of a file its directory, of a mounted device its files.
    pub(super) fn at(path: &Path, root: &Root) -> Result<Self, Failure> {
        let real = path.canonicalize().with_context(|| path.display().to_string())?;
        let mounts = Mount::all(root).context("reading what is mounted")?;
        let Ok(device) = Device::open(&real) else {
            let directory = match real.is_dir() {
                true => real,
                false => real.parent().unwrap_or(&real).to_owned(),
            };
            return Self::files(directory, &mounts);
        };
        match mounts.iter().rev().find(|mount| mount.number == device.number) {
            Some(mount) => Self::files(mount.point.clone(), &mounts),
            None => Ok(Self::Device { path: device.path, number: device.number }),
        }
    }

    fn files(directory: PathBuf, mounts: &[Mount]) -> Result<Self, Failure> {
        let facts = directory.metadata().with_context(|| directory.display().to_string())?;
        let mount = Mount::under(mounts, &directory)
            .with_context(|| format!("{} is on no mount", directory.display()))?;
        let own = (rustix::fs::major(facts.dev()), rustix::fs::minor(facts.dev()));
        // btrfs numbers itself; the table of mounts names what is below.
        let below = || Some(Device::open(Path::new(&mount.source)).ok()?.number);
        let device = if own.0 == 0 { below() } else { Some(own) };
        Ok(Self::Files { directory, file_system: mount.file_system.clone(), device })
    }

    /// The device's number, if there is one.
    pub(super) fn device(&self) -> Option<(u32, u32)> {
        match self {
            Self::Files { device, .. } => *device,
            Self::Device { number, .. } => Some(*number),
        }
    }

    /// What it is, in words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Files { directory, file_system, .. } => {
                format!("files below {} ({file_system})", directory.display())
            }
            Self::Device { path, .. } => format!("direct writes to {} itself", path.display()),
        }
    }
}
