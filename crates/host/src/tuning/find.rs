//! Where a setting stands on this machine, and what is to be written there.

use super::{
    error::TuningError,
    knob::{At, Setting, Takes, huge_pages},
    place::Place,
    plan::Subject,
    scope,
    shell::Answer,
};
use crate::{CpuSet, Topology, nic};

/// Something to be written.
#[derive(Debug)]
pub(crate) struct Wish {
    pub(crate) place: Place,
    pub(crate) wanted: String,
    /// Only to be put back after: the kernel changes it beside something else.
    pub(crate) watched: bool,
}

/// Why nothing is to be written.
#[derive(Debug)]
pub(crate) enum Lack {
    /// The machine lacks what is set; the text says what.
    Absent(String),
    /// The setting cannot be.
    Wrong(TuningError),
}

type Wishes = Result<Vec<Wish>, Lack>;

const CPU: &str = "sys/devices/system/cpu";
/// The scheduler's features, where they have been in the course of time.
pub(crate) const FEATURES: [&str; 2] =
    ["sys/kernel/debug/sched_features", "sys/kernel/debug/sched/features"];

/// What is to be written for a setting; nothing where it holds already by its nature.
pub(crate) fn wishes(setting: &Setting, subject: &Subject<'_>) -> Wishes {
    let value = setting.value.as_str();
    match setting.knob.at {
        At::File(path) => one_file(path, written(setting), subject),
        At::Offered(path, offers) => {
            offered(subject, offers, value)?;
            one_file(path, value, subject)
        }
        At::Choice(path) => choice(path, value, subject),
        At::Policies(name, offers) => policies(name, offers, value, subject),
        At::Queue(name) => queues(name, value, false, subject),
        At::QueueChoice(name) => queues(name, value, true, subject),
        At::Pair(name, other) => pair(name, other, value, subject),
        At::Act(path, text) => match value {
            "on" => present(path, subject)
                .map(|path| vec![wish(Place::Act { path: path.to_owned() }, text)]),
            _ => Ok(Vec::new()),
        },
        At::Service(name) => {
            known(subject.shell.service(name))?;
            Ok(vec![wish(Place::Service { name: name.to_owned() }, value)])
        }
        At::Turbo => turbo(value, subject),
        At::IdleStates => idle_states(value, subject),
        At::Smt => smt(value, subject),
        At::Steal => steal(value, subject),
        At::HugePages => pages(setting, subject),
        At::NicQueues => nic_queues(value, subject),
        At::NicInterrupts => nic_interrupts(value, subject),
    }
}

fn wish(place: Place, wanted: &str) -> Wish {
    Wish { place, wanted: wanted.to_owned(), watched: false }
}

fn file(path: String, wanted: &str) -> Wish {
    wish(Place::File { path }, wanted)
}

fn absent<T>(why: impl Into<String>) -> Result<T, Lack> {
    Err(Lack::Absent(why.into()))
}

fn known<T>(answer: Answer<T>) -> Result<T, Lack> {
    match answer {
        Answer::Is(state) => Ok(state),
        Answer::Absent(why) | Answer::Unknown(why) => Err(Lack::Absent(why)),
    }
}

/// A switch is written as a number.
fn written(setting: &Setting) -> &str {
    match (setting.knob.takes, setting.value.as_str()) {
        (Takes::Switch, "on") => "1",
        (Takes::Switch, _) => "0",
        (_, value) => value,
    }
}

fn present<'p>(path: &'p str, subject: &Subject<'_>) -> Result<&'p str, Lack> {
    match subject.root.path(path).exists() {
        true => Ok(path),
        false => absent(format!("this kernel has no /{path}")),
    }
}

fn one_file(path: &str, value: &str, subject: &Subject<'_>) -> Wishes {
    Ok(vec![file(present(path, subject)?.to_owned(), value)])
}

/// Makes sure that a file that lists what there is has this word; no such file lists all.
fn offered(subject: &Subject<'_>, list: &str, word: &str) -> Result<(), Lack> {
    let Some(offers) = subject.root.text(list) else { return Ok(()) };
    match offers.split_whitespace().any(|offer| offer.trim_matches(['[', ']']) == word) {
        true => Ok(()),
        false => absent(format!("`{word}` is not among what this machine offers: {offers}")),
    }
}

fn choice(path: &str, value: &str, subject: &Subject<'_>) -> Wishes {
    offered(subject, present(path, subject)?, value)?;
    Ok(vec![wish(Place::Choice { path: path.to_owned() }, value)])
}

fn policies(name: &str, offers: &str, value: &str, subject: &Subject<'_>) -> Wishes {
    let mut found = Vec::new();
    for policy in subject.root.names(format!("{CPU}/cpufreq")) {
        let home = format!("{CPU}/cpufreq/{policy}");
        let path = format!("{home}/{name}");
        if policy.starts_with("policy") && subject.root.path(&path).exists() {
            offered(subject, &format!("{home}/{offers}"), value)?;
            found.push(file(path, value));
        }
    }
    match found.is_empty() {
        true => absent("the frequency of these processors cannot be chosen from here"),
        false => Ok(found),
    }
}

fn queues(name: &str, value: &str, is_choice: bool, subject: &Subject<'_>) -> Wishes {
    let mut found = Vec::new();
    for disk in subject.scope.disks(subject.root).map_err(Lack::Absent)? {
        let queue = format!("sys/block/{disk}/queue");
        let path = format!("{queue}/{name}");
        if !subject.root.path(&path).exists() {
            continue;
        }
        if !is_choice {
            found.push(file(path, value));
            continue;
        }
        offered(subject, &path, value)?;
        // Another scheduler comes with its own values of these.
        for name in ["nr_requests", "wbt_lat_usec"] {
            let path = format!("{queue}/{name}");
            if let Some(old) = subject.root.text(&path) {
                found.push(Wish { watched: true, ..file(path, &old) });
            }
        }
        found.push(wish(Place::Choice { path }, value));
    }
    match found.is_empty() {
        true => absent(format!("its disks have no {name} to set")),
        false => Ok(found),
    }
}

fn pair(name: &str, other: &str, value: &str, subject: &Subject<'_>) -> Wishes {
    let mut paths = [name, other].map(|name| format!("proc/sys/vm/{name}"));
    // The pair is the same place whichever of them is set.
    paths.sort();
    for path in &paths {
        present(path, subject)?;
    }
    Ok(vec![wish(Place::Either { paths }, &format!("{name}={value}"))])
}

fn turbo(value: &str, subject: &Subject<'_>) -> Wishes {
    let (no_turbo, boost) =
        (format!("{CPU}/intel_pstate/no_turbo"), format!("{CPU}/cpufreq/boost"));
    let on = value == "on";
    let digit = |set: bool| if set { "1" } else { "0" };
    if subject.root.path(&no_turbo).exists() {
        return Ok(vec![file(no_turbo, digit(!on))]);
    }
    match subject.root.path(&boost).exists() {
        true => Ok(vec![file(boost, digit(on))]),
        false => absent("whether these processors go beyond their frequency cannot be chosen"),
    }
}

fn idle_states(value: &str, subject: &Subject<'_>) -> Wishes {
    let root = subject.root;
    let most: u64 = value.parse().unwrap_or(u64::MAX);
    let (mut found, mut states) = (Vec::new(), 0);
    for cpu in Topology::of(root).online.iter() {
        let home = format!("{CPU}/cpu{cpu}/cpuidle");
        for state in root.names(&home) {
            let Some(latency) = root.number::<u64>(format!("{home}/{state}/latency")) else {
                continue;
            };
            states += 1;
            if latency > most {
                found.push(file(format!("{home}/{state}/disable"), "1"));
            }
        }
    }
    match states {
        0 => absent("these processors have no idle states to choose from here"),
        _ => Ok(found),
    }
}

fn smt(value: &str, subject: &Subject<'_>) -> Wishes {
    let path = format!("{CPU}/smt/control");
    match subject.root.text(&path).as_deref() {
        Some("on" | "off") => Ok(vec![file(path, value)]),
        Some("forceoff") => absent("it is off by a boot option or the firmware"),
        Some(_) => absent("these processors have one thread a core"),
        None => absent(format!("this kernel has no /{path}")),
    }
}

fn steal(value: &str, subject: &Subject<'_>) -> Wishes {
    // Only root may look into debugfs: what cannot be seen is found out when it is read.
    let there = |path: &&&str| subject.root.path(path).try_exists().unwrap_or(true);
    let path = FEATURES.iter().find(there);
    let Some(path) = path else {
        return match subject.root.names("sys/kernel/debug").is_empty() {
            true => absent("debugfs is not mounted: `mount -t debugfs none /sys/kernel/debug`"),
            false => absent("this kernel does not show its scheduler's features"),
        };
    };
    let place = Place::Feature { path: (*path).to_owned(), name: "STEAL".to_owned() };
    match subject.machine.read(&place) {
        Ok(None) => absent("this kernel's scheduler has no feature STEAL"),
        Ok(Some(_)) | Err(_) => Ok(vec![wish(place, value)]),
    }
}

fn pages(setting: &Setting, subject: &Subject<'_>) -> Wishes {
    // A setting has been checked to be of this form.
    let Some((size, node)) = huge_pages(&setting.key) else { return Ok(Vec::new()) };
    let home = match node {
        Some(node) => format!("sys/devices/system/node/{node}/hugepages"),
        None => "sys/kernel/mm/hugepages".to_owned(),
    };
    let path = format!("{home}/hugepages-{size}/nr_hugepages");
    match subject.root.path(&path).exists() {
        true => Ok(vec![file(path, &setting.value)]),
        false => absent(format!("this machine has no huge pages of {size} there")),
    }
}

fn nic_queues(value: &str, subject: &Subject<'_>) -> Wishes {
    let card = subject.scope.card(subject.root).map_err(Lack::Absent)?;
    let queues = known(subject.shell.queues(&card.name))?;
    match value.parse::<u32>().is_ok_and(|wanted| wanted <= queues.max) {
        true => Ok(vec![wish(Place::Queues { nic: card.name }, value)]),
        false => absent(format!("{} has at most {} queues", card.name, queues.max)),
    }
}

fn nic_interrupts(value: &str, subject: &Subject<'_>) -> Wishes {
    let root = subject.root;
    let given: Option<CpuSet> = value.parse().ok();
    if let Some(cpus) = &given {
        scope::online("net.irq-cpus", cpus, root).map_err(Lack::Wrong)?;
    }
    let card = subject.scope.card(root).map_err(Lack::Absent)?;
    if card.interrupts.is_empty() {
        return absent(format!("{} has no interrupts of its own", card.name));
    }
    let server = subject.scope.server_cpus.as_ref();
    let cpus = match given {
        Some(cpus) => cpus.iter().collect(),
        None => card.suitable(&Topology::of(root), server),
    };
    if cpus.is_empty() {
        return absent("no processor is left beside the server's");
    }
    let dealt = nic::dealt(card.interrupts.len(), &cpus);
    let pairs = card.interrupts.iter().zip(dealt);
    let path = |number: u32| format!("proc/irq/{number}/smp_affinity_list");
    Ok(pairs.map(|(interrupt, cpu)| file(path(interrupt.number), &cpu.to_string())).collect())
}
