//! What the machine can hold.

use crate::experiment::{
    capability::server::{limits, placement, settings},
    carried::carried,
};
use host::{Bytes, Resources, Root, Size, Topology};
use lab::experiment::{
    Experiment,
    spec::{Arm, Order, ServerSpec},
};
use server::{Release, sizing};
use std::path::Path;

/// The buffer pool, and what an instance gets that is told nothing of it.
const POOL: &str = "innodb-buffer-pool-size";
const POOL_BASE: &str = "512M";

/// Limits, places and settings that the machine cannot hold.
pub(super) fn of_machine(
    arm: &Arm,
    experiment: &Experiment,
    release: &Release,
    home: &Path,
) -> Vec<String> {
    let spec = &arm.server;
    // What cannot be read at all was told by the capability.
    let (Ok(size), Ok(place), Ok(_)) = (limits(spec), placement(spec), settings(spec)) else {
        return Vec::new();
    };
    let root = Root::real();
    let topology = Topology::of(&root);
    let mut found = Vec::new();
    if let Err(error) = place.check(&topology) {
        found.push(format!("server.cpus: {error}"));
    }
    let is_duet = experiment.repeat.order == Order::Duet;
    let data = spec.data_dir.as_deref().unwrap_or(home);
    let mut resources = Resources::of(&root, data);
    // Room on the disk is looked at for everything together.
    resources.disk.free_bytes = None;
    if is_duet {
        if topology.online.len() < 2 {
            found.push(
                "repeat.order: a duet wants two processors at least, and there is one; take \
                 \"abba\""
                    .to_owned(),
            );
            return found;
        }
        resources = resources.share(0.5);
    }
    if arm.instances() > 1 {
        resources = resources.share(1.0 / f64::from(arm.instances()));
    }
    let beyond = of_limits(&size, &resources, is_duet || arm.instances() > 1);
    if beyond.is_empty() {
        if let Err(error) = host::cgroup::can_limit(&root, &size) {
            found.push(format!("server.cores, server.memory: {error}"));
        }
        found.extend(of_settings(spec, release, resources.limited(&size)));
    }
    found.extend(beyond);
    found
}

/// Limits that are beyond the machine would hold nothing.
fn of_limits(size: &Size, resources: &Resources, shared: bool) -> Vec<String> {
    let mut found = Vec::new();
    let whose = if shared { "that each of those at the same time can have" } else { "there are" };
    if let Some(cpus) = size.cpus.filter(|cpus| *cpus > resources.cpus) {
        found.push(format!(
            "server.cores: {cpus} are more than the {} {whose}; take fewer, another scale, or a \
             larger machine",
            resources.cpus
        ));
    }
    if let Some(bytes) = size.memory_bytes.filter(|bytes| *bytes > resources.memory_bytes) {
        found.push(format!(
            "server.memory: {} are more than the {} {whose}; take less, another scale, or a larger \
             machine",
            Bytes(bytes),
            Bytes(resources.memory_bytes)
        ));
    }
    found
}

fn of_settings(spec: &ServerSpec, release: &Release, resources: Resources) -> Vec<String> {
    let mut settings = match carried(spec, release) {
        Ok(settings) => settings,
        Err(fault) => return vec![fault.to_string()],
    };
    let is_pool = |name: &String| name.replace('_', "-") == POOL;
    if !spec.sized && !settings.keys().any(is_pool) {
        settings.insert(POOL.to_owned(), POOL_BASE.to_owned());
    }
    let checked = match spec.sized {
        true => sizing::Sizing::of(
            &resources,
            &sizing::Wishes { release, settings: &settings, connections: None },
        )
        .map(drop),
        false => sizing::check(&settings, release, &resources),
    };
    let words = |error| format!("server.settings: {error}");
    checked.err().map(words).into_iter().collect()
}
