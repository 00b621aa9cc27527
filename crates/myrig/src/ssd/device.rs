//! A drive that is asked, or what one has answered.

use crate::failure::Failure;
use anyhow::anyhow;
use disk::device::devices;
use flash::nvme::{AdminCommands, Device, NvmeError, Recorded};
use std::path::{Path, PathBuf};

/// The seam behind which drives stand.
pub(super) type Commands = Box<dyn AdminCommands + Send>;

/// Where the answers come from.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A device.
    Device(PathBuf),
    /// A directory.
    Recorded(PathBuf),
}

impl Place {
    /// What was typed; the command line demands one of them.
    pub(super) fn of(device: Option<&PathBuf>, recorded: Option<&PathBuf>) -> Option<Self> {
        let device = device.map(|path| Self::Device(path.clone()));
        device.or_else(|| recorded.map(|dir| Self::Recorded(dir.clone())))
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Device(path) | Self::Recorded(path) => path,
        }
    }

    /// Opens it.
    pub(super) fn open(&self) -> Result<Commands, NvmeError> {
        Ok(match self {
            Self::Device(path) => Box::new(Device::open(path)?),
            Self::Recorded(dir) => Box::new(Recorded::open(dir)?),
        })
    }

    /// The same, with what the device is instead where it is no NVMe drive.
    pub(super) fn open_or_explain(&self) -> Result<Commands, Failure> {
        self.open().map_err(|error| match &error {
            NvmeError::NotNvme { path } => {
                let kind = kind_of(Path::new(path));
                let kind = kind.map_or(String::new(), |word| format!(" but a {word} one"));
                anyhow!(
                    "{path} is not an NVMe drive{kind}; a simulated drive needs none: \
                         `myrig ssd simulate --live`"
                )
                .into()
            }
            _ => error.into(),
        })
    }
}

/// What a block device is instead, by the kernel's files.
fn kind_of(path: &Path) -> Option<&'static str> {
    let real = path.canonicalize().ok()?;
    let name = real.strip_prefix("/dev").ok()?.to_str()?.to_owned();
    let found = devices(Path::new("/")).ok()?;
    let is_it = |device: &&disk::device::Device| {
        device.name == name || device.partitions.iter().any(|part| part.name == name)
    };
    found.iter().find(is_it).map(|device| device.kind.word())
}
