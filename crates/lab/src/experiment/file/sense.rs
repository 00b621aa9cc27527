//! Experiments that contradict themselves.

use super::{
    error::{Fault, Place},
    tree::{Item, Node, Table},
    vocabulary::nearest,
};
use crate::experiment::{
    differs::first_alike,
    schedule::TRIALS_MAX,
    spec::{Experiment, Options, Order},
};
use serde_json::Value;

/// Refuses what no machine could carry out, or nobody could mean. `document` tells where things
/// were said.
pub(super) fn check(experiment: &Experiment, document: &Table) -> Result<(), Fault> {
    let at = |path: &[&str], words: String| Fault { place: place(document, path), words };
    names(experiment).map_err(|words| at(&["variant"], words))?;
    counts(experiment).map_err(|words| at(&["repeat", "runs"], words))?;
    duet(experiment).map_err(|words| at(&["repeat", "order"], words))?;
    compare(experiment, &at)?;
    published(experiment, &at)
}

fn names(experiment: &Experiment) -> Result<(), String> {
    let arms = &experiment.variants;
    for (place, arm) in arms.iter().enumerate() {
        if arms[..place].iter().any(|other| other.name == arm.name) {
            return Err(format!("two variants are called `{}`; name them apart", arm.name));
        }
    }
    match first_alike(arms) {
        None => Ok(()),
        Some((one, other)) => Err(format!(
            "the variants `{one}` and `{other}` differ in nothing but their names; give them \
             something to differ in, or leave one out (for a test of the rig itself another \
             workload.seed will do)"
        )),
    }
}

fn counts(experiment: &Experiment) -> Result<(), String> {
    let trials = experiment.variants.len() as u64 * u64::from(experiment.repeat.runs);
    match trials > TRIALS_MAX {
        false => Ok(()),
        true => Err(format!(
            "`repeat.runs`: {trials} trials are more than the {TRIALS_MAX} that an experiment can \
             have"
        )),
    }
}

fn duet(experiment: &Experiment) -> Result<(), String> {
    if experiment.repeat.order != Order::Duet {
        return Ok(());
    }
    let refuse = |words: String| Err(format!("`repeat.order`: a duet {words}"));
    let arms = &experiment.variants;
    if arms.len() != 2 {
        let found = arms.len();
        return refuse(format!("is of two variants, and there are {found}; take \"abba\""));
    }
    if let Some(arm) = arms.iter().find(|arm| arm.is_at_rest()) {
        let (name, kind) = (&arm.name, &arm.workload.name);
        return refuse(format!(
            "is of loads, and `{name}` has workload.kind = \"{kind}\"; take \"abba\""
        ));
    }
    if let Some(arm) = arms.iter().find(|arm| arm.server.cpus.is_some()) {
        return refuse(format!(
            "shares out the processors itself; leave server.cpus of `{}` out",
            arm.name
        ));
    }
    let swept = |options: &Options| {
        let is_list = |key: &&str| {
            options.get(*key).and_then(Value::as_array).is_some_and(|list| list.len() > 1)
        };
        ["connections", "rate"].into_iter().find(|key| is_list(key))
    };
    match arms.iter().find_map(|arm| swept(&arm.workload.options)) {
        Some(key) => refuse(format!("has no sweeps; give workload.{key} a single value")),
        None => Ok(()),
    }
}

fn compare(experiment: &Experiment, at: &impl Fn(&[&str], String) -> Fault) -> Result<(), Fault> {
    let Some(compare) = &experiment.compare else { return Ok(()) };
    if experiment.variants.len() < 2 {
        let words = "`compare`: there is one variant and nothing to compare it with; add a \
                     [[variant]] or leave the section out";
        return Err(at(&["compare"], words.to_owned()));
    }
    for [baseline, variant] in &compare.pairs {
        let refuse = |words: String| at(&["compare", "pairs"], format!("`compare.pairs`: {words}"));
        known(experiment, baseline).and(known(experiment, variant)).map_err(refuse)?;
        if baseline == variant {
            return Err(refuse(format!("`{variant}` beside itself says nothing")));
        }
        if compare.baseline.is_some() {
            return Err(refuse("each has its baseline; leave `baseline` out".to_owned()));
        }
    }
    let Some(baseline) = &compare.baseline else { return Ok(()) };
    known(experiment, baseline)
        .map_err(|words| at(&["compare", "baseline"], format!("`compare.baseline`: {words}")))
}

fn published(experiment: &Experiment, at: &impl Fn(&[&str], String) -> Fault) -> Result<(), Fault> {
    let figures = experiment.published.iter().flat_map(|published| &published.figures);
    for (place, figure) in figures.enumerate() {
        let path = format!("published.figure[{}].variant", place + 1);
        known(experiment, &figure.variant)
            .map_err(|words| at(&["published", "figure"], format!("`{path}`: {words}")))?;
    }
    Ok(())
}

fn known(experiment: &Experiment, name: &str) -> Result<(), String> {
    let names: Vec<&str> = experiment.variants.iter().map(|arm| arm.name.as_str()).collect();
    match names.contains(&name) {
        true => Ok(()),
        false => Err(format!("there is no variant `{name}`{}", nearest(name, &names))),
    }
}

/// Where a key was said, or what is nearest above it.
fn place(document: &Table, path: &[&str]) -> Option<Place> {
    let (first, rest) = path.split_first()?;
    let item: &Item = document.get(*first)?;
    let below = match &item.node {
        Node::Table(table) => place(table, rest),
        Node::List(_) | Node::Leaf(_) => None,
    };
    below.or(Some(item.place))
}
