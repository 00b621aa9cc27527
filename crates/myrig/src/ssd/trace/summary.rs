//! What a trace comes to.

use flash::trace::{
    Kind,
    file::{Header, Trailer},
    names::{FileId, Resolver},
    totals::{Sum, Totals},
};
use pages::file::Named;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// What the kernel calls the hints (`enum rw_hint`).
const HINTS: [&str; 6] = ["not set", "none", "short", "medium", "long", "extreme"];

/// Writes that no file is known for: the log of the file system, its tables.
const FILE_SYSTEM: &str = "file system";

/// A trace in figures.
#[derive(Serialize)]
pub(super) struct Summary {
    schema: &'static str,
    pub(super) device: String,
    pub(super) device_bytes: u64,
    pub(super) carries_hints: bool,
    started_unix_ns: u64,
    pub(super) seconds: f64,
    pub(super) events: u64,
    /// None where the trace was cut off: nobody knows.
    pub(super) lost: Option<u64>,
    /// What is wrong with the file.
    pub(super) damage: Option<String>,
    pub(super) file: Option<Kept>,
    pub(super) hints: Vec<HintRow>,
    /// None where nobody looked for files.
    pub(super) classes: Option<Vec<ClassRow>>,
    pub(super) files: Option<Vec<FileRow>>,
}

/// The file of a trace.
#[derive(Serialize)]
pub(super) struct Kept {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

/// How much was done.
#[derive(Clone, Copy, Default, Serialize)]
pub(super) struct Done {
    pub(super) writes: u64,
    pub(super) written_bytes: u64,
    pub(super) discards: u64,
    pub(super) discarded_bytes: u64,
}

impl Done {
    fn add(&mut self, kind: Kind, sum: Sum) {
        let (events, bytes) = match kind {
            Kind::Write => (&mut self.writes, &mut self.written_bytes),
            Kind::Discard => (&mut self.discards, &mut self.discarded_bytes),
        };
        *events += sum.events;
        *bytes = bytes.saturating_add(sum.bytes);
    }
}

#[derive(Serialize)]
pub(super) struct HintRow {
    hint: u8,
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) done: Done,
}

#[derive(Serialize)]
pub(super) struct ClassRow {
    pub(super) class: String,
    hint: u8,
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) done: Done,
}

#[derive(Serialize)]
pub(super) struct FileRow {
    path: PathBuf,
    class: &'static str,
    #[serde(flatten)]
    done: Done,
}

impl Summary {
    pub(super) fn new(
        header: &Header,
        totals: &Totals,
        names: Option<&Resolver>,
        trailer: Option<&Trailer>,
        file: Option<Kept>,
    ) -> Self {
        let ended_ns = trailer.map(|trailer| trailer.ended_ns.saturating_sub(header.started_ns));
        let counted: u64 = totals.classes().map(|(_, sum)| sum.events).sum();
        Self {
            schema: "myrig.ssd-trace/1",
            device: header.device.clone(),
            device_bytes: header.device_bytes,
            carries_hints: header.carries_hints,
            started_unix_ns: header.started_unix_ns,
            seconds: ended_ns.unwrap_or(totals.span_ns()) as f64 / 1e9,
            events: counted,
            lost: trailer.map(|trailer| trailer.lost),
            damage: None,
            file,
            hints: hints(totals),
            classes: names.map(|names| classes(totals, names)),
            files: names.map(|names| files(totals, names)),
        }
    }

    /// All of it.
    pub(super) fn done(&self) -> Done {
        let mut all = Done::default();
        for row in &self.hints {
            all.writes += row.done.writes;
            all.written_bytes = all.written_bytes.saturating_add(row.done.written_bytes);
            all.discards += row.done.discards;
            all.discarded_bytes = all.discarded_bytes.saturating_add(row.done.discarded_bytes);
        }
        all
    }
}

fn hints(totals: &Totals) -> Vec<HintRow> {
    let mut rows: BTreeMap<u8, Done> = BTreeMap::new();
    for (class, sum) in totals.classes() {
        rows.entry(class.hint).or_default().add(class.kind, sum);
    }
    rows.into_iter().map(|(hint, done)| HintRow { hint, name: hint_name(hint), done }).collect()
}

/// Classes and hints, those that were written most first.
fn classes(totals: &Totals, names: &Resolver) -> Vec<ClassRow> {
    let mut rows: BTreeMap<(&str, u8), Done> = BTreeMap::new();
    for (class, sum) in totals.classes() {
        let key = (class_of(class.file, names), class.hint);
        rows.entry(key).or_default().add(class.kind, sum);
    }
    let row = |((class, hint), done): ((&str, u8), Done)| ClassRow {
        class: class.to_owned(),
        hint,
        name: hint_name(hint),
        done,
    };
    let mut rows: Vec<ClassRow> = rows.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.done.written_bytes));
    rows
}

/// Files of which there was an event.
fn files(totals: &Totals, names: &Resolver) -> Vec<FileRow> {
    let mut rows: BTreeMap<FileId, Done> = BTreeMap::new();
    for (class, sum) in totals.classes() {
        if let Some(file) = class.file {
            rows.entry(file).or_default().add(class.kind, sum);
        }
    }
    let row = |(file, done): (FileId, Done)| {
        let path = names.path(file)?.to_owned();
        Some(FileRow { path, class: class_of(Some(file), names), done })
    };
    rows.into_iter().filter_map(row).collect()
}

/// What a hint is called.
fn hint_name(hint: u8) -> String {
    HINTS.get(usize::from(hint)).map_or_else(|| format!("hint {hint}"), |name| (*name).to_owned())
}

fn class_of(file: Option<FileId>, names: &Resolver) -> &'static str {
    file.and_then(|file| names.path(file)).map_or(FILE_SYSTEM, class_of_path)
}

/// What a file is for, by its name.
fn class_of_path(path: &Path) -> &'static str {
    match Named::of(path) {
        Named::Is(kind) => kind.words(),
        Named::Foreign(words) => words,
        Named::Nothing => "other file",
    }
}
