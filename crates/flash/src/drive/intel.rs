//! Log CAh, additional SMART attributes, of Intel and Solidigm.

use super::{DriveError, Source, agrees_with_smart};
use crate::{
    nvme::{AdminCommands, Bytes, Command},
    waf::Reading,
};

/// PCI vendors: Intel, Solidigm. Others use the same number for logs of their own.
pub(super) const VENDORS: [u16; 2] = [0x8086, 0x025e];
/// Both counts are in units of 32 MiB. That is not verified on a drive of ours; SMART's count of
/// the same bytes is held against it before the log is trusted.
pub(super) const UNIT_BYTES: u64 = 32 << 20;
const LOG: Command = Command::Log { id: 0xca, specific: 0 };
const ITEM_BYTES: usize = 12;
const MEDIA_WRITTEN: u8 = 0xf4;
const HOST_WRITTEN: u8 = 0xf5;

pub(super) fn detect(commands: &mut impl AdminCommands) -> Result<Source, DriveError> {
    let reading = read(commands)?;
    agrees_with_smart(commands, reading.host_bytes)?;
    Ok(Source::Intel)
}

pub(super) fn read(commands: &mut impl AdminCommands) -> Result<Reading, DriveError> {
    let mut page = [0; 512];
    commands.ask(LOG, &mut page)?;
    let item = |key: u8| {
        let found = page.chunks_exact(ITEM_BYTES).find(|item| item[0] == key);
        let none = || DriveError::Wrong(format!("log 0xCA has no item {key:#04X}"));
        let raw = Bytes(found.ok_or_else(none)?).u48(5);
        Ok::<u128, DriveError>(u128::from(raw) * u128::from(UNIT_BYTES))
    };
    Ok(Reading { host_bytes: item(HOST_WRITTEN)?, media_bytes: item(MEDIA_WRITTEN)? })
}
