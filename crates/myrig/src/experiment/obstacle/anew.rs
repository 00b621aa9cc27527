//! What keeps trials from being taken on data that is laid out anew: several servers at the same
//! time, a file system made for them, write amplification.

use crate::experiment::{
    capability::{flash, storage::Storage, streams},
    options,
};
use host::Bytes;
use lab::experiment::{
    Experiment, data_sets,
    plan::Estimates,
    spec::{Arm, Order},
};

/// Sections that contradict each other, data that does not fit, drives that cannot be simulated.
pub(super) fn of_ground(experiment: &Experiment, estimates: &Estimates) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for arm in &experiment.variants {
        // What cannot be read at all was told by the capability.
        let Ok(storage) = Storage::of(arm) else { continue };
        found.extend(of_arm(arm, storage.as_ref(), experiment, estimates));
    }
    let asked = experiment.measure.get(flash::KEY);
    if let Some(asked) = asked.filter(|asked| **asked != false) {
        let storages = experiment.variants.iter().map(|arm| Storage::of(arm).ok().flatten());
        for storage in storages {
            let checked = match storage {
                Some(storage) => flash::check(asked, &storage),
                None => Err("measure.flash: it watches the device of a section [storage], and \
                             there is none; add one"
                    .into()),
            };
            found.extend(checked.err().map(|fault| fault.to_string()));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|words| seen.insert(words.clone()));
    found
}

fn of_arm(
    arm: &Arm,
    storage: Option<&Storage>,
    experiment: &Experiment,
    estimates: &Estimates,
) -> Vec<String> {
    let Some(storage) = storage else {
        let needs = [
            (arm.instances() > 1, "server.instances: several servers at the same time"),
            (arm.others.contains_key(streams::KEY), "streams: rules for where writes go"),
        ];
        let told = needs.into_iter().filter(|(needs, _)| *needs);
        return told.map(|(_, what)| format!("{what} take a section [storage]; add one")).collect();
    };
    let mut found = Vec::new();
    if arm.is_at_rest() {
        found.push("storage: files that are only read need none; leave it out".to_owned());
    }
    if experiment.repeat.order == Order::Duet {
        found.push("repeat.order: a duet has its data in the home; take \"abba\"".to_owned());
    }
    if arm.server.data_dir.is_some() {
        found.push("server.data-dir: [storage] says where the data lies; leave it out".to_owned());
    }
    if let Ok(load) = options::run_args(&arm.workload) {
        let pacing = load.pacing();
        if pacing.connections.len().max(pacing.rate.len()) > 1 {
            found.push("workload.connections: trials on [storage] are no sweeps".to_owned());
        }
    }
    found.extend(too_large(arm, storage, experiment, estimates));
    found
}

/// The data of all instances has to fit, and to leave room for what is written later.
fn too_large(
    arm: &Arm,
    storage: &Storage,
    experiment: &Experiment,
    estimates: &Estimates,
) -> Option<String> {
    const FULLEST: f64 = 0.95;
    let sets = data_sets(experiment);
    let set = sets.iter().find(|set| set.variants.contains(&arm.name))?;
    let data = estimates.data.get(&set.key)?.bytes;
    let (all, there) = (data.saturating_mul(arm.instances().into()), storage.bytes()?);
    (all as f64 > there as f64 * FULLEST).then(|| {
        format!(
            "storage: {} with the data of {}, about {}, is too small; give it more, or load \
             less (data.warehouses)",
            Bytes(there),
            match arm.instances() {
                1 => "one server".to_owned(),
                more => format!("{more} servers"),
            },
            Bytes(all)
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::experiment::capability::testing::arm;
    use lab::experiment::{
        plan::DataEstimate,
        spec::{Options, Repeat},
    };
    use serde_json::{Value, json};

    fn found(key: &str, section: Value, change: impl Fn(&mut Experiment)) -> String {
        let mut experiment = Experiment {
            name: "test".into(),
            title: "A test".into(),
            question: String::new(),
            scale: String::new(),
            published: None,
            variants: vec![arm(key, section)],
            repeat: Repeat::default(),
            measure: Options::new(),
            compare: None,
        };
        change(&mut experiment);
        let data = DataEstimate { bytes: 500 << 20, ..DataEstimate::default() };
        let estimates =
            Estimates { data: [("data-1".to_owned(), data)].into(), ..Estimates::default() };
        of_ground(&experiment, &estimates).join("\n")
    }

    #[test]
    fn what_needs_a_storage_is_refused_without() {
        let two = |experiment: &mut Experiment| experiment.variants[0].server.instances = Some(2);
        assert!(found("host", json!({}), two).starts_with("server.instances"));
        assert!(found("streams", json!({ "rules": "x" }), |_| {}).starts_with("streams"));
        let flash = |experiment: &mut Experiment| {
            experiment.measure.insert("flash".into(), json!({ "simulate": [{}] }));
        };
        assert!(found("host", json!({}), flash).starts_with("measure.flash: it watches"));
    }

    #[test]
    fn data_that_does_not_fit_is_told_with_its_size() {
        let with = |instances| {
            let change = move |experiment: &mut Experiment| {
                experiment.variants[0].server.instances = Some(instances);
            };
            found("storage", json!({ "size": "1G" }), change)
        };
        assert_eq!(with(1), "");
        assert!(with(2).contains("2 servers, about 1000 MiB"), "{}", with(2));
    }

    #[test]
    fn what_contradicts_a_storage_is_told_by_its_key() {
        let duet = |experiment: &mut Experiment| {
            experiment.repeat.order = Order::Duet;
            experiment.variants[0].server.data_dir = Some("/mnt".into());
            experiment.variants[0].workload.options.insert("connections".into(), json!([1, 2]));
        };
        let told = found("storage", json!({ "size": "2G" }), duet);
        for key in ["repeat.order", "server.data-dir", "workload.connections"] {
            assert!(told.contains(key), "{key} in {told}");
        }
        let tiny = |experiment: &mut Experiment| {
            let simulate = json!({ "simulate": [{ "block": "128M" }] });
            experiment.measure.insert("flash".into(), simulate);
        };
        assert!(found("storage", json!({ "size": "1G" }), tiny).contains("simulate[1].spare"));
    }
}
