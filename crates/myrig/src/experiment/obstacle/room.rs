//! Room on the devices.

use crate::experiment::capability::storage::{Disk, Storage};
use host::{Bytes, Resources, Root};
use lab::experiment::{
    Experiment, data_sets,
    plan::Estimates,
    spec::{Arm, Order},
};
use std::path::{Path, PathBuf};

/// Devices on which data, snapshots and what is restored have no room.
pub(super) fn of_room(experiment: &Experiment, estimates: &Estimates, home: &Path) -> Vec<String> {
    let is_duet = experiment.repeat.order == Order::Duet;
    let mut needs: Vec<(PathBuf, u64)> = Vec::new();
    let mut need = |place: &Path, bytes: u64| match needs.iter_mut().find(|it| it.0 == place) {
        Some((_, sum)) => *sum = sum.saturating_add(bytes),
        None => needs.push((place.to_owned(), bytes)),
    };
    let mut largest = (home.to_owned(), 0);
    for set in data_sets(experiment) {
        let bytes = estimates.data.get(&set.key).map_or(0, |data| data.bytes);
        let data = set.server.data_dir.clone().unwrap_or_else(|| home.to_owned());
        need(&data, bytes.saturating_mul(if is_duet { 3 } else { 1 }));
        if set.at_rest {
            continue;
        }
        need(home, bytes);
        // Where it is laid out anew it lies elsewhere.
        let anew = |name: &String| experiment.arm(name).is_some_and(lies_elsewhere);
        if bytes > largest.1 && !set.variants.iter().all(anew) {
            largest = (data, bytes);
        }
    }
    need(&largest.0, largest.1);
    // A disk in a file comes to be as large as it is.
    need(home, experiment.variants.iter().filter_map(image_bytes).max().unwrap_or_default());
    let lacking = needs.iter().filter_map(|(place, bytes)| {
        let free = Resources::of(&Root::real(), place).disk.free_bytes?;
        let (bytes, free_words) = (*bytes, Bytes(free));
        (bytes > free).then(|| {
            format!(
                "data: about {} are needed in {} for data and snapshots, and {free_words} are \
                 free; load less, take another scale, or keep it elsewhere (--home, \
                 server.data-dir)",
                Bytes(bytes),
                place.display()
            )
        })
    });
    lacking.collect()
}

/// Whether a variant's trials have their data on a file system of their own.
fn lies_elsewhere(arm: &Arm) -> bool {
    Storage::of(arm).is_ok_and(|storage| storage.is_some())
}

fn image_bytes(arm: &Arm) -> Option<u64> {
    match Storage::of(arm).ok()??.disk().ok()? {
        Disk::Image(bytes) => Some(bytes),
        Disk::Device(_) => None,
    }
}
