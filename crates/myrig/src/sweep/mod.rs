//! Sweeps: the same load on more and more connections, or at higher and higher rates.
//!
//! Each step is a full run in the store. Before each but the first the server is waited for
//! ([`rest`]); after each, peak and knee are found anew and the sweep is saved, so that whatever
//! happens what there is is kept. [`ending`] knows why a sweep ends.

mod ending;
mod rest;
mod warnings;

use crate::{
    facts,
    failure::{Failure, Status},
    recording,
    run::{self, Bench, Measured, Run, Shown, Step, Whole, saving},
    runtime::block_on,
};
use anyhow::Context;
use ending::Ending;
use lab::{
    record::RunStatus,
    store::Store,
    sweep::{SWEEP_SCHEMA, SweepRecord, SweepStep, Varied},
};
use rand::Rng;
use rest::Resting;
use std::{path::Path, time::SystemTime};
use warnings::Warnings;

impl Run<'_> {
    /// Takes the steps until the last, or until going on makes no sense.
    ///
    /// # Errors
    /// What kept the first step from being begun; after that the sweep is kept and told by its
    /// status.
    pub(crate) fn sweep(
        &self,
        bench: &mut dyn Bench,
        steps: &[Step],
        store: &mut Store,
    ) -> Result<Measured, Failure> {
        let mut sweep = self.planned(bench, steps)?;
        let resting = Resting::now(self)?;
        store.save_sweep(&sweep)?;
        let mut worst = Status::Good;
        let mut warnings = Warnings::default();
        let mut ending = Ending::AllTaken;
        for step in steps {
            match self.sweep_step(bench, *step, &resting, &mut warnings, &mut sweep, store) {
                Ok(status) => worst = worse(worst, status),
                Err(failure) if sweep.steps.is_empty() => {
                    // There is nothing to keep; the failure says more than an empty sweep.
                    drop(store.remove_sweep(&sweep.id));
                    return Err(failure);
                }
                Err(failure) => ending = Ending::NotBegun(*step, failure.to_string()),
            }
            sweep.analyse();
            ending = ending.after(&sweep, self.pacing.stop_after_peak, self.stops.stopped(), *step);
            ending.tell(&mut sweep, steps.len());
            // The last version is saved below, where a failure is told.
            drop(store.save_sweep(&sweep));
            if !matches!(ending, Ending::AllTaken) {
                break;
            }
        }
        Ok(self.finish(sweep, worst, store))
    }

    /// One step with what comes before and after it; the step is added to the sweep.
    fn sweep_step(
        &self,
        bench: &mut dyn Bench,
        step: Step,
        resting: &Resting,
        warnings: &mut Warnings,
        sweep: &mut SweepRecord,
        store: &mut Store,
    ) -> Result<Status, Failure> {
        let name = ending::name(step, sweep.varied);
        let settling = match sweep.steps.is_empty() {
            true => None,
            false => Some(resting.wait(self, &name)?),
        };
        if self.stops.stopped() {
            return Err(anyhow::anyhow!("interrupted").into());
        }
        let (taken, planned) = (sweep.steps.len() + 1, sweep.planned.len());
        let before = format!("{}{name} ({taken} of {planned}): ", self.before);
        let record = self.step(bench, step, store, Shown::Bar(&before))?;
        let kept = saving::keep(store, &record);
        let reported = saving::report(None, &record, self.paths);
        run::say_troubles(&reported, &kept, self.output);
        let mut warned = record.warnings.clone();
        if let Some(settling) = settling.as_ref().filter(|settling| !settling.settled) {
            warned.push(format!("The server had not come to rest before. {}", settling.words));
        }
        warnings.take(&name, &warned);
        sweep.warnings = warnings.all();
        let figures = report::text::figures(&record);
        self.output.note(&format!("{name}: {figures} (run {})", record.id));
        sweep.steps.push(SweepStep::of(&record, step.rate_per_s, settling));
        let judged = !bench.judges() || record.check.is_some();
        Ok(run::status(&record, kept.is_ok() && reported.is_ok() && judged))
    }

    fn finish(&self, sweep: SweepRecord, worst: Status, store: &mut Store) -> Measured {
        let kept = saving::keep_sweep(store, &sweep);
        let reported = saving::sweep_report(self.pacing.report.as_deref(), &sweep, self.paths);
        let whole = sweep.status == RunStatus::Complete && kept.is_ok() && reported.is_ok();
        let status = if whole { worst } else { worse(worst, Status::NotDone) };
        Measured { what: Whole::Sweep(Box::new(sweep)), reported, kept, status }
    }

    /// The record of a sweep that has not begun.
    fn planned(&self, bench: &dyn Bench, steps: &[Step]) -> Result<SweepRecord, Failure> {
        let start = SystemTime::now();
        let varied = if self.pacing.rate.len() > 1 { Varied::Rate } else { Varied::Connections };
        let value = |step: &Step| match varied {
            Varied::Connections => f64::from(step.connections),
            Varied::Rate => step.rate_per_s.unwrap_or_default(),
        };
        let failed = || "asking the server what it is";
        let mut settings = self.settings.clone();
        settings.extend(bench.settings());
        settings.extend(self.pacing.sweep_settings());
        Ok(SweepRecord {
            schema: SWEEP_SCHEMA.into(),
            id: format!("sweep-{}", recording::run_id(start, rand::rng().next_u32())),
            label: self.pacing.label.clone(),
            started_at: recording::rfc3339(start),
            status: RunStatus::Partial { reason: "myrig did not live to see its end".into() },
            ended: "myrig did not live to see its end.".into(),
            workload: bench.facts(),
            settings,
            server: block_on(facts::server(self.target))?.with_context(failed)?,
            host: facts::host(Path::new("/"), self.target),
            client_version: env!("CARGO_PKG_VERSION").into(),
            varied,
            planned: steps.iter().map(value).collect(),
            steps: Vec::new(),
            peak: None,
            knee: None,
            warnings: Vec::new(),
        })
    }
}

/// A bad answer is worse than one that could not be had in full.
pub(crate) fn worse(a: Status, b: Status) -> Status {
    let rank = |status: Status| match status {
        Status::Good | Status::Of(0) => 0,
        Status::NotDone | Status::Of(_) => 1,
        Status::Usage => 2,
        Status::Bad => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_a_sweep_s_steps_is_its_status() {
        assert_eq!(worse(Status::Good, Status::NotDone), Status::NotDone);
        assert_eq!(worse(Status::NotDone, Status::Good), Status::NotDone);
        assert_eq!(worse(Status::NotDone, Status::Bad), Status::Bad);
        assert_eq!(worse(Status::Bad, Status::NotDone), Status::Bad);
    }
}
