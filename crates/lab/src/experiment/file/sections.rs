//! What the sections of an experiment say that are no part of a variant.

use super::{
    error::Fault,
    reader::Reader,
    tree::{Node, Table},
    vocabulary::Vocabulary,
};
use crate::experiment::{
    schedule::TRIALS_MAX,
    spec::{Compare, Options, Order, Published, PublishedFigure, Repeat},
};
use serde_json::Value;

/// The sections that a variant may have, too.
pub(super) const OF_VARIANTS: [&str; 4] = ["server", "host", "data", "workload"];

/// The other keys of a file.
const OF_FILES: [&str; 9] =
    ["name", "title", "question", "published", "variant", "matrix", "repeat", "measure", "compare"];

/// Longest name of an experiment or a variant.
const NAME_CHARS_MAX: usize = 80;

/// The whole file, its keys known.
pub(super) fn top<'a>(document: &'a Table, words: &Vocabulary) -> Result<Reader<'a>, Fault> {
    let known = OF_FILES.iter().chain(&OF_VARIANTS).copied();
    let known: Vec<&str> = known.chain(words.sections.iter().map(String::as_str)).collect();
    Reader::of("", document, &known)
}

/// The experiment's name.
pub(super) fn name(reader: &Reader<'_>) -> Result<String, Fault> {
    let missing = || Fault::whole("`name` is missing; give the experiment a short name");
    let name = reader.word("name")?.ok_or_else(missing)?;
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-';
    match name.len() <= NAME_CHARS_MAX && name.chars().all(good) {
        true => Ok(name),
        false => Err(reader.refuse("name", "give letters, digits and dashes, up to 80 of them")),
    }
}

/// What it is called in reports.
pub(super) fn title(reader: &Reader<'_>) -> Result<String, Fault> {
    let title = reader.word("title")?;
    title.map_or_else(|| name(reader), Ok)
}

/// A name that a person reads: of a variant.
pub(super) fn readable(reader: &Reader<'_>, key: &str) -> Result<Option<String>, Fault> {
    let Some(name) = reader.word(key)? else { return Ok(None) };
    match name.chars().count() <= NAME_CHARS_MAX && !name.chars().any(char::is_control) {
        true => Ok(Some(name)),
        false => Err(reader.refuse(key, "a name is one line of up to 80 characters")),
    }
}

/// How often and in which order.
pub(super) fn repeat(top: &Reader<'_>) -> Result<Repeat, Fault> {
    let usual = Repeat::default();
    let Some(reader) = top.section("repeat", &["runs", "order", "seed"])? else {
        return Ok(usual);
    };
    let orders = [
        ("abba", Order::Abba),
        ("random", Order::Random),
        ("in-order", Order::InOrder),
        ("duet", Order::Duet),
    ];
    let runs = reader.whole("runs", 1..=TRIALS_MAX)?;
    Ok(Repeat {
        runs: runs.and_then(|runs| u32::try_from(runs).ok()).unwrap_or(usual.runs),
        order: reader.choice("order", &orders)?.unwrap_or(usual.order),
        seed: reader.whole("seed", 0..=u64::MAX)?.unwrap_or(usual.seed),
    })
}

/// What is taken during each run.
pub(super) fn measure(top: &Reader<'_>, words: &Vocabulary) -> Result<Options, Fault> {
    let known: Vec<&str> = words.measures.iter().map(String::as_str).collect();
    let Some(table) = top.table("measure")? else { return Ok(Options::new()) };
    Reader::of(&top.path("measure"), table, &known)?;
    Ok(table.iter().map(|(key, item)| (key.clone(), item.value())).collect())
}

/// Which comparisons are made.
pub(super) fn compare(top: &Reader<'_>) -> Result<Option<Compare>, Fault> {
    let Some(reader) = top.section("compare", &["baseline", "pairs", "metrics", "threshold"])?
    else {
        return Ok(None);
    };
    Ok(Some(Compare {
        baseline: reader.word("baseline")?,
        pairs: reader.pairs("pairs")?,
        metrics: reader.texts("metrics")?,
        threshold_percent: threshold(&reader)?,
    }))
}

/// `"3%"`, or 3.
fn threshold(reader: &Reader<'_>) -> Result<Option<f64>, Fault> {
    let Some(item) = reader.get("threshold") else { return Ok(None) };
    let percent = match &item.node {
        Node::Leaf(Value::String(text)) => {
            text.trim().strip_suffix('%').and_then(|number| number.trim().parse().ok())
        }
        Node::Leaf(value) => value.as_f64(),
        _ => None,
    };
    let good = |percent: &f64| (0.0..100.0).contains(percent);
    percent.filter(good).map(Some).ok_or_else(|| {
        let words = "give a percentage from 0 and below 100, such as \"3%\"";
        reader.refuse("threshold", format!("{} cannot be its value; {words}", item.kind()))
    })
}

/// The published procedure that it follows.
pub(super) fn published(top: &Reader<'_>) -> Result<Option<Published>, Fault> {
    let Some(reader) = top.section("published", &["source", "differs", "figure"])? else {
        return Ok(None);
    };
    let missing = || reader.refuse("source", "say who published it, where and when");
    let figures = reader.tables("figure")?.into_iter();
    Ok(Some(Published {
        source: reader.word("source")?.ok_or_else(missing)?,
        differs: reader.texts("differs")?,
        figures: figures.map(|(path, table)| figure(&path, table)).collect::<Result<_, _>>()?,
    }))
}

fn figure(path: &str, table: &Table) -> Result<PublishedFigure, Fault> {
    let known = ["variant", "setup", "connections", "metric", "value", "unit"];
    let reader = Reader::of(path, table, &known)?;
    let connections = reader.whole("connections", 1..=u32::MAX.into())?;
    let needed =
        |key: &str, found: Option<String>| found.ok_or_else(|| reader.refuse(key, "it is missing"));
    Ok(PublishedFigure {
        variant: needed("variant", reader.word("variant")?)?,
        setup: reader.text("setup")?.unwrap_or_default(),
        connections: connections.and_then(|number| u32::try_from(number).ok()),
        metric: needed("metric", reader.word("metric")?)?,
        value: reader.number("value")?.ok_or_else(|| reader.refuse("value", "it is missing"))?,
        unit: reader.text("unit")?.unwrap_or_default(),
    })
}
