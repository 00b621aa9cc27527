//! One layer of a file laid over another.

use super::{
    USUAL_SCALE,
    error::{Fault, Place},
    tree::{self, Item, Node, Table},
    vocabulary::nearest,
};
use std::collections::BTreeMap;

/// `over` laid over `under`: tables merge, everything else replaces.
pub(super) fn with(mut under: Table, over: &Table) -> Table {
    for (key, item) in over {
        let merged = match (under.remove(key), &item.node) {
            (Some(Item { node: Node::Table(below), .. }), Node::Table(above)) => {
                Item { place: item.place, node: Node::Table(with(below, above)) }
            }
            _ => item.clone(),
        };
        under.insert(key.clone(), merged);
    }
    under
}

/// The scales of a file by name.
pub(super) fn scales(document: &Table) -> Result<BTreeMap<String, Table>, Fault> {
    let Some(item) = document.get("scale") else { return Ok(BTreeMap::new()) };
    let wrong = |place: Place, key: &str, kind: String| {
        Fault::at(place, format!("`{key}`: {kind} cannot be a scale; write [scale.laptop]"))
    };
    let Node::Table(scales) = &item.node else {
        return Err(wrong(item.place, "scale", item.kind()));
    };
    let scale = |(name, item): (&String, &Item)| match &item.node {
        Node::Table(layer) => {
            for key in ["scale", "name"] {
                if let Some(item) = layer.get(key) {
                    let words = format!("`scale.{name}.{key}`: all scales have it in common");
                    return Err(Fault::at(item.place, words));
                }
            }
            Ok((name.clone(), layer.clone()))
        }
        _ => Err(wrong(item.place, &format!("scale.{name}"), item.kind())),
    };
    scales.iter().map(scale).collect()
}

/// The scale to take: the one that was asked for, or `laptop`, or the only one.
pub(super) fn chosen<'a>(
    scales: &'a BTreeMap<String, Table>,
    asked: Option<&str>,
) -> Result<Option<&'a String>, Fault> {
    let known: Vec<&str> = scales.keys().map(String::as_str).collect();
    let found = |name: &str| scales.keys().find(|known| *known == name);
    match asked {
        Some(name) if known.is_empty() => {
            Err(Fault::at(Place::Scale, format!("`{name}`: the file has no scales")))
        }
        Some(name) => found(name).map(Some).ok_or_else(|| {
            let words = format!("`{name}`: there is no such scale{}", nearest(name, &known));
            Fault::at(Place::Scale, words)
        }),
        None if known.is_empty() => Ok(None),
        None => found(USUAL_SCALE)
            .or_else(|| scales.keys().next().filter(|_| known.len() == 1))
            .map(Some)
            .ok_or_else(|| {
                let known = known.join(", ");
                Fault::at(Place::Scale, format!("say which of {known}"))
            }),
    }
}

/// The layer that `KEY=VALUE` makes.
pub(super) fn override_of(typed: &str) -> Result<Table, Fault> {
    let refuse = |words: &str| Fault::at(Place::Set, format!("`{typed}`: {words}"));
    let (path, value) = typed
        .split_once('=')
        .ok_or_else(|| refuse("an override is KEY=VALUE, such as workload.duration=30s"))?;
    let keys: Vec<&str> = path.split('.').map(str::trim).collect();
    if keys.iter().any(|key| key.is_empty()) || keys.len() > 8 {
        return Err(refuse("its key is one or more names with dots between them"));
    }
    if let ["scale", ..] = keys[..] {
        return Err(refuse("a scale is chosen by --scale; name the key that it sets"));
    }
    if let ["variant" | "matrix", ..] = keys[..] {
        return Err(refuse(
            "variants come from the file; a key such as workload.duration is set in all of them",
        ));
    }
    Ok(at_path(&keys, tree::value(value.trim())?))
}

/// A layer with one item in it, below a path of at least one key.
pub(super) fn at_path(keys: &[&str], item: Item) -> Table {
    let place = item.place;
    let nest = |item: Item, key: &&str| {
        let table = Table::from([((*key).to_owned(), item)]);
        Item { place, node: Node::Table(table) }
    };
    match keys.iter().rev().fold(item, nest).node {
        Node::Table(table) => table,
        // Without a key there is nothing to set.
        Node::List(_) | Node::Leaf(_) => Table::new(),
    }
}
