//! Streams as NVMe 1.3 has them: a directive, which Linux used from 4.13 to 5.17.

use super::{AdminCommands, Bytes, Command, NvmeError};
use serde::Serialize;

const IDENTIFY: u8 = 0;
const STREAMS: u8 = 1;
const RETURN_PARAMETERS: u8 = 1;
/// The bit of the streams directive in the lists of the identify directive.
const STREAMS_BIT: u8 = 1 << 1;

/// What a namespace says of streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Streams {
    /// It knows the directive.
    pub supported: bool,
    /// A host has switched it on.
    pub enabled: bool,
    /// Limits, where they are told.
    pub limits: Option<Limits>,
}

/// Limits of a namespace's streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Most streams of the whole drive (MSL).
    pub streams_max: u16,
    /// Streams of the drive that nobody holds (NSSA).
    pub available: u16,
    /// Streams that are open (NSSO).
    pub open: u16,
    /// Best size of a write, in logical blocks (SWS).
    pub write_blocks: u32,
    /// Size of a stream's granule, in multiples of that (SGS): what is freed together.
    pub granule_writes: u16,
    /// Streams that this namespace holds for itself (NSA).
    pub allocated: u16,
}

impl Streams {
    /// Asks a namespace. One that refuses to tell has no streams.
    ///
    /// # Errors
    /// The drive cannot be reached.
    pub fn read(commands: &mut impl AdminCommands, namespace: u32) -> Result<Self, NvmeError> {
        let mut page = [0; 4096];
        let ask = |kind| Command::Directive { namespace, kind, operation: RETURN_PARAMETERS };
        match commands.ask(ask(IDENTIFY), &mut page) {
            Err(error) if error.is_refusal() => return Ok(Self::default()),
            answer => answer?,
        };
        // Thirty-two bytes of what is supported, and as many of what is enabled.
        let supported = page[0] & STREAMS_BIT != 0;
        let enabled = page[32] & STREAMS_BIT != 0;
        let mut limits = [0; 32];
        let told = match commands.ask(ask(STREAMS), &mut limits) {
            _ if !supported => false,
            Err(error) if error.is_refusal() => false,
            answer => answer.map(|_| true)?,
        };
        let limits = told.then(|| Limits::of(Bytes(&limits)));
        Ok(Self { supported, enabled, limits })
    }
}

impl Limits {
    fn of(page: Bytes<'_>) -> Self {
        Self {
            streams_max: page.u16(0),
            available: page.u16(2),
            open: page.u16(4),
            write_blocks: page.u32(16),
            granule_writes: page.u16(20),
            allocated: page.u16(22),
        }
    }
}
