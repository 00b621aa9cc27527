//! Identify: what a controller and its namespaces are.

use super::{AdminCommands, Bytes, Command, NvmeError};
use serde::Serialize;

/// Most namespaces that are asked about.
const NAMESPACES_MAX: usize = 128;

/// A controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Controller {
    /// PCI vendor.
    pub vendor_id: u16,
    /// Model number.
    pub model: String,
    /// Serial number.
    pub serial: String,
    /// Revision of the firmware.
    pub firmware: String,
    /// Version of the specification that it keeps to: `1.4.0`; empty before 1.2.
    pub nvme_version: String,
    /// Bytes of all its flash that namespaces can be made of; none where it does not tell.
    pub capacity_bytes: Option<u128>,
    /// Most namespaces.
    pub namespaces_max: u32,
    /// It knows directives.
    pub directives: bool,
    /// It knows Flexible Data Placement.
    pub fdp: bool,
}

/// A namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Namespace {
    /// Its number.
    pub id: u32,
    /// Bytes that it can be addressed by.
    pub size_bytes: u128,
    /// Bytes that are in use, as far as the drive knows of discards.
    pub used_bytes: u128,
    /// The endurance group that it lies in; 0 where there are none.
    pub endurance_group: u16,
    /// Which of the formats it has.
    pub format: u8,
    /// Formats of blocks that it could have.
    pub formats: Vec<Format>,
}

/// A format of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Format {
    /// Bytes of data; 0 for one that the drive has not.
    pub data_bytes: u64,
    /// Bytes of metadata beside them.
    pub metadata_bytes: u16,
    /// 0 best, 1 better, 2 good, 3 degraded.
    pub performance: u8,
}

impl Controller {
    /// Asks a controller.
    ///
    /// # Errors
    /// It cannot be reached, or was recorded in part.
    pub fn read(commands: &mut impl AdminCommands) -> Result<Self, NvmeError> {
        let mut page = [0; 4096];
        commands.ask(Command::IdentifyController, &mut page)?;
        Ok(Self::of(Bytes(&page)))
    }

    fn of(page: Bytes<'_>) -> Self {
        let version = page.u32(80);
        let nvme_version = match version {
            0 => String::new(),
            _ => format!("{}.{}.{}", version >> 16, version >> 8 & 0xff, version & 0xff),
        };
        Self {
            vendor_id: page.u16(0),
            serial: page.text(4, 20),
            model: page.text(24, 40),
            firmware: page.text(64, 8),
            nvme_version,
            capacity_bytes: Some(page.u128(280)).filter(|bytes| *bytes > 0),
            namespaces_max: page.u32(516),
            // OACS, bit 5.
            directives: page.u16(256) & 1 << 5 != 0,
            // CTRATT, bit 19.
            fdp: page.u32(96) & 1 << 19 != 0,
        }
    }
}

impl Namespace {
    /// Asks a namespace.
    ///
    /// # Errors
    /// There is none of that number, or the drive cannot be reached.
    pub fn read(commands: &mut impl AdminCommands, id: u32) -> Result<Self, NvmeError> {
        let mut page = [0; 4096];
        commands.ask(Command::IdentifyNamespace(id), &mut page)?;
        Ok(Self::of(Bytes(&page), id))
    }

    /// The numbers of the namespaces that are there, the smallest first.
    ///
    /// # Errors
    /// The drive cannot be reached.
    pub fn active(commands: &mut impl AdminCommands) -> Result<Vec<u32>, NvmeError> {
        let mut page = [0; 4096];
        commands.ask(Command::ActiveNamespaces, &mut page)?;
        let ids = (0..NAMESPACES_MAX).map(|at| Bytes(&page).u32(4 * at));
        Ok(ids.take_while(|id| *id != 0).collect())
    }

    fn of(page: Bytes<'_>, id: u32) -> Self {
        // NLBAF is one less than there are; the specification ends at 64.
        let formats: Vec<Format> = (0..=usize::from(page.u8(25)).min(63))
            .map(|at| Format::of(page.from(128 + 4 * at)))
            .collect();
        // FLBAS: bits 0 to 3, and above them bits 5 and 6 where there are more than 16 formats.
        let flbas = page.u8(26);
        let high = if formats.len() > 16 { flbas >> 5 & 3 } else { 0 };
        let format = flbas & 0xf | high << 4;
        let block_bytes = formats.get(usize::from(format)).map_or(0, |format| format.data_bytes);
        let bytes = |blocks: u64| u128::from(blocks) * u128::from(block_bytes);
        Self {
            id,
            size_bytes: bytes(page.u64(0)),
            used_bytes: bytes(page.u64(16)),
            endurance_group: page.u16(102),
            format,
            formats,
        }
    }
}

impl Format {
    fn of(descriptor: Bytes<'_>) -> Self {
        Self {
            metadata_bytes: descriptor.u16(0),
            // A power of two; below 512 bytes it says that there is no such format.
            data_bytes: match descriptor.u8(2) {
                shift @ 9..=32 => 1 << shift,
                _ => 0,
            },
            performance: descriptor.u8(3) & 3,
        }
    }
}
