//! Flexible Data Placement (TP4146): configurations, the use of handles, statistics. All of it
//! belongs to an endurance group.

use super::{AdminCommands, Bytes, Command, NvmeError};
use crate::waf::Reading;
use serde::Serialize;

/// Longest log that is read; one of more configurations than fit is read in part.
const LOG_BYTES_MAX: usize = 16 << 10;

/// What an endurance group says of FDP.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fdp {
    /// The endurance group.
    pub group: u16,
    /// It is switched on.
    pub enabled: bool,
    /// The configuration in use, where it is told.
    pub configuration: Option<Configuration>,
    /// The reclaim unit handles, by what they are used for; empty where that is not told.
    pub handles: Vec<HandleUse>,
}

/// A configuration, as the drive offers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Configuration {
    /// Its number.
    pub index: u8,
    /// Reclaim groups.
    pub reclaim_groups: u32,
    /// Reclaim unit handles: streams, in other words.
    pub handles: u16,
    /// Most placement identifiers that a namespace can use.
    pub placements_max: u32,
    /// Nominal size of a reclaim unit, bytes: what is erased together.
    pub reclaim_unit_bytes: u64,
    /// Handles whose data is never mixed with that of others, also not when it is moved.
    pub persistently_isolated: u16,
}

/// What a handle is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HandleUse {
    /// Nothing.
    Unused,
    /// A host has given it to a namespace.
    Host,
    /// The controller chose it, for a namespace that was made without handles.
    Controller,
    /// A number that the specification does not know.
    Unknown,
}

impl Fdp {
    /// Asks an endurance group. A drive that refuses to tell has FDP switched off there.
    ///
    /// # Errors
    /// The drive cannot be reached.
    pub fn read(commands: &mut impl AdminCommands, group: u16) -> Result<Self, NvmeError> {
        let feature = Command::Feature { id: 0x1d, of: group.into() };
        let value = known(commands.ask(feature, &mut []))?.unwrap_or(0);
        let enabled = value & 1 == 1;
        // Bits 8 to 15 say which configuration is in use.
        let [_, index, ..] = value.to_le_bytes();
        let configuration = match enabled {
            true => known(log(commands, 0x20, group, configuration_bytes))?
                .and_then(|log| Configuration::of(&log, index)),
            false => None,
        };
        let handles = match enabled {
            true => known(log(commands, 0x21, group, handle_bytes))?.unwrap_or_default(),
            false => Vec::new(),
        };
        Ok(Self { group, enabled, configuration, handles: uses(&handles) })
    }
}

/// Reads the statistics of an endurance group: bytes of the host and of the media, each with
/// metadata.
///
/// # Errors
/// The drive does not know them, has FDP switched off, or cannot be reached.
pub fn statistics(commands: &mut impl AdminCommands, group: u16) -> Result<Reading, NvmeError> {
    let mut page = [0; 64];
    commands.ask(Command::Log { id: 0x22, specific: group }, &mut page)?;
    let page = Bytes(&page);
    Ok(Reading { host_bytes: page.u128(0), media_bytes: page.u128(16) })
}

/// None for a refusal.
fn known<T>(answer: Result<T, NvmeError>) -> Result<Option<T>, NvmeError> {
    match answer {
        Err(error) if error.is_refusal() => Ok(None),
        answer => answer.map(Some),
    }
}

/// Reads a log whose head of 16 bytes says how long it is.
fn log(
    commands: &mut impl AdminCommands,
    id: u8,
    group: u16,
    length: fn(Bytes<'_>) -> usize,
) -> Result<Vec<u8>, NvmeError> {
    let command = Command::Log { id, specific: group };
    let mut head = [0; 16];
    commands.ask(command, &mut head)?;
    // Logs are read in dwords.
    let bytes = length(Bytes(&head)).clamp(head.len(), LOG_BYTES_MAX).next_multiple_of(4);
    let mut page = vec![0; bytes];
    commands.ask(command, &mut page)?;
    Ok(page)
}

fn configuration_bytes(head: Bytes<'_>) -> usize {
    usize::try_from(head.u32(4)).unwrap_or(usize::MAX)
}

fn handle_bytes(head: Bytes<'_>) -> usize {
    8 + 8 * usize::from(head.u16(0))
}

impl Configuration {
    /// The configuration of a number, out of the log; none if it is not in it.
    fn of(log: &[u8], index: u8) -> Option<Self> {
        // The count in the head is one less than there are.
        let (count, mut rest) = (Bytes(log).u16(0), Bytes(log).from(16));
        for _ in 0..u16::from(index).min(count) {
            // One that says it has no length would be read for ever.
            rest = rest.from(usize::from(rest.u16(0)).max(64));
        }
        let there = u16::from(index) <= count && rest.0.len() >= 64;
        // Bit 7 of the attributes: the configuration is valid.
        (there && rest.u8(2) & 0x80 != 0).then(|| Self::descriptor(rest, index))
    }

    fn descriptor(descriptor: Bytes<'_>, index: u8) -> Self {
        let handles = descriptor.u16(8);
        let kinds = descriptor.from(64).0.chunks_exact(4).take(handles.into());
        let isolated = kinds.filter(|handle| handle[0] == 2).count();
        Self {
            index,
            reclaim_groups: descriptor.u32(4),
            handles,
            placements_max: u32::from(descriptor.u16(10)) + 1,
            reclaim_unit_bytes: descriptor.u64(16),
            persistently_isolated: u16::try_from(isolated).unwrap_or(handles),
        }
    }
}

fn uses(log: &[u8]) -> Vec<HandleUse> {
    let handles = Bytes(log).from(8).0.chunks_exact(8).take(Bytes(log).u16(0).into());
    let uses = handles.map(|handle| match handle[0] {
        0 => HandleUse::Unused,
        1 => HandleUse::Host,
        2 => HandleUse::Controller,
        _ => HandleUse::Unknown,
    });
    uses.collect()
}
