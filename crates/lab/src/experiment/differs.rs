//! What the variants of an experiment differ in.

use super::spec::Arm;
use serde_json::Value;
use std::collections::BTreeMap;

/// What stands for a key that a variant leaves as it is by default.
const DEFAULT: &str = "default";

/// For each variant the keys that are not the same in all of them, with its value in words. A key
/// is as an experiment file has it, `server.settings.innodb-flush-log-at-trx-commit`.
pub fn differs(arms: &[Arm]) -> Vec<Vec<(String, String)>> {
    let flat: Vec<BTreeMap<String, String>> = arms.iter().map(flat).collect();
    let mut paths: Vec<&String> = flat.iter().flat_map(BTreeMap::keys).collect();
    paths.sort();
    paths.dedup();
    let differs = |path: &&String| flat.iter().any(|arm| arm.get(*path) != flat[0].get(*path));
    paths.retain(differs);
    let of = |arm: &BTreeMap<String, String>| {
        let value = |path: &str| arm.get(path).map_or(DEFAULT, String::as_str).to_owned();
        paths.iter().map(|path| ((*path).clone(), value(path))).collect()
    };
    flat.iter().map(of).collect()
}

/// The first two variants that differ in nothing but their names.
pub(super) fn first_alike(arms: &[Arm]) -> Option<(&str, &str)> {
    let flat: Vec<BTreeMap<String, String>> = arms.iter().map(flat).collect();
    (1..arms.len()).find_map(|place| {
        let other = flat[..place].iter().position(|other| *other == flat[place])?;
        Some((arms[other].name.as_str(), arms[place].name.as_str()))
    })
}

/// A variant as keys of a file and values in words.
fn flat(arm: &Arm) -> BTreeMap<String, String> {
    let mut paths = BTreeMap::new();
    let mut add = |path: &str, value: &Value| flatten(path, value, &mut paths);
    // The server serialises to a table of its keys.
    add("server", &serde_json::to_value(&arm.server).unwrap_or_default());
    add("host.profile", &arm.host.clone().map_or(Value::Null, Value::String));
    add("data.workload", &Value::String(arm.data.name.clone()));
    if arm.is_at_rest() {
        add("workload.kind", &Value::String(arm.workload.name.clone()));
    }
    for (section, options) in [("data", &arm.data.options), ("workload", &arm.workload.options)] {
        options.iter().for_each(|(key, value)| add(&format!("{section}.{key}"), value));
    }
    arm.others.iter().for_each(|(key, value)| add(key, value));
    paths
}

fn flatten(path: &str, value: &Value, paths: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(table) => {
            table.iter().for_each(|(key, value)| flatten(&format!("{path}.{key}"), value, paths));
        }
        Value::Null => {}
        value => {
            paths.insert(path.to_owned(), words(value));
        }
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::arm;

    #[test]
    fn only_what_differs_is_told() {
        let (mut a, mut b) = (arm("a"), arm("b"));
        for arm in [&mut a, &mut b] {
            arm.server.settings.insert("sync-binlog".into(), 1.into());
            arm.workload.options.insert("duration".into(), "10s".into());
        }
        assert_eq!(differs(&[a.clone(), b.clone()]), [vec![], vec![]]);
        assert_eq!(first_alike(&[arm("c"), a.clone(), b.clone()]), Some(("a", "b")));
        b.server.settings.insert("sync-binlog".into(), 0.into());
        b.server.cores = Some(0.5);
        b.workload.options.insert("connections".into(), vec![1, 2].into());
        let told = |values: [&str; 3]| {
            let paths = ["server.cores", "server.settings.sync-binlog", "workload.connections"];
            let pairs = paths.into_iter().zip(values);
            pairs.map(|(path, value)| (path.to_owned(), value.to_owned())).collect::<Vec<_>>()
        };
        let expected = [told(["default", "1", "default"]), told(["0.5", "0", "1, 2"])];
        assert_eq!(differs(&[a.clone(), b.clone()]), expected);
        assert_eq!(first_alike(&[a, b]), None);
    }
}
