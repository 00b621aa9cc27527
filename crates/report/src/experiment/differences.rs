//! Which settings differ between the variants: only those.

use crate::{
    reproduce::is_secret,
    table::{Row, Table},
};
use lab::experiment::ExperimentRecord;

/// Up to so many variants stand beside each other; more stand below each other.
const BESIDE_MAX: usize = 4;

/// A name and each variant's value of it.
type Line<'a> = (&'a str, Vec<String>);

/// What the experiment file sets differently.
pub(super) fn settings(experiment: &ExperimentRecord) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in experiment.variants.iter().flat_map(|variant| &variant.differs) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let value = |name: &str| {
        let of = experiment.variants.iter().map(|variant| {
            let found = variant.differs.iter().find(|(differs, _)| differs == name);
            match found {
                Some(_) if is_secret(name) => "(not kept)".to_owned(),
                Some((_, value)) => value.clone(),
                None => "–".to_owned(),
            }
        });
        of.collect()
    };
    let lines = names.into_iter().map(|name| (name, value(name))).collect();
    pivot(experiment, "Settings of the experiment that differ", lines)
}

/// What the servers report differently.
pub(super) fn variables(experiment: &ExperimentRecord) -> Table {
    let servers = || experiment.variants.iter().map(|variant| variant.server.as_ref());
    let mut names: Vec<&str> = servers()
        .flatten()
        .flat_map(|server| server.variables.keys())
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut lines: Vec<Line<'_>> = Vec::new();
    for name in names {
        // A variant that no trial was made of yet says nothing.
        let known: Vec<_> = servers().flatten().map(|server| server.variables.get(name)).collect();
        if known.windows(2).any(|pair| pair[0] != pair[1]) {
            let value = servers().map(|server| server.and_then(|it| it.variables.get(name)));
            let words = value.map(|value| value.cloned().unwrap_or_else(|| "–".to_owned()));
            lines.push((name, words.collect()));
        }
    }
    pivot(experiment, "Server variables that differ", lines)
}

/// A column a variant, or a row a variant where there are many.
fn pivot(experiment: &ExperimentRecord, caption: &str, lines: Vec<Line<'_>>) -> Table {
    let variants = experiment.variants.iter().map(|variant| variant.name.as_str());
    if experiment.variants.len() <= BESIDE_MAX {
        let titles: Vec<&str> = ["Setting"].into_iter().chain(variants).collect();
        let mut table = Table::new(caption, &titles);
        for (name, values) in lines {
            let cells = [name.to_owned()].into_iter().chain(values).collect();
            table.rows.push(Row::new(cells));
        }
        return table;
    }
    let names = lines.iter().map(|(name, _)| *name);
    let titles: Vec<&str> = ["Variant"].into_iter().chain(names).collect();
    let mut table = Table::new(caption, &titles);
    for (index, variant) in variants.enumerate().filter(|_| !lines.is_empty()) {
        let values = lines.iter().filter_map(|(_, values)| values.get(index).cloned());
        let cells = [variant.to_owned()].into_iter().chain(values).collect();
        table.rows.push(Row::new(cells));
    }
    table
}
