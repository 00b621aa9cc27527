//! The page on experiment files names every key that a file can have.

#![allow(clippy::unwrap_used)]

use lab::experiment::spec::{Compare, Published, PublishedFigure, Repeat, ServerSpec};
use serde::Serialize;
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../docs/experiments.md");

/// The text from a heading to the next one.
fn section(heading: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(&format!("\n{heading}\n")).unwrap();
    rest.split("\n#").next().unwrap()
}

/// Words in code, a list such as `mysqld`, `basedir` one by one.
fn in_code(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn keys(of: &impl Serialize) -> BTreeSet<String> {
    serde_json::to_value(of).unwrap().as_object().unwrap().keys().cloned().collect()
}

#[test]
fn the_table_of_the_server_has_its_keys_and_no_other() {
    let rows = section("### `[server]`").lines().filter(|line| line.starts_with("| `"));
    let named: BTreeSet<String> =
        rows.flat_map(|row| in_code(row.split('|').nth(1).unwrap())).collect();
    assert_eq!(named, keys(&ServerSpec::default()));
}

#[test]
fn the_table_of_sections_names_the_keys_of_each() {
    let named = in_code(section("## The keys"));
    let mut known = keys(&Repeat::default());
    known.extend(keys(&Published::default()));
    known.extend(keys(&PublishedFigure::default()));
    known.extend(keys(&Compare::default()));
    // These two are called otherwise in a file: a table in a table, and a value with its unit.
    known.remove("figure");
    known.remove("threshold-percent");
    known.extend(["[[published.figure]]".to_owned(), "threshold".to_owned()]);
    let missing: Vec<_> = known.difference(&named).collect();
    assert!(missing.is_empty(), "docs/experiments.md does not name {missing:?}");
}
