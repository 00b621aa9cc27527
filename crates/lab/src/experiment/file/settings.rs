//! Options of the server in an experiment file.

use super::{
    error::Fault,
    reader::Reader,
    tree::{Item, Node, Table},
};
use serde_json::Value;
use server::config::{ConfigError, FateKind, For, Given, Place, Target, Translation};
use std::{collections::BTreeMap, path::PathBuf};

/// A setting's name as experiments spell it: small letters and dashes.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "-")
}

/// A path whose last part is a setting, spelt as experiments spell it; any other as it is.
pub(super) fn spelt(path: &str) -> String {
    match path.strip_prefix("server.settings.") {
        Some(name) => format!("server.settings.{}", plain(name)),
        None => path.to_owned(),
    }
}

/// Spells all settings of a document alike, so that layers find each other's.
pub(super) fn spell_alike(document: &mut Table) -> Result<(), Fault> {
    for (key, item) in document.iter_mut() {
        match &mut item.node {
            Node::Table(table) if key == "server" => {
                if let Some(Item { node: Node::Table(settings), .. }) = table.get_mut("settings") {
                    *settings = spelt_alike(settings)?;
                }
            }
            Node::Table(table) => spell_alike(table)?,
            Node::List(items) => {
                for item in items {
                    if let Node::Table(table) = &mut item.node {
                        spell_alike(table)?;
                    }
                }
            }
            Node::Leaf(_) => {}
        }
    }
    Ok(())
}

fn spelt_alike(settings: &Table) -> Result<Table, Fault> {
    let mut alike = Table::new();
    for (name, item) in settings {
        if alike.insert(plain(name), item.clone()).is_some() {
            let words = format!("`server.settings.{name}` is said twice, with `-` and with `_`");
            return Err(Fault::at(item.place, words));
        }
    }
    Ok(alike)
}

/// The settings of a server, each known to some version of it, with a value that it can have.
pub(super) fn read(
    server: &Reader<'_>,
    flavour: Option<&str>,
) -> Result<BTreeMap<String, Value>, Fault> {
    let Some(table) = server.table("settings")? else { return Ok(BTreeMap::new()) };
    let mut settings = BTreeMap::new();
    for (name, item) in table {
        let key = format!("`{}.{name}`", server.path("settings"));
        let Some(text) = text(item) else {
            let words = format!(
                "{key}: {} cannot be its value; give a string, a number, true or false",
                item.kind()
            );
            return Err(Fault::at(item.place, words));
        };
        check(name, &text, flavour)
            .map_err(|words| Fault::at(item.place, format!("{key}: {words}")))?;
        settings.insert(name.clone(), item.value());
    }
    Ok(settings)
}

/// A value as an option file has it.
fn text(item: &Item) -> Option<String> {
    match &item.node {
        Node::Leaf(Value::String(text)) => Some(text.clone()),
        Node::Leaf(Value::Bool(on)) => Some(if *on { "ON" } else { "OFF" }.to_owned()),
        Node::Leaf(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    }
}

/// A setting as one of an option file; an empty value makes a bare option.
fn given(name: &str, value: &str) -> Given {
    // Where it stands is told by our own errors.
    let place = Place::File { path: PathBuf::new(), line: 0 };
    let value = (!value.is_empty()).then(|| value.to_owned());
    Given { name: name.to_owned(), value, place }
}

/// Why no version of the server would take a setting.
fn check(name: &str, value: &str, flavour: Option<&str>) -> Result<(), String> {
    // Names and values are the same for all: the table holds every version of every flavour.
    let target = Target::parse(flavour.unwrap_or("mysql")).map_err(|error| error.to_string())?;
    let given = [given(name, value)];
    let translation = match Translation::of(&given, target, None, For::Instance) {
        Ok(translation) => translation,
        Err(ConfigError::Unknown { nearest, .. }) => {
            return Err(format!("no version of the server knows it{nearest}"));
        }
        Err(ConfigError::Value { value, reason, .. }) => {
            return Err(format!("it cannot be `{value}`: {reason}"));
        }
        Err(ConfigError::Line { reason, .. }) => return Err(reason),
        Err(error) => return Err(error.to_string()),
    };
    let own = translation.fates.iter().find(|fate| fate.kind == FateKind::Instance);
    match own {
        // The table's advice is about the command line of `server init`.
        Some(_) => Err("every instance has its own; leave it out".to_owned()),
        None => Ok(()),
    }
}
