//! All that is said of a drive.

use super::{DriveError, Source, read};
use crate::{
    nvme::{
        AdminCommands,
        fdp::Fdp,
        identify::{Controller, Namespace},
        smart::Smart,
        streams::Streams,
    },
    waf::Reading,
};
use serde::Serialize;

/// What a drive is, what it knows of placement, and how its write amplification can be read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Info {
    /// The controller.
    pub controller: Controller,
    /// Its namespaces: the one that was opened, or else all.
    pub namespaces: Vec<About>,
    /// Flexible Data Placement, by endurance group of those namespaces.
    pub fdp: Vec<Fdp>,
    /// Its health.
    pub smart: Option<Smart>,
    /// Where its write amplification can be read.
    pub source: Option<Source>,
    /// Why it cannot, a reason for each of the sources; empty where it can.
    pub no_source: Vec<String>,
    /// Its totals, of its whole life.
    pub totals: Option<Reading>,
}

/// A namespace and its streams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct About {
    /// What it is.
    #[serde(flatten)]
    pub namespace: Namespace,
    /// What it says of streams.
    pub streams: Streams,
}

impl Info {
    /// Asks a drive all of it.
    ///
    /// # Errors
    /// It cannot be reached, or does not say what every drive says.
    pub fn read(commands: &mut impl AdminCommands) -> Result<Self, DriveError> {
        let controller = Controller::read(commands)?;
        let ids = match commands.namespace() {
            Some(id) => vec![id],
            None => Namespace::active(commands)?,
        };
        let namespaces: Vec<About> = ids
            .into_iter()
            .map(|id| {
                let namespace = Namespace::read(commands, id)?;
                let streams = match controller.directives {
                    true => Streams::read(commands, id)?,
                    false => Streams::default(),
                };
                Ok(About { namespace, streams })
            })
            .collect::<Result<_, DriveError>>()?;
        let mut groups: Vec<u16> =
            namespaces.iter().map(|about| about.namespace.endurance_group).collect();
        groups.sort_unstable();
        groups.dedup();
        groups.retain(|group| controller.fdp && *group != 0);
        let fdp = groups.into_iter().map(|group| Fdp::read(commands, group));
        let fdp = fdp.collect::<Result<_, _>>()?;
        let smart = match Smart::read(commands) {
            Err(error) if error.is_refusal() => None,
            read => Some(read?),
        };
        let (source, no_source) = match super::detect(commands, &controller) {
            Ok(source) => (Some(source), Vec::new()),
            Err(DriveError::NoSource { reasons, .. }) => (None, reasons),
            Err(error) => return Err(error),
        };
        let totals = source.map(|source| read(commands, source)).transpose()?;
        Ok(Self { controller, namespaces, fdp, smart, source, no_source, totals })
    }
}
