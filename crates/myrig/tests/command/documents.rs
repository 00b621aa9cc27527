//! The schemas in docs/ have exactly the fields that the command prints.

use crate::support::{Rig, Server, keys, transactions};
use serde_json::Value;

pub(crate) const JSON: &str = include_str!("../../../../docs/json.md");
pub(crate) const RUN: &str = include_str!("../../../../docs/run-schema.md");

/// The fields that a page lists in the first table under a heading, sorted.
pub(crate) fn fields(page: &str, heading: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| *line != heading).skip(1);
    let section = lines.take_while(|line| !line.starts_with('#'));
    let table = section.skip_while(|line| !line.starts_with('|'));
    let rows = table.take_while(|line| line.starts_with('|'));
    let mut fields: Vec<String> = rows
        .filter_map(|row| Some(row.strip_prefix("| `")?.split_once('`')?.0.to_owned()))
        .collect();
    fields.sort();
    assert!(!fields.is_empty(), "no table under {heading}");
    fields
}

/// The fields of an entry of a part of a run's record.
pub(crate) fn fields_of_run(part: &str) -> Vec<String> {
    fields(RUN, &format!("## `{part}`"))
}

/// An object has the fields of its schema's section, and says its schema.
pub(crate) fn is(value: &Value, schema: &str) {
    assert_eq!(value["schema"], schema);
    assert_eq!(keys(value), fields(JSON, &format!("## `{schema}`")));
}

#[test]
fn every_object_has_the_fields_that_are_documented() {
    let server = Server::own("");
    let prepared = server.run("tpcc prepare -w 1 -c 2 --json").good().json();
    is(&prepared, "myrig.prepare/1");
    is(&server.run("tpcc check --json").good().json(), "myrig.check/1");

    let line = "tpcc run -c 2 --ramp-up 1s --ramp-down 1s --duration 2s --rate 100 --json";
    run(&server.run(line).good().json());

    is(&server.run("tpcc cleanup --json").good().json(), "myrig.cleanup/1");
    is(&server.rig.run("server status s --json").good().json(), "myrig.server/1");
    let servers = server.rig.run("server status --json").good().json();
    is(&servers, "myrig.servers/1");
    is(&servers["servers"][0], "myrig.server/1");

    let runs = server.rig.run("runs list --json").good().json();
    is(&runs, "myrig.runs/1");
    assert_eq!(keys(&runs["runs"][0]), fields(JSON, "### An entry of `runs`"));
    assert_eq!(keys(&runs["runs"][0]["headline"]), ["name", "unit", "value"]);
    let id = runs["runs"][0]["id"].as_str().unwrap();
    let removed = server.rig.run(&format!("runs remove {id} --json")).good().json();
    is(&removed, "myrig.runs-remove/1");
    assert_eq!(removed["removed"], id);
    is(&server.rig.run("runs show --json").ends(3).json(), "myrig.error/1");
}

/// A run's record, part by part.
fn run(record: &Value) {
    assert_eq!(record["schema"], "myrig.run/1");
    assert_eq!(keys(record), fields(RUN, "## The run"));
    for part in ["workload", "server", "host", "client", "arrivals"] {
        assert_eq!(keys(&record[part]), fields_of_run(part), "{part}");
    }
    for part in ["phases", "headline", "transactions", "intervals"] {
        for entry in record[part].as_array().unwrap() {
            assert_eq!(keys(entry), fields_of_run(part), "{part}");
        }
    }
    let condition = &record["check"]["conditions"][0];
    assert_eq!(keys(condition), fields_of_run("check"));
    let outcomes = ["committed", "failed", "in_doubt", "retried", "rolled_back"];
    assert_eq!(keys(&transactions(record, "New-Order")["total"]), outcomes);
    let names: Vec<_> =
        record["phases"].as_array().unwrap().iter().map(|phase| phase["name"].clone()).collect();
    assert_eq!(names[..3], ["ramp-up", "measure", "ramp-down"]);
}

#[test]
fn the_index_names_every_schema_that_has_a_section() {
    let (index, sections) = JSON.split_once("\n## ").unwrap();
    let schemas = sections.split("## ").filter_map(|text| text.split('`').nth(1));
    for schema in schemas.filter(|name| name.starts_with("myrig.")) {
        assert!(index.contains(&format!("`{schema}`")), "{schema} is not in the index");
    }
    let rig = Rig::new();
    assert!(rig.run("--help").good().out.contains("docs/json.md"));
}
