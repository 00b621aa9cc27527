//! `myrig runs`: what is in the store.

use crate::{
    args::{ExportFormat, RunsVerb},
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use anyhow::Context;
use lab::{export, store::RunFilter};
use serde_json::json;
use std::{fs, path::Path};

pub(crate) fn run(verb: RunsVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let mut store = paths.store()?;
    match verb {
        RunsVerb::List { limit } => {
            let runs = store.list(&RunFilter { limit, ..RunFilter::default() })?;
            let value = json!({ "schema": "myrig.runs/1", "runs": runs });
            output.result(&value, &report::list::render(&runs, output.style()))?;
        }
        RunsVerb::Show { run, report, markdown } => {
            let record = store.load(&run)?;
            if let Some(path) = report {
                write(&path, &report::html::render(&record)?)?;
                output.note(&format!("report: {}", path.display()));
            }
            if output.json() {
                output.write(&export::json(&record)?)?;
            } else if markdown {
                output.write(&report::text::markdown(&record))?;
            } else {
                output.write(&report::text::render(&record, output.style()))?;
            }
        }
        RunsVerb::Export { run, format, output: file } => {
            let record = store.load(&run)?;
            let text = match format {
                ExportFormat::Json => export::json(&record)?,
                ExportFormat::Csv => export::series_csv(&record),
                ExportFormat::SummaryCsv => export::summary_csv(&[record]),
            };
            match file {
                Some(path) => write(&path, &text)?,
                None => output.write(&text)?,
            }
        }
        RunsVerb::Remove { run } => {
            let id = store.remove(&run)?;
            let value = json!({ "schema": "myrig.runs-remove/1", "removed": id });
            output.result(&value, &format!("removed run {id}\n"))?;
        }
    }
    Ok(Status::Good)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(fs::write(path, text).with_context(|| format!("writing {}", path.display()))?)
}
