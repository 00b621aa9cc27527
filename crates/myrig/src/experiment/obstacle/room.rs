//! Room on the devices.

use host::{Bytes, Resources, Root};
use lab::experiment::{Experiment, data_sets, plan::Estimates, spec::Order};
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
        if bytes > largest.1 {
            largest = (data, bytes);
        }
    }
    need(&largest.0, largest.1);
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
