//! The text of a file as items that know their lines.

use super::{
    FILE_BYTES_MAX,
    error::{Fault, Place},
};
use serde_json::{Number, Value};
use std::collections::BTreeMap;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Deepest nesting that is read; the deepest key of an experiment has five parts.
const DEPTH_MAX: usize = 12;

/// Most dots in a line: what has more is no key of ours, and nested as deeply as it has dots.
const DOTS_MAX: usize = 32;

/// Items by key.
pub(super) type Table = BTreeMap<String, Item>;

/// Something that was said, and where.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    /// Where.
    pub(super) place: Place,
    /// What.
    pub(super) node: Node,
}

/// What was said.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// A table.
    Table(Table),
    /// A list.
    List(Vec<Item>),
    /// A string, a number or a boolean.
    Leaf(Value),
}

impl Item {
    /// The same without its lines.
    pub(super) fn value(&self) -> Value {
        match &self.node {
            Node::Table(table) => {
                table.iter().map(|(key, item)| (key.clone(), item.value())).collect()
            }
            Node::List(items) => items.iter().map(Self::value).collect(),
            Node::Leaf(value) => value.clone(),
        }
    }

    /// What it is, in words.
    pub(super) fn kind(&self) -> String {
        match &self.node {
            Node::Table(_) => "a table".into(),
            Node::List(_) => "a list".into(),
            Node::Leaf(Value::String(text)) => format!("the string \"{}\"", text.escape_debug()),
            Node::Leaf(value) => value.to_string(),
        }
    }
}

/// Reads a whole file.
pub(super) fn parse(text: &str) -> Result<Table, Fault> {
    if text.len() > FILE_BYTES_MAX {
        return Err(Fault::whole(format!("it is longer than {FILE_BYTES_MAX} bytes")));
    }
    let dots = |line: &str| line.bytes().filter(|byte| *byte == b'.').count();
    if let Some((place, _)) = text.lines().enumerate().find(|(_, line)| dots(line) > DOTS_MAX) {
        return Err(Fault::at(Place::Line(place + 1), format!("more than {DOTS_MAX} dots")));
    }
    let document = DeTable::parse(text).map_err(|error| {
        let words = error.message().replace('\n', ", ");
        match error.span() {
            Some(span) => Fault::at(Place::Line(line_at(text, span.start)), words),
            None => Fault::whole(words),
        }
    })?;
    table(document.get_ref(), &|offset| Place::Line(line_at(text, offset)), 0)
}

/// Reads the value of an override: one of TOML, or a bare string.
pub(super) fn value(text: &str) -> Result<Item, Fault> {
    let bare = || Ok(Item { place: Place::Set, node: Node::Leaf(Value::String(text.to_owned())) });
    let dots = text.bytes().filter(|byte| *byte == b'.').count();
    if dots > DOTS_MAX || text.len() > FILE_BYTES_MAX {
        return bare();
    }
    match DeValue::parse(text) {
        // A date is what a string such as 2026-11-22 was meant to be.
        Ok(value) if !value.get_ref().is_datetime() => item(&value, &|_| Place::Set, 0),
        _ => bare(),
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

fn table(
    table: &DeTable<'_>,
    place: &dyn Fn(usize) -> Place,
    depth: usize,
) -> Result<Table, Fault> {
    let of = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name: &std::borrow::Cow<'_, str> = key.get_ref();
        let here = place(key.span().start);
        if depth == DEPTH_MAX {
            return Err(Fault::at(here, format!("`{name}` is nested too deeply")));
        }
        let item = item(value, place, depth + 1)?;
        Ok((name.clone().into_owned(), Item { place: here, ..item }))
    };
    table.iter().map(of).collect()
}

fn item(
    value: &Spanned<DeValue<'_>>,
    place: &dyn Fn(usize) -> Place,
    depth: usize,
) -> Result<Item, Fault> {
    let here = place(value.span().start);
    if depth > DEPTH_MAX {
        return Err(Fault::at(here, "nested too deeply"));
    }
    let node = match value.get_ref() {
        DeValue::Table(inner) => Node::Table(table(inner, place, depth)?),
        DeValue::Array(items) => {
            let items = items.iter().map(|it| item(it, place, depth + 1));
            Node::List(items.collect::<Result<_, _>>()?)
        }
        DeValue::String(text) => Node::Leaf(Value::String(text.clone().into_owned())),
        DeValue::Boolean(truth) => Node::Leaf(Value::Bool(*truth)),
        DeValue::Datetime(time) => Node::Leaf(Value::String(time.to_string())),
        DeValue::Integer(number) => {
            let (digits, radix) = (number.as_str(), number.radix());
            let small = i64::from_str_radix(digits, radix).map(Number::from);
            let number = small.or_else(|_| u64::from_str_radix(digits, radix).map(Number::from));
            let number = number.map_err(|_| Fault::at(here, format!("{digits} is too large")))?;
            Node::Leaf(Value::Number(number))
        }
        DeValue::Float(number) => {
            let number = number.as_str();
            let finite = number.parse().ok().and_then(Number::from_f64);
            let words = || format!("{number} is no number that can be used here");
            Node::Leaf(Value::Number(finite.ok_or_else(|| Fault::at(here, words()))?))
        }
    };
    Ok(Item { place: here, node })
}
