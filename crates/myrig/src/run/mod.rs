//! `run` of any workload: measure, record, judge, store, report.
//!
//! # How a workload plugs in
//!
//! 1. Its arguments flatten [`ConnectionArgs`](crate::args::ConnectionArgs) and
//!    [`PacingArgs`], derive `Serialize` (`rename_all = "kebab-case"`, both flattened in serde as
//!    well) and become the settings of the record: [`settings`] makes them.
//! 2. In its own folder a type implements [`Bench`]: the engine's workload and the facts, questions
//!    and verdict around it. One value serves every step of a sweep; [`Bench::begin`] is called
//!    before each load.
//! 3. Its verb calls [`validate`] before it asks any server, makes [`Stops`], hands
//!    [`Stops::stop`] to `interrupt::watch`, builds its `Bench` and calls [`Run::carry_out`].
//!
//! What the server counts in the measured phase (NOPM, TPM, Questions) is asked by
//! [`Bench::questions`]: each is SQL with one number in the last column of its first row, asked on
//! a connection and a thread of its own when the measured phase begins and ends. The differences
//! and the exact time between come back to [`Bench::headline`].
//!
//! A list of connections or rates makes a sweep of it ([`crate::sweep`]); a workload has nothing
//! to do for that.
//!
//! A front end that shows things its own way calls [`Run::step`] with an observer and gets the
//! record; [`saving::keep`] stores it.
//!
//! Several instances make a group of it ([`crate::group`]): a run on each, begun together.

mod asked;
pub(crate) mod bench;
mod blank;
mod borders;
mod broadcast;
mod live;
pub(crate) mod plan;
pub(crate) mod saving;
mod step;
mod watching;

pub(crate) use asked::Asked;
pub(crate) use bench::{Bench, ServerCounts};
pub(crate) use plan::{Step, validate};
pub(crate) use step::Shown;

use crate::{
    args::PacingArgs,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use client::Target;
use engine::Stop;
use lab::{
    record::{RunRecord, RunStatus},
    store::Store,
    sweep::SweepRecord,
};
use serde::Serialize;
use server::Instance;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, atomic::Ordering, mpsc::Sender},
    time::Instant,
};
use tokio::sync::Barrier;
use workloads::tpcc::CheckProgress;

/// Settings of a record, by option name.
pub(crate) type Settings = BTreeMap<String, serde_json::Value>;

/// What can be stopped from outside, by Ctrl-C.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stops {
    /// Ends the load.
    pub(crate) load: Stop,
    /// Ends the check after it, for workloads that have one.
    pub(crate) check: Arc<CheckProgress>,
}

impl Stops {
    /// Ends what is going on, cleanly.
    pub(crate) fn stop(&self) {
        self.load.stop();
        self.check.stop.store(true, Ordering::Relaxed);
    }

    /// Whether somebody did.
    pub(crate) fn stopped(&self) -> bool {
        self.check.stop.load(Ordering::Relaxed)
    }
}

/// A run that is about to be: what was asked for, and what it needs.
pub(crate) struct Run<'a> {
    /// How the load is put on.
    pub(crate) pacing: &'a PacingArgs,
    /// What was typed, from [`settings`].
    pub(crate) settings: Settings,
    /// The server under load.
    pub(crate) target: &'a Target,
    /// The instance that it is, of our own.
    pub(crate) instance: Option<&'a Instance>,
    /// What ends it early.
    pub(crate) stops: &'a Stops,
    /// Where runs and reports go.
    pub(crate) paths: &'a Paths,
    /// Who watches.
    pub(crate) output: &'a Output,
    /// Who is told when the load begins.
    pub(crate) began: Option<Sender<Instant>>,
    /// Where the threads of several loads wait for each other; none for a load alone.
    pub(crate) gate: Option<Arc<Barrier>>,
    /// Words before those of the progress bar, such as the trial of an experiment; may be empty.
    pub(crate) before: &'a str,
}

/// A run or a sweep that has been made and kept, and told to nobody yet.
pub(crate) struct Measured {
    /// What it came to.
    pub(crate) what: Whole,
    /// Where its report is.
    pub(crate) reported: Result<PathBuf, Failure>,
    /// Whether the store took it.
    pub(crate) kept: Result<(), String>,
    /// What it is worth.
    pub(crate) status: Status,
}

/// One load, or several that make a sweep.
pub(crate) enum Whole {
    /// One load.
    Run(Box<RunRecord>),
    /// A load for each value of a list.
    Sweep(Box<SweepRecord>),
}

impl Measured {
    /// Tells a person, or a program, what it came to and where it is.
    ///
    /// # Errors
    /// Standard output cannot be written to.
    pub(crate) fn tell(self, output: &Output) -> Result<Status, Failure> {
        let style = output.style();
        let text = match (&self.what, output.json()) {
            (Whole::Run(run), true) => lab::export::json(run)?,
            (Whole::Run(run), false) => report::text::render(run, style),
            (Whole::Sweep(sweep), true) => lab::sweep::json(sweep)?,
            (Whole::Sweep(sweep), false) => report::sweep::text(sweep, style),
        };
        output.write(&text)?;
        say_where(&self.reported, &self.kept, output);
        Ok(self.status)
    }

    /// Tells a person what could not be written, and nothing else.
    pub(crate) fn tell_troubles(&self, output: &Output) {
        say_troubles(&self.reported, &self.kept, output);
    }
}

/// Tells a person what could not be written, and nothing else.
pub(crate) fn say_troubles(
    reported: &Result<PathBuf, Failure>,
    kept: &Result<(), String>,
    output: &Output,
) {
    let troubles = [kept.as_ref().err().cloned(), reported.as_ref().err().map(ToString::to_string)];
    for words in troubles.iter().flatten() {
        output.note(&format!("myrig: {words}"));
    }
}

impl Run<'_> {
    /// The whole of it: [`Self::measure`], and a summary on standard output.
    ///
    /// # Errors
    /// What kept it from being begun; a run that was begun is kept and told by its status.
    pub(crate) fn carry_out(&self, bench: &mut dyn Bench) -> Result<Status, Failure> {
        self.measure(bench)?.tell(self.output)
    }

    /// Preflight, load, verdict, store, report; a sweep where a list asks for one.
    ///
    /// # Errors
    /// As for [`Self::carry_out`].
    pub(crate) fn measure(&self, bench: &mut dyn Bench) -> Result<Measured, Failure> {
        let steps = plan::steps(self.pacing)?;
        let connections = steps.iter().map(|step| step.connections).max().unwrap_or_default();
        // The questions at the borders of the measured phase have a connection of their own.
        bench.preflight(connections + u32::from(!bench.questions().is_empty()))?;
        let mut store = self.paths.store()?;
        match steps.as_slice() {
            [step] => self.single(bench, *step, &mut store),
            steps => self.sweep(bench, steps, &mut store),
        }
    }

    fn single(
        &self,
        bench: &mut dyn Bench,
        step: Step,
        store: &mut Store,
    ) -> Result<Measured, Failure> {
        let record = self.step(bench, step, store, Shown::Bar(self.before))?;
        let kept = saving::keep(store, &record);
        let reported = saving::report(self.pacing.report.as_deref(), &record, self.paths);
        let judged = !bench.judges() || record.check.is_some();
        let status = status(&record, kept.is_ok() && reported.is_ok() && judged);
        Ok(Measured { what: Whole::Run(Box::new(record)), reported, kept, status })
    }
}

/// Tells a person where the report is, and what could not be written.
pub(crate) fn say_where(
    reported: &Result<PathBuf, Failure>,
    kept: &Result<(), String>,
    output: &Output,
) {
    match reported {
        Ok(path) => output.note(&format!("report: {}", path.display())),
        Err(failure) => output.note(&format!("myrig: {failure}")),
    }
    if let Err(words) = kept {
        output.note(&format!("myrig: {words}"));
    }
}

/// A bad answer is the worst that can be said; less than all of it is no good answer.
pub(crate) fn status(record: &RunRecord, all_done: bool) -> Status {
    match &record.status {
        _ if record.check.as_ref().is_some_and(|check| !check.good) => Status::Bad,
        RunStatus::Complete if all_done => Status::Good,
        RunStatus::Complete | RunStatus::Partial { .. } => Status::NotDone,
    }
}

/// The settings that `args` stand for; what was not given is not among them. The database and,
/// unless the account is an instance's own, the user may have come from an option file, and are
/// part of the exact settings as well.
///
/// # Errors
/// None that a person can mend: `args` serialise to something that is no object.
pub(crate) fn settings(
    args: &impl Serialize,
    target: &Target,
    instance: Option<&str>,
) -> Result<Settings, Failure> {
    let serde_json::Value::Object(typed) = serde_json::to_value(args)? else {
        return Err(anyhow::anyhow!("the settings are no object").into());
    };
    let mut settings: Settings = typed.into_iter().filter(|(_, value)| !is_unset(value)).collect();
    settings.insert("database".into(), target.database.clone().into());
    match instance {
        // Of several that were named, each run has its own.
        Some(name) => settings.insert("instance".into(), name.into()),
        None => settings.insert("user".into(), target.user.clone().into()),
    };
    Ok(settings)
}

fn is_unset(value: &serde_json::Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}
