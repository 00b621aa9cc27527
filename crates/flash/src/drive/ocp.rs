//! SMART / Health Information Extended, log C0h of the OCP Datacenter NVMe SSD Specification.

use super::{DriveError, Source};
use crate::{
    nvme::{AdminCommands, Bytes, Command, smart::Smart},
    waf::Reading,
};

const LOG: Command = Command::Log { id: 0xc0, specific: 0 };
/// AFD514C9-7C6F-4F9C-A4F2-BFEA2810AFC5, as it lies in the page.
const GUID: u128 = 0xafd5_14c9_7c6f_4f9c_a4f2_bfea_2810_afc5;

/// Byte offsets.
mod field {
    pub(super) const MEDIA_WRITTEN: usize = 0;
    pub(super) const VERSION: usize = 494;
    pub(super) const GUID: usize = 496;
}

/// The log, of which 512 bytes are defined in every version.
fn page(commands: &mut impl AdminCommands) -> Result<[u8; 512], DriveError> {
    let mut page = [0; 512];
    commands.ask(LOG, &mut page)?;
    Ok(page)
}

/// Media bytes and the version, if the page is what it must be.
fn media(page: &[u8; 512]) -> Result<(u128, u16), DriveError> {
    let page = Bytes(page);
    let (guid, version) = (page.u128(field::GUID), page.u16(field::VERSION));
    let wrong = |words: String| Err(DriveError::Wrong(words));
    match (guid, version) {
        (GUID, 0) => wrong("log 0xC0 says OCP, and version 0, which there is not".to_owned()),
        // Later versions define what was reserved; media bytes are where they were in the first.
        (GUID, version) => Ok((page.u128(field::MEDIA_WRITTEN), version)),
        (0, _) => wrong("log 0xC0 carries no GUID, so it is not OCP's".to_owned()),
        _ => wrong(format!(
            "log 0xC0 carries another vendor's GUID {guid:032X}, not OCP's {GUID:032X}"
        )),
    }
}

pub(super) fn detect(commands: &mut impl AdminCommands) -> Result<Source, DriveError> {
    let (_, version) = media(&page(commands)?)?;
    Ok(Source::Ocp { version })
}

pub(super) fn read(commands: &mut impl AdminCommands) -> Result<Reading, DriveError> {
    let (media_bytes, _) = media(&page(commands)?)?;
    Ok(Reading { host_bytes: Smart::read(commands)?.host_written_bytes, media_bytes })
}
