//! Real drives: what they are, and where they count what was written to their flash.
//!
//! Four sources are known, tried in this order; see [`Source`]. A source is taken only if what it
//! answers can be what it ought to be, because vendors reuse each other's numbers of logs.

pub mod find;
mod huawei;
mod info;
mod intel;
mod ocp;
pub mod watch;

pub use info::Info;

use crate::{
    nvme::{
        AdminCommands, NvmeError, fdp,
        identify::{Controller, Namespace},
        smart::Smart,
    },
    waf::{Meter, Reading},
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a drive counts what its hosts wrote, and what was written to its flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Source {
    /// Statistics of Flexible Data Placement, log 22h of an endurance group. Bytes on both sides.
    Fdp {
        /// The endurance group.
        group: u16,
    },
    /// SMART / Health Information Extended of the OCP's datacenter drives, log C0h, for the media
    /// in bytes; SMART, log 02h, for the host in units of 512,000 bytes.
    Ocp {
        /// Version of the log page.
        version: u16,
    },
    /// Log C0h of Huawei's ES3000, both sides in pages of 4 KiB.
    Huawei,
    /// Log CAh of Intel and Solidigm, both sides in units of 32 MiB.
    Intel,
}

impl Source {
    /// What a difference has to be far above to say something: the coarser unit of the two sides.
    #[must_use]
    pub fn unit_bytes(self) -> u64 {
        match self {
            Self::Fdp { .. } => 1,
            Self::Ocp { .. } => 512_000,
            Self::Huawei => huawei::UNIT_BYTES,
            Self::Intel => intel::UNIT_BYTES,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fdp { group } => {
                write!(f, "statistics of FDP, log 0x22 of endurance group {group}")
            }
            Self::Ocp { version } => write!(f, "OCP log 0xC0, version {version}, and SMART"),
            Self::Huawei => write!(f, "log 0xC0 of Huawei's ES3000"),
            Self::Intel => write!(f, "log 0xCA of Intel and Solidigm"),
        }
    }
}

/// Why a drive's totals cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// It cannot be reached, or answers too little.
    #[error(transparent)]
    Nvme(#[from] NvmeError),
    /// A log is not what it would have to be.
    #[error("{0}")]
    Wrong(String),
    /// No source is known of it.
    #[error("{model}: its write amplification cannot be read: {}", .reasons.join("; "))]
    NoSource {
        /// Its model.
        model: String,
        /// Why each of the sources is none.
        reasons: Vec<String>,
    },
}

impl DriveError {
    /// True for a drive that answers, and not as it would have to: another drive may do better,
    /// this one will not.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Nvme(error) => error.is_refusal() || matches!(error, NvmeError::Short { .. }),
            Self::Wrong(_) | Self::NoSource { .. } => true,
        }
    }
}

/// A drive whose totals can be read.
#[derive(Debug)]
pub struct Drive<A> {
    commands: A,
    controller: Controller,
    source: Source,
}

impl<A: AdminCommands> Drive<A> {
    /// Finds out how the drive behind `commands` counts.
    ///
    /// # Errors
    /// It cannot be reached, or in none of the known ways; each of the reasons is told.
    pub fn detect(mut commands: A) -> Result<Self, DriveError> {
        let controller = Controller::read(&mut commands)?;
        let source = detect(&mut commands, &controller)?;
        Ok(Self { commands, controller, source })
    }

    /// What the controller is.
    #[must_use]
    pub fn controller(&self) -> &Controller {
        &self.controller
    }

    /// Where it counts.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }
}

impl<A: AdminCommands> Meter for Drive<A> {
    type Error = DriveError;

    fn read(&mut self) -> Result<Reading, DriveError> {
        read(&mut self.commands, self.source)
    }
}

fn read(commands: &mut impl AdminCommands, source: Source) -> Result<Reading, DriveError> {
    match source {
        Source::Fdp { group } => Ok(fdp::statistics(commands, group)?),
        Source::Ocp { .. } => ocp::read(commands),
        Source::Huawei => huawei::read(commands),
        Source::Intel => intel::read(commands),
    }
}

/// Tries the sources one after the other.
fn detect(
    commands: &mut impl AdminCommands,
    controller: &Controller,
) -> Result<Source, DriveError> {
    let mut reasons = Vec::new();
    let mut tried = |found: Result<Source, DriveError>| match found {
        Ok(source) => Ok(Some(source)),
        Err(error) if error.is_refusal() => {
            reasons.push(error.to_string());
            Ok(None)
        }
        Err(error) => Err(error),
    };
    if let Some(source) = tried(with_fdp(commands, controller))? {
        return Ok(source);
    }
    if let Some(source) = tried(ocp::detect(commands))? {
        return Ok(source);
    }
    if controller.vendor_id == huawei::VENDOR
        && let Some(source) = tried(huawei::detect(commands))?
    {
        return Ok(source);
    }
    if intel::VENDORS.contains(&controller.vendor_id)
        && let Some(source) = tried(intel::detect(commands))?
    {
        return Ok(source);
    }
    Err(DriveError::NoSource { model: controller.model.clone(), reasons })
}

fn with_fdp(
    commands: &mut impl AdminCommands,
    controller: &Controller,
) -> Result<Source, DriveError> {
    if !controller.fdp {
        return Err(DriveError::Wrong("it does not know FDP".to_owned()));
    }
    let group = endurance_group(commands)?.unwrap_or(0);
    if group == 0 {
        return Err(DriveError::Wrong("FDP: its namespace is in no endurance group".to_owned()));
    }
    if !fdp::Fdp::read(commands, group)?.enabled {
        let words = format!("FDP is switched off in endurance group {group}");
        return Err(DriveError::Wrong(words));
    }
    fdp::statistics(commands, group)?;
    Ok(Source::Fdp { group })
}

/// The endurance group of the namespace that was opened, or else of the first one.
fn endurance_group(commands: &mut impl AdminCommands) -> Result<Option<u16>, NvmeError> {
    let id = match commands.namespace() {
        Some(id) => Some(id),
        None => Namespace::active(commands)?.first().copied(),
    };
    id.map(|id| Namespace::read(commands, id).map(|found| found.endurance_group)).transpose()
}

/// Below that a drive has written too little for its totals to be compared.
const COMPARABLE_BYTES: u128 = 16 << 30;

/// Makes sure that a vendor's count of what hosts wrote is about what SMART says, which every
/// drive has: a layout or a unit that is not as expected would show there.
fn agrees_with_smart(commands: &mut impl AdminCommands, ours: u128) -> Result<(), DriveError> {
    let smart = Smart::read(commands)?.host_written_bytes;
    let alike = ours / 2 <= smart && smart / 2 <= ours;
    if alike || ours.max(smart) < COMPARABLE_BYTES {
        return Ok(());
    }
    Err(DriveError::Wrong(format!(
        "its vendor's log counts {ours} bytes from hosts and SMART {smart}: the log has another \
         layout or unit than is known"
    )))
}

#[cfg(test)]
mod tests;
