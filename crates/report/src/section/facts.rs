//! The circumstances of a run, name by name.

use crate::{
    format,
    reproduce::{is_secret, setting_text},
    summary::full_version,
};
use lab::{
    group::GroupRecord,
    record::{HostFacts, RunRecord, ServerFacts},
    sweep::SweepRecord,
};
use std::collections::BTreeMap;

/// Names and values under a title.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) title: &'static str,
    pub(crate) pairs: Vec<(String, String)>,
}

/// Everything about the run that is not a result.
pub(crate) fn facts(record: &RunRecord) -> Vec<Facts> {
    let (server, host) = (server(&record.server), host_facts(&record.host));
    let variables = variables_facts(&record.server);
    let mut facts = vec![
        run(record),
        server,
        host,
        client(record),
        settings_facts(&record.settings),
        variables,
    ];
    facts.retain(|facts| !facts.pairs.is_empty());
    facts
}

/// Everything about a sweep that is not a result.
pub(crate) fn of_sweep(record: &SweepRecord) -> Vec<Facts> {
    let (server, host) = (server(&record.server), host_facts(&record.host));
    let variables = variables_facts(&record.server);
    let mut facts = vec![sweep(record), server, host, settings_facts(&record.settings), variables];
    facts.retain(|facts| !facts.pairs.is_empty());
    facts
}

/// Everything about a group that is not a result; what its servers are has a table of its own.
pub(crate) fn of_group(record: &GroupRecord) -> Vec<Facts> {
    let pairs = vec![
        pair("id", &record.id),
        pair("started", &record.started_at),
        pair("workload", &record.workload.name),
        pair("profile", &record.workload.profile),
        pair("scale", format!("{} each", record.workload.scale)),
        pair("myrig", &record.client_version),
    ];
    let group = Facts { title: "Group", pairs };
    let mut facts = vec![group, host_facts(&record.host), settings_facts(&record.settings)];
    if let Some(member) = record.members.first() {
        facts.push(Facts {
            title: "Server variables of the first",
            ..variables_facts(&member.server)
        });
    }
    facts.retain(|facts| !facts.pairs.is_empty());
    facts
}

fn sweep(record: &SweepRecord) -> Facts {
    let planned: Vec<String> = record.planned.iter().map(|value| format::short(*value)).collect();
    let pairs = vec![
        pair("id", &record.id),
        pair("started", &record.started_at),
        pair("workload", &record.workload.name),
        pair("profile", &record.workload.profile),
        pair("scale", &record.workload.scale),
        pair("asked for", format!("{} {}", planned.join(", "), record.varied.unit())),
        pair("myrig", &record.client_version),
    ];
    Facts { title: "Sweep", pairs }
}

/// Options and their values, secrets hidden.
pub(crate) fn settings_facts(settings: &BTreeMap<String, serde_json::Value>) -> Facts {
    let hidden = "(not kept)".to_owned();
    let pairs = settings.iter().map(|(name, value)| {
        (name.clone(), if is_secret(name) { hidden.clone() } else { setting_text(value) })
    });
    Facts { title: "Settings", pairs: pairs.collect() }
}

/// The server's variables.
pub(crate) fn variables_facts(server: &ServerFacts) -> Facts {
    Facts { title: "Server variables", pairs: server.variables.clone().into_iter().collect() }
}

fn pair(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

fn run(record: &RunRecord) -> Facts {
    let mut pairs = vec![
        pair("id", &record.id),
        pair("started", &record.started_at),
        pair("workload", &record.workload.name),
        pair("profile", &record.workload.profile),
        pair("scale", &record.workload.scale),
    ];
    for phase in &record.phases {
        let (from, until) = (format::instant(phase.from_s), format::instant(phase.until_s));
        pairs.push((phase.name.clone(), format!("{from} to {until}")));
    }
    if let Some(arrivals) = &record.arrivals {
        let rate = format::figure(arrivals.rate_per_s);
        pairs.push(pair("arrivals", format!("{rate} a second, {}", arrivals.distribution)));
        pairs.push(pair("due", format::count(arrivals.due)));
        pairs.push(pair("never started", format::count(arrivals.unstarted)));
    }
    Facts { title: "Run", pairs }
}

fn server(server: &ServerFacts) -> Facts {
    let tls = if server.tls.is_empty() { "none" } else { &server.tls };
    let mut pairs = vec![
        pair("server", full_version(&server.flavour, "")),
        pair("version", &server.version),
        pair("endpoints", server.endpoints.join(", ")),
        pair("TLS", tls),
    ];
    let instance = [("size", &server.size), ("place", &server.place)];
    let known = instance.into_iter().filter(|(_, words)| !words.is_empty());
    pairs.extend(known.map(|(name, words)| pair(name, words)));
    Facts { title: "Server", pairs }
}

/// The machine.
pub(crate) fn host_facts(host: &HostFacts) -> Facts {
    let shared = match host.shared_with_server {
        true => "the load and the server shared this machine",
        false => "the server ran elsewhere",
    };
    let mut pairs = vec![
        pair("system", &host.os),
        pair("kernel", &host.kernel),
        pair("processor", &host.cpu_model),
        pair("processors", host.cpus.to_string()),
        pair("memory", format::bytes(host.memory_bytes)),
        pair("sharing", shared),
    ];
    if !host.hypervisor.is_empty() {
        pairs.push(pair("hypervisor", &host.hypervisor));
    }
    Facts { title: "Host of the load", pairs }
}

fn client(record: &RunRecord) -> Facts {
    let client = &record.client;
    let pairs = vec![
        pair("myrig", &client.version),
        pair("connections", client.connections.to_string()),
        pair("threads", client.threads.to_string()),
        pair("processor time", format!("{} s in the measured phase", format::figure(client.cpu_s))),
        pair("busiest thread", format!("{} of a core", format::percent(client.busiest_thread))),
    ];
    Facts { title: "Load generator", pairs }
}
