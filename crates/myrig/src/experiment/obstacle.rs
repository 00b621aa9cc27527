//! Why an experiment cannot be carried out on this machine, found without touching anything.

mod anew;
mod at_rest;
mod machine;
mod metrics;
mod room;

use super::{
    capability::{Asked, WATCH},
    carried::changed,
    options,
    program::installation,
};
use crate::{output::Output, paths::Paths};
use anew::of_ground;
use at_rest::of_files;
use lab::experiment::{
    Experiment, Variant,
    plan::Estimates,
    spec::{Arm, ServerSpec},
};
use machine::of_machine;
use metrics::of_metrics;
use room::of_room;
use server::Installation;
use std::time::Duration;

/// The shortest measured phase that says anything: two intervals.
const MEASURE_MIN: Duration = Duration::from_secs(2);

/// Connections beside those of the load: those that watch and ask.
const CONNECTIONS_BESIDE: u64 = 4;

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
        for words in of_arm(arm, (experiment, estimates), site, &mut programs, &mut findings) {
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
    findings.obstacles.extend(of_measures(experiment));
    findings.obstacles.extend(of_metrics(experiment));
    findings.obstacles.extend(of_ground(experiment, estimates));
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
type Program = (ServerSpec, Result<Installation, String>);

fn of_arm(
    arm: &Arm,
    (experiment, estimates): (&Experiment, &Estimates),
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
    match program(&arm.server, site, programs) {
        Err(words) => found.push(words),
        Ok(installation) => {
            let (release, home) = (installation.release(), site.paths.home());
            findings.servers.push(release.to_string());
            findings.carried.extend(changed(&arm.server, release).unwrap_or_default());
            found.extend(of_machine(arm, experiment, release, home));
            found.extend(of_files(arm, &installation, estimates, experiment, home));
        }
    }
    found
}

fn program(
    spec: &ServerSpec,
    site: &Site<'_>,
    programs: &mut Vec<Program>,
) -> Result<Installation, String> {
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
    let found = installation(&program, site.paths, site.output);
    let found = found.map_err(|failure| failure.to_string());
    programs.push((program, found.clone()));
    found
}

/// Measurements that cannot be taken as asked for.
fn of_measures(experiment: &Experiment) -> Option<String> {
    match experiment.measure.get(WATCH) {
        Some(value) if !value.is_boolean() => {
            Some(format!("measure.{WATCH}: {value} is neither true nor false"))
        }
        _ => Asked::of(experiment).err().map(|fault| fault.to_string()),
    }
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
