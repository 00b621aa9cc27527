//! The circumstances of an experiment, and how its workloads depart from their specifications.

use super::words;
use crate::{
    format,
    section::{Facts, host_facts, settings_facts, variables_facts},
};
use lab::experiment::ExperimentRecord;
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything about the experiment that is not a result; what differs between the variants has
/// tables of its own.
pub(super) fn facts(experiment: &ExperimentRecord) -> Vec<Facts> {
    let pair = |name: &str, value: String| (name.to_owned(), value);
    let repeat = &experiment.experiment.repeat;
    let pairs = vec![
        pair("id", experiment.id.clone()),
        pair("started", experiment.started_at.clone()),
        pair("file", experiment.origin.clone()),
        pair("runs of each variant", repeat.runs.to_string()),
        pair("order", words::order(experiment)),
        pair("seed", repeat.seed.to_string()),
        pair("took", format::duration(experiment.took_s)),
        pair("myrig", experiment.client_version.clone()),
    ];
    let mut facts = vec![Facts { title: "Experiment", pairs }, host_facts(&experiment.host)];
    facts.push(Facts {
        title: "Data, in all variants",
        ..settings_facts(&common(experiment, true))
    });
    facts.push(Facts {
        title: "Workload, in all variants",
        ..settings_facts(&common(experiment, false))
    });
    if let Some(server) = experiment.variants.iter().find_map(|variant| variant.server.as_ref()) {
        let title = "Server variables of the first variant";
        facts.push(Facts { title, ..variables_facts(server) });
    }
    facts.retain(|facts| !facts.pairs.is_empty());
    facts
}

/// Options that are the same in every variant.
fn common(experiment: &ExperimentRecord, of_data: bool) -> BTreeMap<String, Value> {
    let arms = &experiment.experiment.variants;
    let spec =
        |index: usize| arms.get(index).map(|arm| if of_data { &arm.data } else { &arm.workload });
    let Some(first) = spec(0) else { return BTreeMap::new() };
    let all = (0..arms.len()).filter_map(spec);
    let shared = |name: &String, value: &Value| {
        all.clone().all(|other| other.options.get(name) == Some(value))
    };
    let options = first.options.iter().filter(|(name, value)| shared(name, value));
    let mut options: BTreeMap<String, Value> =
        options.map(|(name, value)| (name.clone(), value.clone())).collect();
    if all.clone().all(|other| other.name == first.name) && !first.name.is_empty() {
        options.insert("workload".to_owned(), first.name.clone().into());
    }
    options
}

/// Departures of the declared profiles from their specifications, each once.
pub(super) fn deviations(experiment: &ExperimentRecord) -> Vec<&str> {
    let mut told: Vec<&str> = Vec::new();
    let workloads = experiment.variants.iter().filter_map(|variant| variant.workload.as_ref());
    for deviation in workloads.flat_map(|workload| &workload.deviations) {
        if !told.contains(&deviation.as_str()) {
            told.push(deviation);
        }
    }
    told
}

/// The declared profiles, each once.
pub(super) fn profiles(experiment: &ExperimentRecord) -> String {
    let workloads = experiment.variants.iter().filter_map(|variant| variant.workload.as_ref());
    let mut told: Vec<&str> = workloads.map(|workload| workload.profile.as_str()).collect();
    told.dedup();
    told.join(", ")
}
