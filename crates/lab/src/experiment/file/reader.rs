//! Reading a table: every key known, every value of its kind.

use super::{
    error::{Fault, Place},
    tree::{Item, Node, Table},
    vocabulary::nearest,
};
use serde_json::Value;
use std::{fmt, ops::RangeInclusive};

/// A table whose keys are all known.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    path: String,
    table: &'a Table,
}

impl<'a> Reader<'a> {
    /// The table at `path`, empty for the whole file.
    pub(super) fn of(path: &str, table: &'a Table, known: &[&str]) -> Result<Self, Fault> {
        for (key, item) in table {
            if !known.contains(&key.as_str()) {
                let words =
                    format!("`{}`: there is no such key{}", joined(path, key), nearest(key, known));
                return Err(Fault::at(item.place, words));
            }
        }
        Ok(Self { path: path.to_owned(), table })
    }

    /// The whole path of a key.
    pub(super) fn path(&self, key: &str) -> String {
        joined(&self.path, key)
    }

    /// What a key was given.
    pub(super) fn get(&self, key: &str) -> Option<&'a Item> {
        self.table.get(key)
    }

    /// Where a key was given, or the table's first.
    pub(super) fn place(&self, key: &str) -> Option<Place> {
        let first = || self.table.values().map(|item| item.place).min();
        self.get(key).map(|item| item.place).or_else(first)
    }

    /// A value that cannot be.
    pub(super) fn refuse(&self, key: &str, words: impl fmt::Display) -> Fault {
        let words = format!("`{}`: {words}", self.path(key));
        Fault { place: self.place(key), words }
    }

    /// A value of another kind than wanted.
    fn other(&self, key: &str, item: &Item, wanted: &str) -> Fault {
        self.refuse(key, format!("{} cannot be its value; give {wanted}", item.kind()))
    }

    fn read<T>(
        &self,
        key: &str,
        wanted: &str,
        read: impl FnOnce(&'a Node) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let Some(item) = self.get(key) else { return Ok(None) };
        read(&item.node).map(Some).ok_or_else(|| self.other(key, item, wanted))
    }

    /// A string.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>, Fault> {
        self.read(key, "a string", |node| match node {
            Node::Leaf(Value::String(text)) => Some(text.clone()),
            _ => None,
        })
    }

    /// A string that is not empty.
    pub(super) fn word(&self, key: &str) -> Result<Option<String>, Fault> {
        self.read(key, "a string that is not empty", |node| match node {
            Node::Leaf(Value::String(text)) => Some(text.trim().to_owned()),
            _ => None,
        })?
        .map(|text| match text.is_empty() {
            true => Err(self.refuse(key, "it is empty")),
            false => Ok(text),
        })
        .transpose()
    }

    /// A string that is not empty, or a whole number as one: `"0-3"` and 2.
    pub(super) fn word_or_number(&self, key: &str) -> Result<Option<String>, Fault> {
        match self.get(key).map(|item| &item.node) {
            Some(Node::Leaf(Value::Number(number))) if number.is_u64() => {
                Ok(Some(number.to_string()))
            }
            _ => self.word(key),
        }
    }

    /// True or false.
    pub(super) fn truth(&self, key: &str) -> Result<Option<bool>, Fault> {
        self.read(key, "true or false", |node| match node {
            Node::Leaf(value) => value.as_bool(),
            _ => None,
        })
    }

    /// A number.
    pub(super) fn number(&self, key: &str) -> Result<Option<f64>, Fault> {
        self.read(key, "a number", |node| match node {
            Node::Leaf(value) => value.as_f64(),
            _ => None,
        })
    }

    /// A whole number.
    pub(super) fn whole(
        &self,
        key: &str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, Fault> {
        let wanted = match *range.end() {
            u64::MAX => format!("a whole number from {}", range.start()),
            end => format!("a whole number from {} to {end}", range.start()),
        };
        self.read(key, &wanted, |node| match node {
            Node::Leaf(value) => value.as_u64().filter(|number| range.contains(number)),
            _ => None,
        })
    }

    /// A list of strings.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, Fault> {
        let texts = self.read(key, "a list of strings", |node| match node {
            Node::List(items) => items
                .iter()
                .map(|item| match &item.node {
                    Node::Leaf(Value::String(text)) => Some(text.clone()),
                    _ => None,
                })
                .collect(),
            _ => None,
        })?;
        Ok(texts.unwrap_or_default())
    }

    /// A list of lists of two strings each.
    pub(super) fn pairs(&self, key: &str) -> Result<Vec<[String; 2]>, Fault> {
        let text = |item: &Item| match &item.node {
            Node::Leaf(Value::String(text)) => Some(text.clone()),
            _ => None,
        };
        let pair = |item: &Item| match &item.node {
            Node::List(items) => match items.as_slice() {
                [a, b] => Some([text(a)?, text(b)?]),
                _ => None,
            },
            _ => None,
        };
        let pairs = self.read(key, "a list of pairs, [[\"a\", \"b\"]]", |node| match node {
            Node::List(items) => items.iter().map(pair).collect(),
            _ => None,
        })?;
        Ok(pairs.unwrap_or_default())
    }

    /// One of several words.
    pub(super) fn choice<T: Copy>(
        &self,
        key: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, Fault> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        found
            .map(Some)
            .ok_or_else(|| self.refuse(key, format!("\"{text}\" is none of {}", known.join(", "))))
    }

    /// A table, whose keys are for the caller to know.
    pub(super) fn table(&self, key: &str) -> Result<Option<&'a Table>, Fault> {
        self.read(key, "a table", |node| match node {
            Node::Table(table) => Some(table),
            _ => None,
        })
    }

    /// A table with known keys.
    pub(super) fn section(&self, key: &str, known: &[&str]) -> Result<Option<Reader<'a>>, Fault> {
        self.table(key)?.map(|table| Reader::of(&self.path(key), table, known)).transpose()
    }

    /// A list of tables, each with its path.
    pub(super) fn tables(&self, key: &str) -> Result<Vec<(String, &'a Table)>, Fault> {
        let wanted = format!("tables, [[{}]]", self.path(key));
        let tables = self.read(key, &wanted, |node| match node {
            Node::List(items) => items
                .iter()
                .enumerate()
                .map(|(place, item)| match &item.node {
                    Node::Table(table) => {
                        Some((format!("{}[{}]", self.path(key), place + 1), table))
                    }
                    _ => None,
                })
                .collect(),
            _ => None,
        })?;
        Ok(tables.unwrap_or_default())
    }
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
