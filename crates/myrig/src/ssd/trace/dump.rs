//! The events of a trace, a line each.

use super::{stored, view};
use crate::{
    failure::{Failure, Status},
    output::Output,
};
use flash::trace::{Event, Kind, names::Resolver};
use serde::Serialize;
use std::{fmt::Write as _, path::Path};

/// An event as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    /// Since the trace began.
    time_ns: u64,
    kind: &'static str,
    sector: u64,
    sectors: u32,
    hint: u8,
    file: Option<&'a Path>,
}

pub(super) fn run(path: &Path, output: &Output) -> Result<Status, Failure> {
    let (mut reader, _) = stored::opened(path)?;
    let started_ns = reader.header().started_ns;
    if !output.json() {
        output.write("time_s\tkind\tsector\tsectors\thint\tfile\n")?;
    }
    let mut events = Vec::new();
    let damage = loop {
        match reader.next_events(&mut events) {
            Ok(()) if events.is_empty() => break None,
            Ok(()) => {}
            Err(error) => break Some(error),
        }
        let mut lines = String::new();
        for event in &events {
            let line = line(event, started_ns, reader.names());
            match output.json() {
                true => lines.push_str(&serde_json::to_string(&line)?),
                false => separated(&line, &mut lines),
            }
            lines.push('\n');
        }
        output.write(&lines)?;
    };
    stored::said(path, damage, output)
}

fn line<'a>(event: &Event, started_ns: u64, names: &'a Resolver) -> Line<'a> {
    Line {
        time_ns: event.time_ns.saturating_sub(started_ns),
        kind: match event.kind {
            Kind::Write => "write",
            Kind::Discard => "discard",
        },
        sector: event.sector,
        sectors: event.sectors,
        hint: event.hint,
        file: names.file(event).and_then(|file| names.path(file)),
    }
}

/// The same between tabs.
fn separated(line: &Line<'_>, out: &mut String) {
    let Line { kind, sector, sectors, hint, .. } = line;
    let (seconds, rest) = (line.time_ns / 1_000_000_000, line.time_ns % 1_000_000_000);
    let file = line.file.map(view::shown).unwrap_or_default();
    let _ = write!(out, "{seconds}.{rest:09}\t{kind}\t{sector}\t{sectors}\t{hint}\t{file}");
}
