//! What can be changed before a run and taken during one: everything that an experiment file may
//! name, one file a capability.
//!
//! A new one implements [`Variant`] or [`Measurement`] (`lab::experiment::seam`) and is added to
//! the list here. Nothing else of the runner knows of it.

pub(super) mod flash;
mod host;
pub(super) mod server;
mod space;
pub(super) mod storage;
pub(super) mod streams;
#[cfg(test)]
pub(super) mod testing;

use crate::{output::Output, paths::Paths};
use lab::experiment::{Fault, Ground, Measurement, Served, Stage, Variant};
use lab::{experiment::Experiment, record::RunRecord};
use std::path::Path;

/// Makes a capability that changes something. It gets a directory for its notes that lives as long
/// as the experiment holds anything.
type MakeVariant = fn(&Paths, &Path, &Output) -> Box<dyn Variant>;

/// Everything that can be changed, by its key, in the order in which it is; put back the other way
/// round.
const VARIANTS: [(&str, MakeVariant); 4] = [
    (storage::KEY, |paths, notes, _| Box::new(storage::MadeAnew::new(paths.home(), notes))),
    (streams::KEY, |_, _, _| Box::new(streams::Rules::default())),
    ("server", |_, _, _| Box::new(server::ServerSettings)),
    ("host", |paths, notes, output| {
        Box::new(host::HostProfile::new(paths.clone(), notes.to_owned(), *output))
    }),
];

/// Makes a capability that measures something.
type MakeMeasurement = fn() -> Box<dyn Measurement>;

/// Everything that can be measured beside the load's own figures, by its key.
const MEASUREMENTS: [(&str, MakeMeasurement); 2] = [
    ("space", || Box::new(space::Space::default())),
    (flash::KEY, || Box::new(flash::Flash::default())),
];

/// Sections that every experiment file has.
const BUILT_IN: [&str; 2] = ["server", "host"];

/// Key of section `measure` that switches the watching of server and machine off.
pub(crate) const WATCH: &str = "watch";

/// Everything that can be changed, ready to be.
pub(super) fn variants(paths: &Paths, notes: &Path, output: &Output) -> Vec<Box<dyn Variant>> {
    VARIANTS.iter().map(|(_, make)| make(paths, notes, output)).collect()
}

/// Sections that a variant may have beside those of every experiment file.
pub(crate) fn sections() -> Vec<String> {
    let keys = VARIANTS.iter().map(|(key, _)| *key);
    keys.filter(|key| !BUILT_IN.contains(key)).map(str::to_owned).collect()
}

/// Keys of section `measure`.
pub(crate) fn measures() -> Vec<String> {
    let keys = MEASUREMENTS.iter().map(|(key, _)| (*key).to_owned());
    keys.chain([WATCH.to_owned()]).collect()
}

/// The measurements that an experiment asks for.
pub(super) struct Asked(Vec<Box<dyn Measurement>>);

impl Asked {
    /// Those of `all` that the file switches on.
    ///
    /// # Errors
    /// One that cannot be taken as asked for.
    pub(super) fn of(experiment: &Experiment) -> Result<Self, Fault> {
        let mut asked = Vec::new();
        for (_, make) in MEASUREMENTS {
            let mut measurement = make();
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

    /// Before the data is put in its place; where one fails, none goes on.
    ///
    /// # Errors
    /// The first that could not do its part.
    pub(super) fn before_data(&mut self, ground: &Ground<'_>) -> Result<(), Fault> {
        let done = self.0.iter_mut().try_for_each(|measurement| measurement.before_data(ground));
        done.inspect_err(|_| self.give_up())
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::args::Colour;

    #[test]
    fn every_capability_answers_to_its_key() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::new(Some(home.path().to_owned())).unwrap();
        let output = Output::of_terminal(false, Colour::Never);
        for (made, (key, _)) in variants(&paths, home.path(), &output).iter().zip(VARIANTS) {
            assert_eq!(made.key(), key);
        }
        for (key, make) in MEASUREMENTS {
            assert_eq!(make().key(), key);
        }
        assert_eq!(measures(), ["space", "flash", "watch"]);
    }
}
