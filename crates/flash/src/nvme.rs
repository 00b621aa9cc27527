//! NVMe: the admin commands that ask a controller what it is and what it has counted. None of them
//! changes anything.
//!
//! - [`AdminCommands`]: the seam. Behind it stand a real device ([`Device`]), what one once
//!   answered ([`Recorded`]), and a device whose answers are kept ([`Recording`]).
//! - [`identify`], [`fdp`], [`streams`], [`smart`]: the answers, as the specification lays them
//!   out. All of it is little-endian.

mod bytes;
mod device;
pub mod fdp;
pub mod identify;
mod recorded;
pub mod smart;
pub mod streams;

pub(crate) use bytes::Bytes;
pub use device::Device;
pub use recorded::{Recorded, Recording};

use std::{fmt, io};

/// All namespaces, where a command wants one.
pub const ALL_NAMESPACES: u32 = u32::MAX;

/// A question to a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Identify, CNS 01h: the controller. 4,096 bytes.
    IdentifyController,
    /// Identify, CNS 00h: a namespace. 4,096 bytes.
    IdentifyNamespace(u32),
    /// Identify, CNS 02h: the namespaces that are there. 4,096 bytes.
    ActiveNamespaces,
    /// Get Log Page.
    Log {
        /// Which log.
        id: u8,
        /// Log specific identifier: the endurance group, for those of FDP.
        specific: u16,
    },
    /// Directive Receive.
    Directive {
        /// The namespace.
        namespace: u32,
        /// Directive type: 0 identify, 1 streams.
        kind: u8,
        /// Directive operation.
        operation: u8,
    },
    /// Get Features, the current value.
    Feature {
        /// Which feature.
        id: u8,
        /// Command dword 11: the endurance group, for that of FDP.
        of: u32,
    },
}

/// A controller, or what stands for one.
pub trait AdminCommands {
    /// Asks, and fills `answer` with what comes; what is returned is dword 0 of the completion,
    /// which is a feature's value.
    ///
    /// # Errors
    /// The controller refuses, cannot be reached, or has answered less than was wanted.
    fn ask(&mut self, command: Command, answer: &mut [u8]) -> Result<u32, NvmeError>;

    /// The namespace that was opened; none for a whole controller.
    fn namespace(&self) -> Option<u32>;
}

impl<A: AdminCommands + ?Sized> AdminCommands for Box<A> {
    fn ask(&mut self, command: Command, answer: &mut [u8]) -> Result<u32, NvmeError> {
        (**self).ask(command, answer)
    }

    fn namespace(&self) -> Option<u32> {
        (**self).namespace()
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NvmeError {
    /// The controller has answered with an error: mostly that it does not know what was asked for.
    #[error("{command}: refused by the drive ({status})")]
    Refused {
        /// What was asked.
        command: Command,
        /// The answer.
        status: Status,
    },
    /// The question did not reach the controller, or the answer did not come back.
    #[error("{command}: {}", words(.source))]
    Io {
        /// What was asked.
        command: Command,
        /// What the kernel says.
        source: io::Error,
    },
    /// What was recorded is less than the page.
    #[error("{command}: {bytes} bytes, where the page has {wanted}")]
    Short {
        /// What was asked.
        command: Command,
        /// Bytes there are.
        bytes: usize,
        /// Bytes there must be.
        wanted: usize,
    },
    /// The device cannot be opened, or is none.
    #[error("{path}: {}", words(.source))]
    Open {
        /// The device.
        path: String,
        /// What the kernel says.
        source: io::Error,
    },
    /// It is something else.
    #[error("{path} is not an NVMe drive")]
    NotNvme {
        /// The device.
        path: String,
    },
}

impl NvmeError {
    /// True where the controller is there and does not know what was asked for.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

/// What the kernel says, with the way out where there is one.
fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            format!("{error}; only root may send commands to a drive")
        }
        _ => error.to_string(),
    }
}

/// Status of a completion: type in bits 8 to 10, code in bits 0 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u16);

impl Status {
    /// The log page is not there, which is also how a recording says that it has none.
    pub const NO_LOG_PAGE: Self = Self(0x109);
    /// A field of the command is not known.
    pub const INVALID_FIELD: Self = Self(0x002);
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The bits above are "do not retry" and "more".
        let code = self.0 & 0x7ff;
        let words = match code {
            0x001 => "unknown command",
            0x002 => "invalid field",
            0x00b => "invalid namespace",
            0x029 => "FDP is disabled",
            0x109 => "no such log page",
            _ => return write!(f, "status {code:#05x}"),
        };
        write!(f, "{words}")
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdentifyController => write!(f, "Identify controller"),
            Self::IdentifyNamespace(namespace) => write!(f, "Identify namespace {namespace}"),
            Self::ActiveNamespaces => write!(f, "Identify active namespaces"),
            Self::Log { id, specific: 0 } => write!(f, "log page {id:#04X}"),
            Self::Log { id, specific } => write!(f, "log page {id:#04X} of group {specific}"),
            Self::Directive { namespace, kind, operation } => {
                write!(f, "Directive Receive {kind}/{operation} of namespace {namespace}")
            }
            Self::Feature { id, of } => write!(f, "feature {id:#04X} of group {of}"),
        }
    }
}
