//! A trace that is made up: a log that is written round and round, rows at random.

use crate::support::Rig;
use flash::trace::{
    Event, Kind,
    file::{Header, Writer},
    names::{Extent, FileId, FileMap},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::fs;

/// Sectors of the device.
const SECTORS: u64 = (32 << 20) / 512;
/// Sectors of a page.
const PAGE: u64 = 8;
/// Pages of the log.
const LOG: u64 = 512;

/// What is made.
pub(super) struct Made {
    /// Writes to each of the log and the rows.
    pub(super) writes: u64,
    /// The hint of the log.
    pub(super) hint: u8,
    /// Events that are said to be lost.
    pub(super) lost: u64,
    /// Bytes that the device is said to have.
    pub(super) device_bytes: u64,
}

impl Default for Made {
    fn default() -> Self {
        Self { writes: 20_000, hint: 2, lost: 0, device_bytes: SECTORS * 512 }
    }
}

/// Writes `made.trace` into the rig's directory; its bytes.
pub(super) fn trace(rig: &Rig, made: Made) -> Vec<u8> {
    let header = Header {
        device: "made".into(),
        device_bytes: made.device_bytes,
        started_unix_ns: 0,
        started_ns: 0,
        carries_hints: true,
    };
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &header).unwrap();
    let pages = SECTORS / PAGE;
    for (file, path, sector, sectors) in [
        (0, "/data/ib_logfile0", 0, LOG * PAGE),
        (1, "/data/t/rows.ibd", LOG * PAGE, (pages - LOG) * PAGE),
    ] {
        let extents = vec![Extent { sector, sectors }];
        writer.file(&FileMap { file: FileId(file), path: path.into(), extents }).unwrap();
    }
    let mut random = StdRng::seed_from_u64(1);
    for at in 0..made.writes {
        let write = |page: u64, hint| Event {
            time_ns: at * 1_000,
            sector: page * PAGE,
            sectors: PAGE as u32,
            kind: Kind::Write,
            hint,
        };
        let row = random.random_range(LOG..pages);
        writer.events(&[write(at % LOG, made.hint), write(row, 0)]).unwrap();
    }
    writer.finish(made.lost, made.writes * 1_000).unwrap();
    fs::write(rig.dir().join("made.trace"), &bytes).unwrap();
    bytes
}
