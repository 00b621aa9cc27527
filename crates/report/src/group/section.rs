//! The tables of a group.

use crate::{
    format, summary,
    table::{Row, Table, Tone},
};
use lab::{
    group::{GroupMember, GroupRecord},
    record::RunStatus,
};

/// The members side by side, and their sum.
pub(super) fn members(group: &GroupRecord) -> Table {
    let figure = group.members.iter().find_map(|member| member.run.figure());
    let title = summary::figure_title(figure.map(|figure| figure.name.as_str()));
    let titles = [
        "Server",
        title,
        "#±",
        "#Share",
        "#p50 ms",
        "#p95 ms",
        "#p99 ms",
        "#client µs",
        "#server CPUs",
        "Size",
        "Place",
    ];
    let mut table = Table::new("The servers, each with a run of its own", &titles);
    let sum: f64 = group.members.iter().filter_map(value).sum();
    for member in &group.members {
        let bad = member.run.check_good == Some(false)
            || matches!(member.run.status, RunStatus::Partial { .. });
        let row = Row::new(cells(member, sum));
        table.rows.push(if bad { row.toned(Tone::Bad, 0) } else { row });
    }
    if let Some(all) = group.headline.first() {
        let half = all.ci95.map(|(low, high)| (high - low) / 2.0 / all.value);
        let mut cells = vec!["All".to_owned(), format::figure(all.value)];
        cells.push(half.map_or_else(none, format::percent));
        cells.resize(titles.len(), String::new());
        table.rows.push(Row { total: true, ..Row::new(cells) });
    }
    table
}

fn value(member: &GroupMember) -> Option<f64> {
    Some(member.run.figure()?.value)
}

fn none() -> String {
    "–".to_owned()
}

fn cells(member: &GroupMember, sum: f64) -> Vec<String> {
    let run = &member.run;
    let half = run.figure().and_then(|figure| {
        let (low, high) = run.interval()?;
        Some(format::percent((high - low) / 2.0 / figure.value))
    });
    let ms = |value: f64| if run.response.count > 0 { format::ms(value) } else { none() };
    let share = value(member).filter(|_| sum > 0.0).map(|value| format::percent(value / sum));
    vec![
        member.name.clone(),
        value(member).map_or_else(none, format::figure),
        half.unwrap_or_else(none),
        share.unwrap_or_else(none),
        ms(run.response.p50_ms),
        ms(run.response.p95_ms),
        ms(run.response.p99_ms),
        run.client_cpu_us.map_or_else(none, format::figure),
        run.server_cpus.map_or_else(none, format::figure),
        member.server.size.clone(),
        member.server.place.clone(),
    ]
}

/// Which run and which server each member is.
pub(super) fn runs(group: &GroupRecord) -> Table {
    let titles = ["Server", "Version", "Address", "#Connections", "Run"];
    let mut table = Table::new("What each of them is", &titles);
    for member in &group.members {
        table.rows.push(Row::new(vec![
            member.name.clone(),
            summary::full_version(&member.server.flavour, &member.server.version),
            member.server.endpoints.join(", "),
            member.run.connections.to_string(),
            member.run.run.clone(),
        ]));
    }
    table
}

/// Server variables in which the members differ; empty where they do not.
pub(super) fn differences(group: &GroupRecord) -> Table {
    let mut table = Table::new("Server variables that differ", &["Server", "Variable", "Value"]);
    let Some(first) = group.members.first() else { return table };
    let same = |name: &String, value: &String| {
        group.members.iter().all(|member| member.server.variables.get(name) == Some(value))
    };
    for (name, value) in &first.server.variables {
        if same(name, value) {
            continue;
        }
        for member in &group.members {
            let value = member.server.variables.get(name).cloned().unwrap_or_else(none);
            table.rows.push(Row::new(vec![member.name.clone(), name.clone(), value]));
        }
    }
    table
}
