//! What `promtool check metrics` would find fault with, for tests.

use std::collections::{BTreeMap, BTreeSet};

/// Units that are not base units, and short names of units, as promlint knows them.
const UNITS: [&str; 16] = [
    "ms",
    "us",
    "ns",
    "sec",
    "milliseconds",
    "microseconds",
    "minutes",
    "hours",
    "kb",
    "mb",
    "gb",
    "kilobytes",
    "megabytes",
    "percent",
    "percentage",
    "bits",
];

/// Faults in a text of the exposition format, a sentence each.
pub(crate) fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut types: BTreeMap<&str, &str> = BTreeMap::new();
    let mut helps = BTreeSet::new();
    let mut samples = BTreeSet::new();
    for line in text.lines() {
        if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|it| it.split_once(' ')) {
            if help.is_empty() || !helps.insert(name) {
                faults.push(format!("{name}: no help, or twice"));
            }
        } else if let Some((name, kind)) =
            line.strip_prefix("# TYPE ").and_then(|it| it.split_once(' '))
        {
            types.insert(name, kind);
            faults.extend(of_name(name, kind));
        } else {
            let Some((series, value)) = line.rsplit_once(' ') else {
                faults.push(format!("{line:?} is no sample"));
                continue;
            };
            let name = series.split('{').next().unwrap_or_default();
            let family = ["_bucket", "_sum", "_count"]
                .iter()
                .filter_map(|suffix| name.strip_suffix(suffix))
                .find(|family| types.get(family) == Some(&"histogram"))
                .unwrap_or(name);
            if !types.contains_key(family) || !helps.contains(family) {
                faults.push(format!("{name}: no TYPE or HELP before it"));
            }
            if value.parse::<f64>().is_err() && !["+Inf", "-Inf", "NaN"].contains(&value) {
                faults.push(format!("{name}: {value:?} is no number"));
            }
            if !samples.insert(series) {
                faults.push(format!("{series}: twice"));
            }
        }
    }
    faults
}

fn of_name(name: &str, kind: &str) -> Vec<String> {
    let legal = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let parts: Vec<&str> = name.split('_').collect();
    let wrong = [
        (!legal || !name.starts_with("myrig_"), "not in lower case with myrig_ before"),
        ((kind == "counter") != name.ends_with("_total"), "_total is for counters, all of them"),
        (
            kind != "histogram"
                && ["_bucket", "_sum", "_count"].iter().any(|it| name.ends_with(it)),
            "a histogram's suffix",
        ),
        (parts.iter().any(|part| UNITS.contains(part)), "not a base unit"),
        (parts.iter().any(|it| ["gauge", "counter", "histogram"].contains(it)), "says its type"),
    ];
    let wrong = wrong.into_iter().filter(|(is_wrong, _)| *is_wrong);
    wrong.map(|(_, words)| format!("{name}: {words}")).collect()
}

#[test]
fn faults_are_found() {
    let text = "# HELP Bad_ms A thing.\n# TYPE Bad_ms counter\nBad_ms 1\nBad_ms 1\nother x\n";
    let found = faults(text).join("\n");
    for words in ["lower case", "_total", "base unit", "twice", "no TYPE", "no number"] {
        assert!(found.contains(words), "{words}: {found}");
    }
}
