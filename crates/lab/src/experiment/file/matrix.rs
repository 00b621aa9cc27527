//! Variants as the product of lists.

use super::{
    arms::{ARMS_MAX, Draft},
    error::Fault,
    layers,
    reader::Reader,
    sections::OF_VARIANTS,
    tree::{Item, Node, Table},
    vocabulary::{Vocabulary, nearest},
};
use serde_json::Value;

/// A key and the values that it has in turn.
struct Axis<'a> {
    path: String,
    values: &'a [Item],
    /// Where it stands in the file: axes vary in that order, the last the fastest.
    item: &'a Item,
}

/// The product of the lists of the section `matrix`.
pub(super) fn drafts(top: &Reader<'_>, words: &Vocabulary) -> Result<Vec<Draft>, Fault> {
    let table = top.table("matrix")?.ok_or_else(|| Fault::whole("`matrix` is missing"))?;
    let mut axes = Vec::new();
    collect("", table, &mut axes)?;
    if axes.is_empty() {
        return Err(
            top.refuse("matrix", "it has no lists; write \"workload.connections\" = [1, 2]")
        );
    }
    axes.sort_by_key(|axis| axis.item.place);
    let sections: Vec<&str> =
        OF_VARIANTS.into_iter().chain(words.sections.iter().map(String::as_str)).collect();
    for axis in &axes {
        let section = axis.path.split('.').next().unwrap_or_default();
        if !sections.contains(&section) {
            let near = nearest(section, &sections);
            let words = format!("`matrix`: \"{}\" is no key of a variant{near}", axis.path);
            return Err(Fault::at(axis.item.place, words));
        }
    }
    let count = axes.iter().map(|axis| axis.values.len()).try_fold(1_usize, usize::checked_mul);
    if count.is_none_or(|count| count > ARMS_MAX) {
        return Err(top.refuse("matrix", format!("it makes more than {ARMS_MAX} variants")));
    }
    let names = names(&axes);
    let none = Draft { name: String::new(), note: String::new(), sections: Table::new() };
    let mut drafts = vec![none];
    for (axis, name) in axes.iter().zip(&names) {
        let with = |draft: &Draft, value: &Item| {
            let keys: Vec<&str> = axis.path.split('.').collect();
            let comma = if draft.name.is_empty() { "" } else { ", " };
            Draft {
                name: format!("{}{comma}{name}={}", draft.name, told(value)),
                note: String::new(),
                sections: layers::with(
                    draft.sections.clone(),
                    &layers::at_path(&keys, value.clone()),
                ),
            }
        };
        drafts = drafts
            .iter()
            .flat_map(|draft| axis.values.iter().map(move |value| with(draft, value)))
            .collect();
    }
    Ok(drafts)
}

/// A key with dots is the same with quotes and without.
fn collect<'a>(path: &str, table: &'a Table, axes: &mut Vec<Axis<'a>>) -> Result<(), Fault> {
    for (key, item) in table {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match &item.node {
            Node::Table(table) => collect(&path, table, axes)?,
            Node::List(values) if !values.is_empty() && path.contains('.') => {
                axes.push(Axis { path: super::settings::spelt(&path), values, item });
            }
            _ => {
                let words = "give a key of a variant a list of values, such as \
                             \"workload.connections\" = [1, 2]";
                return Err(Fault::at(item.place, format!("`matrix.{path}`: {words}")));
            }
        }
    }
    Ok(())
}

/// What each axis is called in the variants' names: the last part of its key, where that is enough
/// to tell it from the others.
fn names(axes: &[Axis<'_>]) -> Vec<String> {
    let last = |axis: &Axis<'_>| {
        let name = axis.path.rsplit('.').next().unwrap_or_default();
        name.strip_prefix("innodb-").unwrap_or(name).to_owned()
    };
    let short: Vec<String> = axes.iter().map(last).collect();
    let name = |(axis, name): (&Axis<'_>, &String)| {
        let is_only = short.iter().filter(|other| *other == name).count() == 1;
        if is_only { name.clone() } else { axis.path.clone() }
    };
    axes.iter().zip(&short).map(name).collect()
}

fn told(item: &Item) -> String {
    match &item.node {
        Node::Leaf(Value::String(text)) => text.clone(),
        Node::Leaf(value) => value.to_string(),
        Node::List(items) => items.iter().map(told).collect::<Vec<_>>().join("/"),
        Node::Table(_) => item.value().to_string(),
    }
}
