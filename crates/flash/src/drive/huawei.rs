//! Log C0h of Huawei's ES3000, as the script of the published procedure reads it.

use super::{DriveError, Source, agrees_with_smart};
use crate::{
    nvme::{AdminCommands, Bytes, Command},
    waf::Reading,
};

/// PCI vendor.
pub(super) const VENDOR: u16 = 0x19e5;
/// Both counts are in pages of 4 KiB.
pub(super) const UNIT_BYTES: u64 = 4096;
const LOG: Command = Command::Log { id: 0xc0, specific: 0 };

/// Byte offsets.
mod field {
    pub(super) const HOST_WRITES: usize = 0x1c4;
    pub(super) const GC_WRITES: usize = 0x1d0;
}

pub(super) fn detect(commands: &mut impl AdminCommands) -> Result<Source, DriveError> {
    let reading = read(commands)?;
    agrees_with_smart(commands, reading.host_bytes)?;
    Ok(Source::Huawei)
}

pub(super) fn read(commands: &mut impl AdminCommands) -> Result<Reading, DriveError> {
    // The script asks for 800 bytes; what it looks at lies in the first 512.
    let mut page = [0; 512];
    commands.ask(LOG, &mut page)?;
    let bytes = |at| u128::from(Bytes(&page).u64(at)) * u128::from(UNIT_BYTES);
    let host_bytes = bytes(field::HOST_WRITES);
    Ok(Reading { host_bytes, media_bytes: host_bytes + bytes(field::GC_WRITES) })
}
