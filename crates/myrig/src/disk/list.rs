//! `myrig disk list`: block devices by what they are.

use crate::{
    args::DiskListArgs,
    failure::{Failure, Status},
    output::Output,
};
use anyhow::Context;
use disk::device::{Device, Kind, Mounted, Partition, devices};
use host::Bytes;
use serde_json::json;
use std::path::Path;

pub(super) fn run(args: &DiskListArgs, output: &Output) -> Result<Status, Failure> {
    let found = devices(Path::new("/"));
    let mut found = found.context("/sys/block: this machine shows no block devices")?;
    if !args.all {
        found.retain(|device| {
            !matches!(device.kind, Kind::Loop | Kind::Memory | Kind::Optical)
                || !device.mounts.is_empty()
        });
    }
    let value = json!({ "schema": "myrig.disk-list/1", "devices": found });
    let text = match found.is_empty() {
        true => "no block devices; --all shows loop devices and memory, too\n".to_owned(),
        false => found.iter().map(words).collect(),
    };
    output.result(&value, &text)?;
    Ok(Status::Good)
}

/// A device, its limits and its parts, a line each.
fn words(device: &Device) -> String {
    let Device { name, kind, model, size_bytes, queue, .. } = device;
    let mut head = format!("{name}  {}  {}", kind.word(), Bytes(*size_bytes));
    if let Some(model) = model {
        head.push_str(&format!("  {model}"));
    }
    if device.read_only {
        head.push_str("  (read only)");
    }
    let mut lines = vec![head, format!("    {}", limits(device).join(", "))];
    if let Some(link) = &device.link {
        let mut words = format!("    PCIe: {} lanes at {}", link.lanes, link.speed);
        if link.is_reduced() {
            let lanes = link.lanes_max.unwrap_or(link.lanes);
            let speed = link.speed_max.as_ref().unwrap_or(&link.speed);
            words.push_str(&format!(" (it could do {lanes} at {speed})"));
        }
        lines.push(words);
    }
    let zoned = queue.zoned.as_deref().filter(|zoned| *zoned != "none");
    lines.extend(zoned.map(|zoned| format!("    zoned: {zoned}")));
    let own = uses(&device.mounts, &device.holders);
    lines.extend(own.map(|uses| format!("    {uses}")));
    lines.extend(device.partitions.iter().map(part));
    lines.join("\n") + "\n"
}

fn limits(device: &Device) -> Vec<String> {
    let queue = &device.queue;
    let bytes = |bytes: Option<u64>| bytes.map_or("?".to_owned(), |bytes| Bytes(bytes).to_string());
    let blocks = match queue.logical_block_bytes == queue.physical_block_bytes {
        true => format!("blocks of {}", bytes(queue.logical_block_bytes)),
        false => format!(
            "blocks of {} ({} inside)",
            bytes(queue.logical_block_bytes),
            bytes(queue.physical_block_bytes)
        ),
    };
    let mut limits = vec![blocks, format!("requests to {}", bytes(queue.request_bytes_max))];
    limits.extend(queue.requests.map(|depth| format!("{depth} queued")));
    limits.extend(queue.scheduler.as_ref().map(|name| format!("scheduler {name}")));
    limits.extend(queue.optimal_io_bytes.map(|best| format!("best with {}", Bytes(best))));
    limits.extend(queue.write_cache.clone());
    if queue.discard_bytes_max.is_some_and(|bytes| bytes > 0) {
        limits.push("discards".to_owned());
    }
    if queue.dax == Some(true) {
        limits.push("DAX".to_owned());
    }
    limits.extend(device.numa_node.map(|node| format!("NUMA node {node}")));
    limits
}

fn part(part: &Partition) -> String {
    let uses = uses(&part.mounts, &part.holders).map(|uses| format!("  {uses}"));
    format!("    {}  {}{}", part.name, Bytes(part.size_bytes), uses.unwrap_or_default())
}

fn uses(mounts: &[Mounted], holders: &[String]) -> Option<String> {
    let mounts = mounts.iter().map(|m| format!("{} ({})", m.point.display(), m.file_system));
    let holders = holders.iter().map(|holder| format!("carries {holder}"));
    let words: Vec<String> = mounts.chain(holders).collect();
    (!words.is_empty()).then(|| words.join(", "))
}
