//! SMART / Health Information, log 02h.

use super::{AdminCommands, Bytes, Command, NvmeError};
use serde::Serialize;

/// Bytes of a data unit: a thousand sectors of 512.
const DATA_UNIT_BYTES: u128 = 512_000;

/// What is asked of the health of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Smart {
    /// Bytes that hosts have written, to half a MB.
    pub host_written_bytes: u128,
    /// Bytes that hosts have read.
    pub host_read_bytes: u128,
    /// Share of its life that the drive believes to have used; above 100 it lives on.
    pub used_percent: u8,
    /// Spare blocks that are left, of what there were.
    pub spare_percent: u8,
    /// Hours that it had power.
    pub power_on_hours: u128,
}

impl Smart {
    /// Reads the log.
    ///
    /// # Errors
    /// It cannot be read; every drive has it.
    pub fn read(commands: &mut impl AdminCommands) -> Result<Self, NvmeError> {
        let mut page = [0; 512];
        commands.ask(Command::Log { id: 0x02, specific: 0 }, &mut page)?;
        Ok(Self::of(Bytes(&page)))
    }

    fn of(page: Bytes<'_>) -> Self {
        let bytes = |units: u128| units.saturating_mul(DATA_UNIT_BYTES);
        Self {
            spare_percent: page.u8(3),
            used_percent: page.u8(5),
            host_read_bytes: bytes(page.u128(32)),
            host_written_bytes: bytes(page.u128(48)),
            power_on_hours: page.u128(128),
        }
    }
}
