//! What keeps the files of a variant from being looked at.

use crate::experiment::{
    options,
    pages::{Cache, INNOCHECKSUM, Tool},
};
use host::{Bytes, Resources, Root};
use lab::experiment::{Experiment, data_sets, plan::Estimates, spec::Arm};
use rustix::fs::{FsWord, statfs};
use server::{Flavour, Installation};
use std::path::Path;

/// `TMPFS_MAGIC` of `linux/magic.h`.
const TMPFS: FsWord = 0x0102_1994;

/// The share of memory that the page cache can have, 0 to 1: something else wants to live, too.
const CACHE_SHARE: f64 = 0.8;

/// A tool that is not there, and memory or a file system that cannot be as asked for; nothing for a
/// variant that puts a load on.
pub(super) fn of_files(
    arm: &Arm,
    installation: &Installation,
    estimates: &Estimates,
    experiment: &Experiment,
    home: &Path,
) -> Vec<String> {
    if !arm.is_at_rest() {
        return Vec::new();
    }
    // What is no option at all was told before.
    let Ok(args) = options::pages_args(&arm.workload) else { return Vec::new() };
    let mut found = Vec::new();
    if args.tool == Tool::Stock && installation.companion(INNOCHECKSUM).is_none() {
        found.push(no_innochecksum(installation));
    }
    let data = arm.server.data_dir.as_deref().unwrap_or(home);
    let sets = data_sets(experiment);
    let set = sets.iter().find(|set| set.variants.contains(&arm.name));
    let bytes = set.and_then(|set| estimates.data.get(&set.key)).map_or(0, |data| data.bytes);
    match args.cache {
        Cache::Cold if is_in_memory(data) => found.push(format!(
            "workload.cache: {} lies in memory (tmpfs), where no file is ever cold; keep the data \
             on a disk (--home, server.data-dir), or leave the cold variants out",
            data.display()
        )),
        Cache::Warm => found.extend(too_large(bytes, data)),
        Cache::Cold => {}
    }
    found
}

fn no_innochecksum(installation: &Installation) -> String {
    let release = installation.release();
    let package = match release.flavour {
        Flavour::MariaDb => "mariadb-server-core",
        Flavour::MySql => "mysql-server-core",
        Flavour::Percona => "percona-server-server",
    };
    format!(
        "workload.tool: there is no innochecksum beside {release} ({}); install it (Debian: \
         {package}), or leave the stock variants out",
        installation.mysqld().display()
    )
}

/// Whether a directory, or what is there of the way to it, lies in memory.
fn is_in_memory(dir: &Path) -> bool {
    let there = dir.ancestors().find_map(|dir| statfs(dir).ok());
    there.is_some_and(|facts| facts.f_type == TMPFS)
}

fn too_large(bytes: u64, data: &Path) -> Option<String> {
    let memory_bytes = Resources::of(&Root::real(), data).memory_bytes;
    (bytes as f64 > memory_bytes as f64 * CACHE_SHARE).then(|| {
        format!(
            "workload.cache: about {} of files cannot stay in {} of memory; load less, or leave \
             the warm variants out",
            Bytes(bytes),
            Bytes(memory_bytes)
        )
    })
}
