//! Which metrics there are of a load. docs/metrics.md lists them.

use super::{
    board::{BOUNDS_US, Numbers, TypeNumbers},
    text::{Family, Sample, Type},
    watched,
};
use std::collections::BTreeMap;

/// What a load may be doing, in order.
const PHASES: [&str; 7] = ["connect", "ramp-up", "measure", "ramp-down", "drain", "check", "done"];

/// All metrics of these loads.
pub(super) fn all(loads: &[Numbers]) -> Vec<Family> {
    let mut families = vec![build()];
    families.push(gauge("myrig_run_info", "The run that is on.", loads, info));
    families.push(gauge("myrig_phase", "1 for what the load is doing, else 0.", loads, phases));
    let elapsed = "Time since the start of the ramp-up.";
    families.push(gauge("myrig_elapsed_seconds", elapsed, loads, |load| {
        vec![one(load, load.elapsed_s)]
    }));
    let up = "Connections of the load that are up.";
    families
        .push(gauge("myrig_connections", up, loads, |load| vec![one(load, load.connected.into())]));
    let wanted = "Connections that the load is to have.";
    families.push(gauge("myrig_connections_wanted", wanted, loads, |load| {
        vec![one(load, load.facts.connections.into())]
    }));
    let client = "Share of the load threads' time spent on a processor, 0 to 1; near 1 the client \
                  measures itself.";
    families.push(gauge("myrig_client_cpu_ratio", client, loads, |load| {
        vec![one(load, load.client_cpu)]
    }));
    let rate = "Open loop: transactions a second that are due.";
    families.push(gauge("myrig_intended_transactions_per_second", rate, loads, |load| {
        load.facts.rate_per_s.map(|rate_per_s| one(load, rate_per_s)).into_iter().collect()
    }));
    families.push(Family {
        kind: Type::Counter,
        ..gauge(
            "myrig_transactions_total",
            "Transactions that ended, by type and by how they ended.",
            loads,
            transactions,
        )
    });
    families.push(Family {
        kind: Type::Counter,
        ..gauge("myrig_retries_total", "Attempts that were tried again.", loads, |load| {
            by_type(load).map(|(name, it)| typed(load, name, it.retries)).collect()
        })
    });
    families.push(Family {
        kind: Type::Histogram,
        ..gauge(
            "myrig_response_time_seconds",
            "Response times of transactions that were committed or rolled back by the business \
             rule, from their intended start.",
            loads,
            responses,
        )
    });
    families.extend(watched_of(loads));
    families
}

fn build() -> Family {
    let labels = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
    Family {
        name: "myrig_build_info".into(),
        help: "The myrig that puts the load on.".into(),
        kind: Type::Gauge,
        samples: vec![Sample { suffix: "", labels, value: 1.0 }],
    }
}

fn gauge(
    name: &str,
    help: &str,
    loads: &[Numbers],
    samples: impl Fn(&Numbers) -> Vec<Sample>,
) -> Family {
    let samples = loads.iter().flat_map(samples).collect();
    Family { name: name.into(), help: help.into(), kind: Type::Gauge, samples }
}

fn server(load: &Numbers) -> (&'static str, String) {
    ("server", load.facts.server.clone())
}

fn one(load: &Numbers, value: f64) -> Sample {
    Sample { suffix: "", labels: vec![server(load)], value }
}

fn typed(load: &Numbers, name: &str, value: u64) -> Sample {
    let labels = vec![server(load), ("type", name.to_owned())];
    Sample { suffix: "", labels, value: value as f64 }
}

fn info(load: &Numbers) -> Vec<Sample> {
    let facts = &load.facts;
    let labels = vec![
        server(load),
        ("server_version", facts.server_version.clone()),
        ("run", facts.run.clone()),
        ("run_label", facts.label.clone()),
        ("workload", facts.workload.clone()),
        ("profile", facts.profile.clone()),
        ("scale", facts.scale.clone()),
    ];
    vec![Sample { suffix: "", labels, value: 1.0 }]
}

fn phases(load: &Numbers) -> Vec<Sample> {
    let sample = |phase: &str| {
        let labels = vec![server(load), ("phase", phase.to_owned())];
        let value = if phase == load.phase { 1.0 } else { 0.0 };
        Sample { suffix: "", labels, value }
    };
    PHASES.map(sample).into()
}

fn by_type(load: &Numbers) -> impl Iterator<Item = (&str, &TypeNumbers)> {
    load.facts.types.iter().map(String::as_str).zip(&load.types)
}

fn transactions(load: &Numbers) -> Vec<Sample> {
    let outcomes = by_type(load).flat_map(|(name, it)| {
        let counts =
            [("committed", it.committed), ("rolled_back", it.rolled_back), ("failed", it.failed)];
        counts.map(|(outcome, count)| {
            let mut sample = typed(load, name, count);
            sample.labels.push(("outcome", outcome.to_owned()));
            sample
        })
    });
    outcomes.collect()
}

fn responses(load: &Numbers) -> Vec<Sample> {
    if !load.facts.histograms {
        return Vec::new();
    }
    by_type(load).flat_map(|(name, it)| of_type(load, name, it)).collect()
}

fn of_type(load: &Numbers, name: &str, numbers: &TypeNumbers) -> Vec<Sample> {
    let response = &numbers.response;
    let bucket = |bound: String, count: u64| {
        let mut sample = typed(load, name, count);
        sample.labels.push(("le", bound));
        Sample { suffix: "_bucket", ..sample }
    };
    let bounds = BOUNDS_US.iter().map(|bound_us| (*bound_us as f64 / 1e6).to_string());
    let mut samples: Vec<Sample> =
        bounds.zip(&response.within).map(|(bound, count)| bucket(bound, *count)).collect();
    samples.push(bucket("+Inf".into(), response.count));
    let count = Sample { suffix: "_count", ..typed(load, name, response.count) };
    let sum = Sample { value: response.sum_us as f64 / 1e6, suffix: "_sum", ..count.clone() };
    samples.extend([sum, count]);
    samples
}

/// A family for each series that is watched anywhere.
fn watched_of(loads: &[Numbers]) -> Vec<Family> {
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    for load in loads {
        for (series, watched) in &load.watched {
            let (name, help, value) = watched::metric(series, watched);
            let family = families.entry(name.clone()).or_insert_with(|| Family {
                name,
                help,
                kind: Type::Gauge,
                samples: Vec::new(),
            });
            family.samples.push(one(load, value));
        }
    }
    families.into_values().collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::metrics::{
        board::{Watched, facts_for_tests},
        lint, text,
    };
    use engine::ResponseTally;

    fn load() -> Numbers {
        let within = (1..=BOUNDS_US.len() as u64).collect();
        let response = ResponseTally { within, count: 30, sum_us: 1_500_000 };
        let of_type =
            TypeNumbers { committed: 20, rolled_back: 10, failed: 2, retries: 3, response };
        let watched = Watched { label: "COMMIT".into(), unit: "1/s", value: 12.5 };
        Numbers {
            facts: facts_for_tests(),
            phase: "measure".into(),
            elapsed_s: 12.0,
            connected: 16,
            client_cpu: 0.25,
            types: vec![of_type.clone(), of_type],
            watched: [("server.commits".to_owned(), watched)].into(),
        }
    }

    #[test]
    fn every_number_of_a_load_is_told() {
        let text = text::exposition(&all(&[load()]));
        for line in [
            "myrig_transactions_total{server=\"s\",type=\"New-Order\",outcome=\"committed\"} 20",
            "myrig_transactions_total{server=\"s\",type=\"Payment\",outcome=\"failed\"} 2",
            "myrig_retries_total{server=\"s\",type=\"Payment\"} 3",
            "myrig_response_time_seconds_bucket{server=\"s\",type=\"Payment\",le=\"0.0001\"} 1",
            "myrig_response_time_seconds_bucket{server=\"s\",type=\"Payment\",le=\"+Inf\"} 30",
            "myrig_response_time_seconds_sum{server=\"s\",type=\"Payment\"} 1.5",
            "myrig_phase{server=\"s\",phase=\"measure\"} 1",
            "myrig_phase{server=\"s\",phase=\"check\"} 0",
            "myrig_connections{server=\"s\"} 16",
            "myrig_client_cpu_ratio{server=\"s\"} 0.25",
            "myrig_intended_transactions_per_second{server=\"s\"} 150",
            "myrig_server_commits_per_second{server=\"s\"} 12.5",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn prometheus_own_rules_find_no_fault() {
        let mut closed = load();
        closed.facts.rate_per_s = None;
        closed.facts.server = "t".into();
        assert_eq!(lint::faults(&text::exposition(&all(&[load(), closed]))), Vec::<String>::new());
    }

    #[test]
    fn without_latencies_there_is_no_histogram() {
        let mut blind = load();
        blind.facts.histograms = false;
        assert!(!text::exposition(&all(&[blind])).contains("response_time"));
    }
}
