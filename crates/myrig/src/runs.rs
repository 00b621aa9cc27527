//! `myrig runs`: what is in the store.

mod compare;
mod import;
mod select;
mod trend;

use crate::{
    args::{ExportFormat, RunsVerb},
    experiment,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use anyhow::Context;
use lab::{
    experiment::ExperimentRecord,
    export,
    group::GroupRecord,
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
            let (sweeps, groups) = (store.list_sweeps(limit)?, store.list_groups(limit)?);
            let experiments = store.list_experiments(limit)?;
            let value = json!({
                "schema": "myrig.runs/1", "runs": runs, "sweeps": sweeps, "groups": groups,
                "experiments": experiments
            });
            let text = report::list::render(&runs, &sweeps, &groups, &experiments, output.style());
            output.result(&value, &text)?;
        }
        RunsVerb::Show { run, report, markdown } => {
            let shown = Shown::of(&store.find(&run)?, &store, output)?;
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
                Found::Group(group) => exported_group(&group, format, &store)?,
                Found::Experiment(record) => exported_experiment(&record, format, &store)?,
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
                Found::Group(group) => {
                    store.remove_group(&group.id)?;
                    ("group", group.id)
                }
                Found::Experiment(record) => {
                    store.remove_experiment(&record.id)?;
                    ("experiment", record.id)
                }
            };
            let value = json!({ "schema": "myrig.runs-remove/1", "removed": id });
            output.result(&value, &format!("removed {what} {id}\n"))?;
        }
        RunsVerb::Compare(args) => return compare::run(&args, &store, output),
        RunsVerb::Trend(args) => return trend::run(&args, &store, output),
        RunsVerb::Import(args) => return import::run(&args, &mut store, output),
    }
    Ok(Status::Good)
}

/// A run, a sweep, a group or an experiment in all its forms.
struct Shown {
    page: String,
    json: String,
    markdown: String,
    text: String,
}

impl Shown {
    fn of(found: &Found, store: &Store, output: &Output) -> Result<Self, Failure> {
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
            Found::Group(group) => Self {
                // A run that was removed is missed by the charts over time only.
                page: report::group::html(group, &of_group(group, store).unwrap_or_default())?,
                json: lab::group::json(group)?,
                markdown: report::group::markdown(group),
                text: report::group::text(group, output.style()),
            },
            Found::Experiment(record) => {
                let trials = experiment::trials(record, store)?;
                Self {
                    page: report::experiment::html(record, &trials)?,
                    json: lab::experiment::json(record)?,
                    markdown: report::experiment::markdown(record, &trials),
                    text: report::experiment::text(record, &trials, output.style()),
                }
            }
        })
    }
}

fn exported(record: &RunRecord, format: ExportFormat) -> Result<String, Failure> {
    Ok(match format {
        ExportFormat::Json => export::json(record)?,
        ExportFormat::Csv => export::series_csv(record),
        ExportFormat::SummaryCsv => export::summary_csv(std::slice::from_ref(record)),
        ExportFormat::WatchCsv => export::watch_csv(record),
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
        ExportFormat::WatchCsv => return Err(only_of_a_run("sweep")),
    })
}

fn exported_group(
    group: &GroupRecord,
    format: ExportFormat,
    store: &Store,
) -> Result<String, Failure> {
    Ok(match format {
        ExportFormat::Json => lab::group::json(group)?,
        ExportFormat::Csv => lab::group::csv(group),
        ExportFormat::SummaryCsv => export::summary_csv(&of_group(group, store)?),
        ExportFormat::WatchCsv => return Err(only_of_a_run("group")),
    })
}

/// An experiment has a row a trial; its summary is that of all its runs, a sweep's steps included.
fn exported_experiment(
    record: &ExperimentRecord,
    format: ExportFormat,
    store: &Store,
) -> Result<String, Failure> {
    Ok(match format {
        ExportFormat::Json => lab::experiment::json(record)?,
        ExportFormat::Csv => lab::experiment::csv(record),
        ExportFormat::SummaryCsv => {
            let mut runs = Vec::new();
            for trial in &record.trials {
                match &trial.sweep {
                    Some(sweep) => {
                        let sweep = store.load_sweep(sweep)?;
                        let steps = sweep.steps.iter().map(|step| store.load(&step.run));
                        runs.extend(steps.collect::<Result<Vec<_>, _>>()?);
                    }
                    None => runs.push(store.load(&trial.run)?),
                }
            }
            export::summary_csv(&runs)
        }
        ExportFormat::WatchCsv => return Err(only_of_a_run("experiment")),
    })
}

/// Runs need not have the same series, so that their samples fit no common table.
fn only_of_a_run(what: &str) -> Failure {
    Failure::usage(format!(
        "--format watch-csv: a {what} was not watched, its runs were; `myrig runs show` lists \
         them: export each by its own id"
    ))
}

/// The runs of a group's members.
fn of_group(group: &GroupRecord, store: &Store) -> Result<Vec<RunRecord>, Failure> {
    group.members.iter().map(|member| Ok(store.load(&member.run.run)?)).collect()
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(fs::write(path, text).with_context(|| format!("writing {}", path.display()))?)
}
