//! What can be changed before a run and taken during one: everything that an experiment file may
//! name, one file a capability.
//!
//! A new one implements [`Variant`] or [`Measurement`] (`lab::experiment::seam`) and is added to
//! the list here. Nothing else of the runner knows of it.

mod host;
pub(super) mod server;
mod space;

use crate::{output::Output, paths::Paths};
use lab::experiment::{Fault, Measurement, Served, Stage, Variant};
use lab::{experiment::Experiment, record::RunRecord};
use std::path::Path;

/// Everything that can be changed, in the order in which it is; put back the other way round.
/// `notes` is a directory that lives as long as the experiment holds anything.
pub(super) fn variants(paths: &Paths, notes: &Path, output: &Output) -> Vec<Box<dyn Variant>> {
    vec![
        Box::new(server::ServerSettings),
        Box::new(host::HostProfile::new(paths.clone(), notes.to_owned(), *output)),
    ]
}

/// Everything that can be measured beside the load's own figures.
pub(super) fn measurements() -> Vec<Box<dyn Measurement>> {
    vec![Box::new(space::Space::default())]
}

/// Keys that a variant may have beside those of every experiment.
pub(crate) fn variant_keys(all: &[Box<dyn Variant>]) -> Vec<&'static str> {
    all.iter().map(|variant| variant.key()).filter(|key| !BUILT_IN.contains(key)).collect()
}

/// Sections that every experiment file has.
const BUILT_IN: [&str; 2] = ["server", "host"];

/// The measurements that an experiment asks for.
pub(super) struct Asked(Vec<Box<dyn Measurement>>);

impl Asked {
    /// Those of `all` that the file switches on.
    ///
    /// # Errors
    /// One that cannot be taken as asked for.
    pub(super) fn of(experiment: &Experiment) -> Result<Self, Fault> {
        let mut asked = Vec::new();
        for measurement in measurements() {
            match experiment.measure.get(measurement.key()) {
                None | Some(serde_json::Value::Bool(false)) => {}
                Some(value) => {
                    measurement.plan(value)?;
                    asked.push(measurement);
                }
            }
        }
        Ok(Self(asked))
    }

    /// All of them begin, or none goes on.
    ///
    /// # Errors
    /// The first that could not.
    pub(super) fn begin(&mut self, served: &Served<'_>) -> Result<(), Fault> {
        let begun = self.0.iter_mut().try_for_each(|measurement| measurement.begin(served));
        begun.inspect_err(|_| self.give_up())
    }

    /// What each has to add goes into the run; one that fails becomes a warning there.
    pub(super) fn end(&mut self, served: &Served<'_>, run: &mut RunRecord) {
        for measurement in &mut self.0 {
            if let Err(fault) = measurement.end(served, run) {
                run.warnings.push(format!("`{}` was not measured: {fault}.", measurement.key()));
            }
        }
    }

    /// Nothing of them goes on.
    pub(super) fn give_up(&mut self) {
        self.0.iter_mut().for_each(|measurement| measurement.give_up());
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The stage set by all variants; where one fails, all are put back.
///
/// # Errors
/// The first that could not do its part.
pub(super) fn set(all: &mut [Box<dyn Variant>], stage: &mut Stage<'_>) -> Result<(), Fault> {
    let outcome = all.iter_mut().try_for_each(|variant| variant.before_start(stage));
    outcome.inspect_err(|_| drop(put_back(all)))
}

/// Everything put back, the last first; one that fails keeps none of the others.
///
/// # Errors
/// What is left, of all that failed.
pub(super) fn put_back(all: &mut [Box<dyn Variant>]) -> Result<(), Fault> {
    let failed = |variant: &mut Box<dyn Variant>| {
        let fault = variant.put_back().err()?;
        Some(format!("{}: {fault}", variant.key()))
    };
    let left: Vec<String> = all.iter_mut().rev().filter_map(failed).collect();
    if left.is_empty() { Ok(()) } else { Err(left.join("; ").into()) }
}
