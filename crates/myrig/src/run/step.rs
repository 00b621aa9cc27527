//! One load with all that belongs to its record.

use super::{
    Run, bench::Bench, blank, borders::Borders, broadcast::Broadcast, live::LiveBar, plan,
    plan::Step, watching::Watching,
};
use crate::{failure::Failure, recording};
use engine::{Interval, LoadError, Responses};
use indicatif::MultiProgress;
use lab::{
    record::{RunRecord, Watch},
    store::Store,
};
use workloads::Drive;

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
        bench: &mut dyn Bench,
        step: Step,
        store: &mut Store,
        shown: Shown<'_>,
    ) -> Result<RunRecord, Failure> {
        let options = plan::load_options(self.pacing, step, bench.usual_retries())?;
        let mut record = blank::record(self, bench, step, &options)?;
        store.save(&record)?;
        let watches = !self.pacing.no_watch && self.has_room_to_watch(bench, step, &mut record);
        let begun = bench.begin().and_then(|()| {
            let mut told = Broadcast::begin(self, bench, &record, &options)?;
            let loaded = self.load(bench, &options, shown, watches, &mut told)?;
            Ok((loaded, told))
        });
        let begun = begun.inspect_err(|_| drop(store.remove(&record.id)));
        let ((load, answer, watch), mut told) = begun?;
        record.watch = watch;
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
            told.phase("check");
            bench.judge(&mut record, self.output);
        }
        told.end(&record);
        Ok(record)
    }

    fn load(
        &self,
        bench: &dyn Bench,
        options: &engine::LoadOptions,
        shown: Shown<'_>,
        watches: bool,
        told: &mut Broadcast,
    ) -> Result<(engine::LoadReport, super::borders::Answer, Option<Watch>), Failure> {
        let watch = || Watching::begin(self.target, options.phases, told.listener());
        let watching = watches.then(watch).transpose()?;
        let (watching, listener) = watching.unzip();
        let (questions, gate) = (bench.questions(), self.gate.clone());
        let (borders, hearing) = Borders::watch(
            self.target,
            options.phases,
            questions,
            gate,
            listener.into_iter().chain(self.began.clone()).collect(),
        )?;
        // The threads of the load inherit the place of the one that starts them.
        plan::place(self.pacing).take().map_err(Failure::usage)?;
        let stop = &self.stops.load;
        let run = |observer: &mut dyn FnMut(&Interval)| {
            let mut observer = |interval: &Interval, responses: &Responses<'_>| {
                told.second(interval, responses);
                observer(interval);
            };
            bench.load(Drive { hearing, options, stop, observer: &mut observer })
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
        let answer = borders.answer();
        let watch = watching.and_then(Watching::seen);
        let loaded = loaded.map_err(|error| match error {
            LoadError::Options(error) => Failure::usage(error),
            other => other.into(),
        })?;
        Ok((loaded, answer, watch))
    }

    /// Whether the server has room for one connection more than the load's own; if not, the
    /// record says so.
    fn has_room_to_watch(&self, bench: &dyn Bench, step: Step, record: &mut RunRecord) -> bool {
        let own = step.connections + u32::from(!bench.questions().is_empty());
        let room = bench.preflight(own + 1).is_ok();
        if !room {
            let words = "The server had no room for the connection that watches it: raise \
                         max_connections by one, or take a connection less.";
            record.warnings.push(words.into());
        }
        room
    }
}

/// Carries a load out under a progress bar.
fn under<T>(
    bar: LiveBar,
    bench: &dyn Bench,
    run: impl FnOnce(&mut dyn FnMut(&Interval)) -> T,
) -> T {
    let loaded = run(&mut |interval| bar.show(interval, &bench.live(interval)));
    bar.finish();
    loaded
}
