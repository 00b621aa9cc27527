//! `myrig runs`: what is in the store.

use crate::{
    args::{ExportFormat, RunsVerb},
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use anyhow::Context;
use lab::{
    export,
    record::RunRecord,
    store::{Found, RunFilter, Store},
    sweep::SweepRecord,
};
use serde_json::json;
use std::{fs, path::Path};

pub(crate) fn run(verb: RunsVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let mut store = paths.store()?;
    match verb {
        RunsVerb::List { limit } => {
            let runs = store.list(&RunFilter { limit, ..RunFilter::default() })?;
            let sweeps = store.list_sweeps(limit)?;
            let value = json!({ "schema": "myrig.runs/1", "runs": runs, "sweeps": sweeps });
            output.result(&value, &report::list::render(&runs, &sweeps, output.style()))?;
        }
        RunsVerb::Show { run, report, markdown } => {
            let shown = Shown::of(&store.find(&run)?, output)?;
            if let Some(path) = report {
                write(&path, &shown.page)?;
                output.note(&format!("report: {}", path.display()));
            }
            let text = match (output.json(), markdown) {
                (true, _) => shown.json,
                (false, true) => shown.markdown,
                (false, false) => shown.text,
            };
            output.write(&text)?;
        }
        RunsVerb::Export { run, format, output: file } => {
            let text = match store.find(&run)? {
                Found::Run(record) => exported(&record, format)?,
                Found::Sweep(sweep) => exported_sweep(&sweep, format, &store)?,
            };
            match file {
                Some(path) => write(&path, &text)?,
                None => output.write(&text)?,
            }
        }
        RunsVerb::Remove { run } => {
            let (what, id) = match store.find(&run)? {
                Found::Run(record) => ("run", store.remove(&record.id)?),
                Found::Sweep(sweep) => {
                    store.remove_sweep(&sweep.id)?;
                    ("sweep", sweep.id)
                }
            };
            let value = json!({ "schema": "myrig.runs-remove/1", "removed": id });
            output.result(&value, &format!("removed {what} {id}\n"))?;
        }
    }
    Ok(Status::Good)
}

/// A run or a sweep in all its forms.
struct Shown {
    page: String,
    json: String,
    markdown: String,
    text: String,
}

impl Shown {
    fn of(found: &Found, output: &Output) -> Result<Self, Failure> {
        Ok(match found {
            Found::Run(run) => Self {
                page: report::html::render(run)?,
                json: export::json(run)?,
                markdown: report::text::markdown(run),
                text: report::text::render(run, output.style()),
            },
            Found::Sweep(sweep) => Self {
                page: report::sweep::html(sweep)?,
                json: lab::sweep::json(sweep)?,
                markdown: report::sweep::markdown(sweep),
                text: report::sweep::text(sweep, output.style()),
            },
        })
    }
}

fn exported(record: &RunRecord, format: ExportFormat) -> Result<String, Failure> {
    Ok(match format {
        ExportFormat::Json => export::json(record)?,
        ExportFormat::Csv => export::series_csv(record),
        ExportFormat::SummaryCsv => export::summary_csv(std::slice::from_ref(record)),
    })
}

/// A sweep has a row a step where a run has one a second; its summary is that of its runs.
fn exported_sweep(
    sweep: &SweepRecord,
    format: ExportFormat,
    store: &Store,
) -> Result<String, Failure> {
    Ok(match format {
        ExportFormat::Json => lab::sweep::json(sweep)?,
        ExportFormat::Csv => lab::sweep::csv(sweep),
        ExportFormat::SummaryCsv => {
            let runs: Result<Vec<RunRecord>, _> =
                sweep.steps.iter().map(|step| store.load(&step.run)).collect();
            export::summary_csv(&runs?)
        }
    })
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(fs::write(path, text).with_context(|| format!("writing {}", path.display()))?)
}
