//! Limits as the files of a group: how they are written, and read back.

use super::{error::CgroupError, hierarchy::Version};
use crate::{root::Root, size::Size};
use std::{fs, path::Path};

/// The period over which processor time is rationed, microseconds: the kernel's own default.
const PERIOD_US: u64 = 100_000;

/// The kernel counts memory in pages, and reads a limit back so.
const PAGE_BYTES: u64 = 4096;

/// From here on a limit of version 1 means that there is none.
const UNLIMITED_BYTES: u64 = 1 << 60;

/// A file and what it should say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) file: &'static str,
    pub(super) value: String,
    /// Not every kernel has the file, and without it nothing is lost.
    pub(super) is_optional: bool,
}

fn limit(file: &'static str, value: String) -> Limit {
    Limit { file, value, is_optional: false }
}

/// Processor time, in the order in which the files are written.
pub(super) fn cpu(version: Version, size: &Size) -> Vec<Limit> {
    let Some(cpus) = size.cpus else { return Vec::new() };
    // A size has been checked: it is positive and small.
    let quota_us = (cpus * PERIOD_US as f64).round() as u64;
    match version {
        Version::V1 => vec![
            limit("cpu.cfs_period_us", PERIOD_US.to_string()),
            limit("cpu.cfs_quota_us", quota_us.to_string()),
        ],
        Version::V2 => vec![limit("cpu.max", format!("{quota_us} {PERIOD_US}"))],
    }
}

/// Memory without swap: a benchmark that swaps measures something else.
pub(super) fn memory(version: Version, size: &Size) -> Vec<Limit> {
    let Some(bytes) = size.memory_bytes else { return Vec::new() };
    let bytes = (bytes / PAGE_BYTES * PAGE_BYTES).to_string();
    let (file, swap, without) = match version {
        // Memory and swap together; there only where the kernel accounts for swap.
        Version::V1 => ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", bytes.clone()),
        Version::V2 => ("memory.max", "memory.swap.max", "0".to_owned()),
    };
    vec![limit(file, bytes), Limit { file: swap, value: without, is_optional: true }]
}

/// Writes limits and reads each back.
pub(super) fn set(dir: &Path, limits: &[Limit], root: &Root) -> Result<(), CgroupError> {
    for limit in limits {
        let path = root.path(dir.join(limit.file));
        if limit.is_optional && !path.exists() {
            continue;
        }
        let written = fs::write(&path, &limit.value);
        let action = || format!("write {} to", limit.value);
        written.map_err(|source| CgroupError::of(action(), &path, source))?;
    }
    hold(dir, limits, root)
}

/// Sees to it that limits are as they were set.
pub(super) fn hold(dir: &Path, limits: &[Limit], root: &Root) -> Result<(), CgroupError> {
    for limit in limits {
        let path = dir.join(limit.file);
        let found = root.read(&path);
        let path = root.path(path);
        let found = found.map_err(|source| CgroupError::of("read", &path, source))?;
        if limit.is_optional && found.is_none() {
            continue;
        }
        let found = found.unwrap_or_else(|| "nothing".to_owned());
        if found != limit.value {
            let wanted = limit.value.clone();
            return Err(CgroupError::NotKept { path, wanted, found });
        }
    }
    Ok(())
}

/// The processor limit of any group, in processors; none where there is none.
pub(super) fn cpus_of(dir: &Path, root: &Root) -> Option<f64> {
    let pair = root.text(dir.join("cpu.max")).or_else(|| {
        let quota = root.text(dir.join("cpu.cfs_quota_us"))?;
        Some(format!("{quota} {}", root.text(dir.join("cpu.cfs_period_us"))?))
    })?;
    let (quota, period) = pair.split_once(' ')?;
    // `max`, and -1 in version 1, is no limit.
    let (quota, period) = (quota.parse::<i64>().ok()?, period.trim().parse::<i64>().ok()?);
    (quota > 0 && period > 0).then(|| quota as f64 / period as f64)
}

/// The memory limit of any group, bytes; none where there is none.
pub(super) fn memory_of(dir: &Path, root: &Root) -> Option<u64> {
    let bytes: u64 = root
        .number(dir.join("memory.max"))
        .or_else(|| root.number(dir.join("memory.limit_in_bytes")))?;
    (bytes < UNLIMITED_BYTES).then_some(bytes)
}
