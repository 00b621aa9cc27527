//! One load with all that belongs to its record.

use super::{Run, bench::Bench, blank, borders::Borders, live::LiveBar, plan, plan::Step};
use crate::{failure::Failure, recording};
use engine::{Interval, LoadError};
use indicatif::MultiProgress;
use lab::{record::RunRecord, store::Store};
use std::sync::Arc;

/// How a load is shown while it is on.
pub(crate) enum Shown<'a> {
    /// By a progress bar with these words before its own.
    Bar(&'a str),
    /// By a progress bar among those of other loads, with these words before its own.
    Among(&'a MultiProgress, &'a str),
    /// By somebody else, second for second.
    To(&'a mut dyn FnMut(&Interval)),
}

impl Run<'_> {
    /// Puts the load of one step on, and returns its record with headline and verdict. The record
    /// is in `store` from before the load, so that whatever happens something true is there; the
    /// last version is the caller's to save.
    ///
    /// # Errors
    /// Why the load did not begin; nothing is left in the store then.
    pub(crate) fn step(
        &self,
        bench: &mut impl Bench,
        step: Step,
        store: &mut Store,
        shown: Shown<'_>,
    ) -> Result<RunRecord, Failure> {
        let options = plan::load_options(self.pacing, step, bench.usual_retries())?;
        let mut record = blank::record(self, bench, step, &options)?;
        store.save(&record)?;
        let begun = bench.begin().and_then(|()| self.load(bench, &options, shown));
        let (load, answer) = begun.inspect_err(|_| drop(store.remove(&record.id)))?;
        recording::fill(&mut record, &load);
        if !options.histograms {
            record.warnings.push("Latencies were not recorded (--no-histograms).".into());
        }
        let counts = answer.unwrap_or_else(|error| {
            let words = format!("The server's counters could not be asked: {error}.");
            record.warnings.push(words);
            None
        });
        record.server_cpus = counts.as_ref().and_then(|counts| counts.cpus);
        bench.headline(&mut record, counts.as_ref());
        // What was measured is safe before the check, which may take its time, is begun. A store
        // that cannot take it now is asked again after the check.
        let _asked_again = store.save(&record);
        if bench.judges() {
            bench.judge(&mut record, self.output);
        }
        Ok(record)
    }

    fn load(
        &self,
        bench: &impl Bench,
        options: &engine::LoadOptions,
        shown: Shown<'_>,
    ) -> Result<(engine::LoadReport, super::borders::Answer), Failure> {
        let (questions, gate) = (bench.questions(), self.gate.clone());
        let (borders, heard) =
            Borders::watch(bench.workload(), self.target, options.phases, questions, gate)?;
        let stop = &self.stops.load;
        let run = |observer: &mut dyn FnMut(&Interval)| {
            engine::run(Arc::clone(&heard), options, stop, observer)
        };
        let loaded = match shown {
            Shown::To(observer) => run(observer),
            Shown::Bar(before) => {
                under(LiveBar::new(&options.phases, before, self.output, None), bench, run)
            }
            Shown::Among(bars, before) => {
                under(LiveBar::new(&options.phases, before, self.output, Some(bars)), bench, run)
            }
        };
        drop(heard);
        let answer = borders.answer();
        let loaded = loaded.map_err(|error| match error {
            LoadError::Options(error) => Failure::usage(error),
            other => other.into(),
        })?;
        Ok((loaded, answer))
    }
}

/// Carries a load out under a progress bar.
fn under<T>(
    bar: LiveBar,
    bench: &impl Bench,
    run: impl FnOnce(&mut dyn FnMut(&Interval)) -> T,
) -> T {
    let loaded = run(&mut |interval| bar.show(interval, &bench.live(interval)));
    bar.finish();
    loaded
}
