//! What block devices there are, and what they say of their limits.

mod kind;
mod link;
mod mounts;
mod queue;

pub use kind::Kind;
pub use link::Link;
pub use queue::Queue;

use mounts::Mounts;
use serde::Serialize;
use std::{fs, io, path::Path, path::PathBuf};

/// Bytes of a sector in the kernel's files, whatever the device's own sectors are.
const SECTOR_BYTES: u64 = 512;

/// A block device as the kernel's files in `/sys/block` show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Device {
    /// Its name: `nvme0n1`.
    pub name: String,
    /// What it is made of.
    pub kind: Kind,
    /// What its maker calls it; of a loop device the file behind it.
    pub model: Option<String>,
    /// Its size, bytes.
    pub size_bytes: u64,
    /// Whether it cannot be written.
    pub read_only: bool,
    /// Whether it can be taken out.
    pub removable: bool,
    /// What it says of requests.
    pub queue: Queue,
    /// How it is connected, where that is PCIe.
    pub link: Option<Link>,
    /// The NUMA node that it is nearest to.
    pub numa_node: Option<u32>,
    /// Devices that are built on it: `dm-0`, `md0`.
    pub holders: Vec<String>,
    /// Where it is mounted, and as what.
    pub mounts: Vec<Mounted>,
    /// Its partitions.
    pub partitions: Vec<Partition>,
}

/// A part of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Partition {
    /// Its name: `nvme0n1p1`.
    pub name: String,
    /// Its size, bytes.
    pub size_bytes: u64,
    /// Devices that are built on it.
    pub holders: Vec<String>,
    /// Where it is mounted, and as what.
    pub mounts: Vec<Mounted>,
}

/// A place where a device is mounted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mounted {
    /// The directory.
    pub point: PathBuf,
    /// The file system.
    pub file_system: String,
}

/// All block devices that have a size, by their names. `root` is `/`, or a tree with `sys/block`
/// and `proc/self/mountinfo` that a test has made.
///
/// # Errors
/// There is no `sys/block`; what single devices do not tell is left out.
pub fn devices(root: &Path) -> io::Result<Vec<Device>> {
    let mounts = Mounts::read(root);
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join("sys/block"))? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let dir = entry.path();
        // A slot without a disc, a loop device without a file.
        if size_bytes(&dir) > 0 {
            found.push(device(&dir, name, &mounts));
        }
    }
    found.sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
    Ok(found)
}

fn device(dir: &Path, name: String, mounts: &Mounts) -> Device {
    let mut partitions: Vec<_> = names(dir)
        .into_iter()
        .filter(|part| dir.join(part).join("partition").exists())
        .map(|part| partition(&dir.join(&part), part, mounts))
        .collect();
    partitions.sort_by(|one, other| natural(&one.name).cmp(&natural(&other.name)));
    let node: Option<i32> =
        ["device/numa_node", "device/device/numa_node"].iter().find_map(|at| number(dir, at));
    Device {
        kind: Kind::of(dir, &name),
        model: model(dir),
        size_bytes: size_bytes(dir),
        read_only: number(dir, "ro") == Some(1_u8),
        removable: number(dir, "removable") == Some(1_u8),
        queue: Queue::of(&dir.join("queue")),
        link: Link::above(dir),
        // A machine without nodes says -1.
        numa_node: node.and_then(|node| node.try_into().ok()),
        holders: names(&dir.join("holders")),
        mounts: mounts.of(text(dir, "dev").as_deref(), &name),
        partitions,
        name,
    }
}

fn partition(dir: &Path, name: String, mounts: &Mounts) -> Partition {
    Partition {
        size_bytes: size_bytes(dir),
        holders: names(&dir.join("holders")),
        mounts: mounts.of(text(dir, "dev").as_deref(), &name),
        name,
    }
}

/// Names with numbers at their ends in the order of the numbers.
fn natural(name: &str) -> (&str, u64) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, name[stem.len()..].parse().unwrap_or(0))
}

fn model(dir: &Path) -> Option<String> {
    let vendor = text(dir, "device/vendor").filter(|vendor| !vendor.starts_with("0x"));
    let model = text(dir, "device/model");
    let words: Vec<String> = vendor.into_iter().chain(model).collect();
    let own = (!words.is_empty()).then(|| words.join(" "));
    own.or_else(|| text(dir, "loop/backing_file"))
        .or_else(|| text(dir, "dm/name"))
        .or_else(|| text(dir, "md/level"))
}

fn size_bytes(dir: &Path) -> u64 {
    number::<u64>(dir, "size").unwrap_or(0).saturating_mul(SECTOR_BYTES)
}

/// What a file of the kernel holds, without the blanks at its ends; none for what is absent,
/// cannot be read, or is empty.
fn text(dir: &Path, name: &str) -> Option<String> {
    let held = fs::read(dir.join(name)).ok()?;
    let held = String::from_utf8_lossy(&held).trim().to_owned();
    (!held.is_empty()).then_some(held)
}

fn number<T: std::str::FromStr>(dir: &Path, name: &str) -> Option<T> {
    text(dir, name)?.parse().ok()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests;
