//! What a device says of requests.

use super::{number, text};
use serde::Serialize;
use std::path::Path;

/// The limits of a device's queue, from `/sys/block/*/queue`
/// (`Documentation/ABI/stable/sysfs-block` of the kernel). What is none the device does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Queue {
    /// The smallest request, bytes.
    pub logical_block_bytes: Option<u64>,
    /// What it writes at once inside, bytes: smaller writes are read first.
    pub physical_block_bytes: Option<u64>,
    /// The smallest request that costs nothing extra, bytes.
    pub minimum_io_bytes: Option<u64>,
    /// What it does best: a RAID's stripe, bytes.
    pub optimal_io_bytes: Option<u64>,
    /// Longer requests are cut by the kernel into pieces of that, bytes.
    pub request_bytes_max: Option<u64>,
    /// Pieces of memory a request.
    pub segments_max: Option<u32>,
    /// Requests that the kernel keeps waiting for it (`nr_requests`).
    pub requests: Option<u32>,
    /// What orders them.
    pub scheduler: Option<String>,
    /// What is read ahead of sequential reads through the page cache, bytes.
    pub read_ahead_bytes: Option<u64>,
    /// Whether the kernel takes it for discs that turn.
    pub rotational: Option<bool>,
    /// The most that can be discarded at once, bytes; none or 0 where nothing can.
    pub discard_bytes_max: Option<u64>,
    /// `write back` where what is written may be lost until it is flushed, or `write through`.
    pub write_cache: Option<String>,
    /// Whether memory can be mapped without the page cache.
    pub dax: Option<bool>,
    /// `none`, `host-aware` or `host-managed`.
    pub zoned: Option<String>,
    /// The most that it writes whole or not at all, bytes; none or 0 where that is a single block.
    pub atomic_write_bytes_max: Option<u64>,
}

impl Queue {
    pub(super) fn of(dir: &Path) -> Self {
        let flag = |name| number::<u8>(dir, name).map(|flag| flag == 1);
        let kilobytes = |name| number::<u64>(dir, name).map(|kib| kib.saturating_mul(1024));
        Self {
            logical_block_bytes: number(dir, "logical_block_size"),
            physical_block_bytes: number(dir, "physical_block_size"),
            minimum_io_bytes: number(dir, "minimum_io_size"),
            optimal_io_bytes: number(dir, "optimal_io_size").filter(|bytes| *bytes > 0),
            request_bytes_max: kilobytes("max_sectors_kb"),
            segments_max: number(dir, "max_segments"),
            requests: number(dir, "nr_requests"),
            scheduler: text(dir, "scheduler").map(|words| chosen(&words)),
            read_ahead_bytes: kilobytes("read_ahead_kb"),
            rotational: flag("rotational"),
            discard_bytes_max: number(dir, "discard_max_bytes"),
            write_cache: text(dir, "write_cache"),
            dax: flag("dax"),
            zoned: text(dir, "zoned"),
            atomic_write_bytes_max: number(dir, "atomic_write_max_bytes"),
        }
    }
}

/// The one in brackets of `none [mq-deadline] kyber`; the only one without.
fn chosen(words: &str) -> String {
    let inside = words.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(words, |(chosen, _)| chosen).to_owned()
}
