//! Which parts of a machine are meant.

use super::error::TuningError;
use crate::{CpuSet, Nic, Root, Topology, disks_of, mount_of};
use std::path::PathBuf;

/// Which parts of a machine are meant: what is left open bears on nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The server's data directory, an absolute path: its disks are tuned.
    pub data: Option<PathBuf>,
    /// The network card that the load comes in by.
    pub nic: Option<String>,
    /// Processors that the server runs on.
    pub server_cpus: Option<CpuSet>,
}

impl Scope {
    /// Makes sure that all of it is there.
    ///
    /// # Errors
    /// A directory, a card or processors that the machine does not have; the text names the option.
    pub fn check(&self, root: &Root) -> Result<(), TuningError> {
        if let Some(data) = &self.data
            && !root.path(data).is_dir()
        {
            return Err(TuningError::NoDirectory { path: data.clone() });
        }
        if let Some(nic) = &self.nic
            && Nic::of(root, nic).is_none()
        {
            let there = root.names("sys/class/net").join(", ");
            return Err(TuningError::NoNic { name: nic.clone(), there });
        }
        self.server_cpus.as_ref().map_or(Ok(()), |cpus| online("of the server", cpus, root))
    }

    /// The disks under the data directory, by their names in `/sys/block`.
    ///
    /// # Errors
    /// Why there are none.
    pub(crate) fn disks(&self, root: &Root) -> Result<Vec<String>, String> {
        let Some(data) = &self.data else {
            return Err("which disk is not said: give --data DIR".to_owned());
        };
        let Some(mount) = mount_of(root, data) else {
            return Err("the machine does not tell its mounts".to_owned());
        };
        match disks_of(root, &mount) {
            disks if disks.is_empty() => {
                Err(format!("{} is on {}, which has no disk", data.display(), mount.file_system))
            }
            disks => Ok(disks),
        }
    }

    /// The card.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn card(&self, root: &Root) -> Result<Nic, String> {
        let Some(name) = &self.nic else {
            return Err("which network card is not said: give --nic NAME".to_owned());
        };
        Nic::of(root, name).ok_or_else(|| format!("there is no {name}"))
    }
}

/// Makes sure that processors are there; `whose` says what they are for.
pub(crate) fn online(whose: &'static str, cpus: &CpuSet, root: &Root) -> Result<(), TuningError> {
    let online = Topology::of(root).online;
    match cpus.without(&online) {
        Some(missing) => Err(TuningError::NoCpus { whose, missing, online }),
        None => Ok(()),
    }
}
