//! Why an experiment cannot be carried out on this machine, found without touching anything.

use super::{
    capability::{
        WATCH,
        server::{limits, placement, settings},
    },
    carried::{carried, changed},
    options::{self, Load},
    stand::installation,
};
use crate::{output::Output, paths::Paths};
use host::{Bytes, Resources, Root, Size, Topology};
use lab::experiment::{
    Experiment, Variant, data_sets,
    plan::Estimates,
    spec::{Arm, Order, ServerSpec},
};
use server::{Release, sizing};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// The shortest measured phase that says anything: two intervals.
const MEASURE_MIN: Duration = Duration::from_secs(2);

/// Connections beside those of the load: those that watch and ask.
const CONNECTIONS_BESIDE: u64 = 4;

/// The buffer pool, and what an instance gets that is told nothing of it.
const POOL: &str = "innodb-buffer-pool-size";
const POOL_BASE: &str = "512M";

/// What was found about an experiment on this machine.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Why it cannot be carried out, a sentence each with the key and the way out.
    pub(super) obstacles: Vec<String>,
    /// What it changes on the machine during its trials, and puts back after each.
    pub(super) changes: Vec<String>,
    /// What becomes of settings that this version of the server does not have as they are.
    pub(super) carried: Vec<String>,
    /// The servers that it runs, in words.
    pub(super) servers: Vec<String>,
}

/// Where it is to be carried out.
pub(super) struct Site<'a> {
    pub(super) paths: &'a Paths,
    pub(super) output: &'a Output,
    /// What there is to be changed.
    pub(super) variants: &'a [Box<dyn Variant>],
}

/// Looks at everything that can be known before anything is touched.
pub(super) fn findings(
    experiment: &Experiment,
    estimates: &Estimates,
    site: &Site<'_>,
) -> Findings {
    let mut findings = Findings::default();
    let mut programs = Vec::new();
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for arm in &experiment.variants {
        for words in of_arm(arm, experiment, site, &mut programs, &mut findings) {
            let words = of_keys(&words);
            match found.iter_mut().find(|(known, _)| *known == words) {
                Some((_, names)) => names.push(&arm.name),
                None => found.push((words, vec![&arm.name])),
            }
        }
    }
    findings.obstacles = found
        .into_iter()
        .map(|(words, names)| match names.len() == experiment.variants.len() {
            true => words,
            false => format!("{}: {words}", names.join("; ")),
        })
        .collect();
    findings.obstacles.extend(of_metrics(experiment));
    findings.obstacles.extend(of_room(experiment, estimates, site.paths.home()));
    for all in [&mut findings.changes, &mut findings.carried, &mut findings.servers] {
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|words| seen.insert(words.clone()));
    }
    findings
}

/// Words about options of the command line as words about keys of the file.
fn of_keys(words: &str) -> String {
    let words = words.replace("--mysqld", "server.mysqld").replace("--basedir", "server.basedir");
    words.replace("--size auto", "server.sized = true")
}

/// A server program that was looked for, and what was found.
type Program = (ServerSpec, Result<Release, String>);

fn of_arm(
    arm: &Arm,
    experiment: &Experiment,
    site: &Site<'_>,
    programs: &mut Vec<Program>,
    findings: &mut Findings,
) -> Vec<String> {
    let mut found = Vec::new();
    for variant in site.variants {
        match variant.plan(arm) {
            // An instance's own settings are no change of the machine.
            Ok(_) if variant.key() == "server" => {}
            Ok(changes) => findings.changes.extend(changes),
            Err(fault) => found.push(fault.to_string()),
        }
    }
    found.extend(of_load(arm));
    match release(&arm.server, site, programs) {
        Err(words) => found.push(words),
        Ok(release) => {
            findings.servers.push(release.to_string());
            findings.carried.extend(changed(&arm.server, &release).unwrap_or_default());
            found.extend(of_machine(arm, experiment, &release, site.paths.home()));
        }
    }
    found
}

fn release(
    spec: &ServerSpec,
    site: &Site<'_>,
    programs: &mut Vec<Program>,
) -> Result<Release, String> {
    let program = ServerSpec {
        flavour: spec.flavour.clone(),
        mysqld: spec.mysqld.clone(),
        basedir: spec.basedir.clone(),
        build: spec.build.clone(),
        ..ServerSpec::default()
    };
    if let Some((_, known)) = programs.iter().find(|(known, _)| *known == program) {
        return known.clone();
    }
    let found = installation(&program, site.paths, site.output)
        .map(|installation| installation.release().clone())
        .map_err(|failure| failure.to_string());
    programs.push((program, found.clone()));
    found
}

/// Times and connections that cannot be.
fn of_load(arm: &Arm) -> Vec<String> {
    // What is no option at all was told before.
    let Ok(load) = options::run_args(&arm.workload) else { return Vec::new() };
    let pacing = load.pacing();
    let mut found = Vec::new();
    if pacing.duration < MEASURE_MIN {
        found.push(format!(
            "workload.duration: {:?} is too short to say anything; give 2s or more",
            pacing.duration
        ));
    }
    if pacing.duration < pacing.ramp_up {
        found.push(format!(
            "workload.duration: the measured {:?} are shorter than the warm-up of {:?}; lengthen \
             them, or shorten workload.ramp-up",
            pacing.duration, pacing.ramp_up
        ));
    }
    let connections = u64::from(pacing.connections.iter().copied().max().unwrap_or_default());
    let most = arm.server.settings.get("max-connections");
    let most = most.and_then(|value| value.as_u64().or_else(|| value.as_str()?.parse().ok()));
    if let Some(most) = most.filter(|most| connections + CONNECTIONS_BESIDE > *most) {
        found.push(format!(
            "workload.connections: {connections}, and {CONNECTIONS_BESIDE} to watch and ask, are \
             more than server.settings.max-connections = {most}; raise it"
        ));
    }
    found
}

/// Limits, places and settings that the machine cannot hold.
fn of_machine(arm: &Arm, experiment: &Experiment, release: &Release, home: &Path) -> Vec<String> {
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
    let beyond = of_limits(&size, &resources, is_duet);
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
fn of_limits(size: &Size, resources: &Resources, is_duet: bool) -> Vec<String> {
    let mut found = Vec::new();
    let whose = if is_duet { "that each of the two in a duet can have" } else { "there are" };
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

/// Metrics that no run of these workloads has.
fn of_metrics(experiment: &Experiment) -> Vec<String> {
    let Some(compare) = &experiment.compare else { return Vec::new() };
    // Measurements bring figures of their own.
    if experiment.measure.keys().any(|key| key != WATCH) {
        return Vec::new();
    }
    let known: Vec<String> = experiment.variants.iter().flat_map(metrics).collect();
    let by_type =
        |name: &str| ["p50 ", "p95 ", "p99 "].iter().any(|percentile| name.starts_with(percentile));
    let unknown = compare.metrics.iter().filter(|name| !known.contains(name) && !by_type(name));
    let told = |name: &String| {
        let mut known = known.clone();
        known.sort();
        known.dedup();
        format!("compare.metrics: there is no metric `{name}`; there are {}", known.join(", "))
    };
    unknown.map(told).collect()
}

/// What can be compared of a variant's runs.
fn metrics(arm: &Arm) -> Vec<String> {
    let mut names = vec!["p50".to_owned(), "p95".into(), "p99".into()];
    let own: &[&str] = match options::run_args(&arm.workload) {
        Ok(Load::Tpcc(_)) => &["tpmC", "TPS"],
        Ok(Load::Tprocc(_)) => &["NOPM", "TPM", "NOPM (client)", "TPM (client)"],
        Ok(Load::Oltp(args)) => {
            names.extend(args.percentile.map(|percent| format!("p{percent}")));
            &["TPS", "QPS"]
        }
        Err(_) => &[],
    };
    let beside = ["server CPUs", "client CPU a transaction"];
    names.extend(own.iter().chain(&beside).map(|&name| name.to_owned()));
    names
}

/// Devices on which data, snapshots and what is restored have no room.
fn of_room(experiment: &Experiment, estimates: &Estimates, home: &Path) -> Vec<String> {
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
        need(home, bytes);
        need(&data, bytes.saturating_mul(if is_duet { 3 } else { 1 }));
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
