//! The course of an experiment: trial after trial, and its end.

use super::{
    capability, conclusion,
    duet::Duet,
    holdings::Holdings,
    load::Asker,
    stand::Stand,
    trial::{Taken, Trial, of_fault},
};
use crate::{
    failure::{Failure, Status},
    interrupt,
    live::{Begin, End, Event, Feed, Kind, State},
    output::Output,
    paths::Paths,
    run::Stops,
    serve,
    sweep::worse,
};
use lab::{
    experiment::{DataSet, ExperimentRecord, Scheduled, TrialRecord, Variant, data_sets, schedule},
    record::RunStatus,
    store::Store,
};
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// How an experiment is ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manner {
    /// Where the HTML report goes; none for the home.
    pub(crate) report: Option<PathBuf>,
    /// Whether its servers and snapshots stay.
    pub(crate) keep: bool,
}

/// An experiment under way.
pub(super) struct Course<'a> {
    record: ExperimentRecord,
    store: Store,
    stand: Stand<'a>,
    paths: &'a Paths,
    output: &'a Output,
    feed: Feed,
}

impl<'a> Course<'a> {
    /// The course of an experiment from where its record is.
    ///
    /// # Errors
    /// The home cannot be told.
    pub(super) fn new(
        record: ExperimentRecord,
        store: Store,
        holdings: Holdings,
        paths: &'a Paths,
        output: &'a Output,
    ) -> Result<Self, Failure> {
        let (id, title) = (&record.id, &record.experiment.title);
        let begin = Begin::of(Kind::Experiment, id, title, &record.started_at);
        let feed = Feed::begin(paths.home(), Begin { label: record.label.clone(), ..begin });
        if let Some(link) = serve::link(paths.home(), id) {
            output.note(&format!("live: {link}"));
        }
        let stand = Stand::new(holdings, paths, output)?;
        Ok(Self { record, store, stand, paths, output, feed })
    }

    /// What is left of it, and its end.
    ///
    /// # Errors
    /// What kept it from going on; what there is is kept.
    pub(super) fn run(mut self, manner: &Manner) -> Result<Status, Failure> {
        let stops = Stops::default();
        let stopping = stops.clone();
        interrupt::watch(move || stopping.stop())?;
        let mut variants = capability::variants(self.paths, self.stand.holdings.dir(), self.output);
        // What a killed process has left running or changed.
        self.stand.stop_all()?;
        capability::put_back(&mut variants).map_err(of_fault)?;
        let begun = Instant::now();
        let before_s = self.record.took_s;
        let outcome =
            self.trials(&stops, &mut variants, &|| before_s + begun.elapsed().as_secs_f64());
        self.record.took_s = before_s + begun.elapsed().as_secs_f64();
        match outcome {
            Ok(worst) => self.end(worst, manner),
            Err(failure) => Err(self.broken_off(failure)),
        }
    }

    /// Takes the trials that are not in the record yet; the worst status of all.
    fn trials(
        &mut self,
        stops: &Stops,
        variants: &mut [Box<dyn Variant>],
        took_s: &dyn Fn() -> f64,
    ) -> Result<Status, Failure> {
        let schedule = schedule(&self.record.experiment);
        // A bad check among those taken before an interruption counts as much as one of now.
        let is_bad = |trial: &TrialRecord| trial.check_good == Some(false);
        let mut worst = match self.record.trials.iter().any(is_bad) {
            true => Status::Bad,
            false => Status::Good,
        };
        // The two of a duet are taken together, any other trial alone.
        for together in schedule.chunk_by(|a, b| a.pair.is_some() && a.pair == b.pair) {
            let is_taken = |scheduled: &Scheduled| {
                self.record.trials.iter().any(|trial| trial.number == scheduled.number)
            };
            if together.iter().all(is_taken) {
                continue;
            }
            let taken = self.take(together, stops, variants)?;
            for trial in &taken {
                if let RunStatus::Partial { reason } = &trial.record.status {
                    // Its run is in the store for whoever wants to look; it is taken again.
                    return Err(anyhow::anyhow!("trial {}: {reason}", trial.record.number).into());
                }
            }
            worst = taken.iter().fold(worst, |worst, trial| worse(worst, trial.status));
            self.keep(taken, took_s())?;
        }
        Ok(worst)
    }

    /// Takes one trial, or the two of a duet.
    fn take(
        &mut self,
        together: &[Scheduled],
        stops: &Stops,
        variants: &mut [Box<dyn Variant>],
    ) -> Result<Vec<Taken>, Failure> {
        let experiment = self.record.experiment.clone();
        let sets = data_sets(&experiment);
        let id = self.record.id.clone();
        let asker = Asker { stops, paths: self.paths, output: self.output };
        let mut trials = Vec::new();
        for scheduled in together {
            let Scheduled { number, variant, .. } = scheduled;
            let gone = || anyhow::anyhow!("the variant {variant} is not in the file");
            let arm = experiment.arm(variant).ok_or_else(gone)?;
            let of_arm = |set: &&DataSet| set.variants.contains(variant);
            let set = sets.iter().find(of_arm).ok_or_else(gone)?;
            let first = set.variants.first().and_then(|name| experiment.arm(name)).unwrap_or(arm);
            let planned = self.record.planned;
            self.tell(scheduled);
            self.stand.provide(set, first)?;
            let (experiment, id, before) =
                (&experiment, &id, format!("{number}/{planned} {variant}: "));
            trials.push(Trial { scheduled, experiment, id, arm, set, before, asker });
        }
        match <[Trial<'_>; 2]>::try_from(trials) {
            Ok(both) => Ok(Duet(both).take(&mut self.stand, variants)?.into()),
            Err(alone) => alone.iter().map(|trial| trial.take(&mut self.stand, variants)).collect(),
        }
    }

    /// Says which trial begins, and what is left by those that have been taken.
    fn tell(&mut self, scheduled: &Scheduled) {
        let Scheduled { number, variant, .. } = scheduled;
        let (planned, taken) = (self.record.planned, &self.record.trials);
        let mean_s = taken.iter().map(|trial| trial.took_s).sum::<f64>() / taken.len() as f64;
        let left_s = mean_s * f64::from(planned + 1 - number);
        let left_s = left_s.is_finite().then_some(left_s);
        let left = left_s.map_or_else(String::new, |left_s| {
            let left = humantime::format_duration(Duration::from_secs(left_s as u64));
            format!(", about {left} left")
        });
        self.output.note(&format!("trial {number} of {planned}: {variant}{left}"));
        let (step, of, name, run) = (*number, planned, variant.clone(), None);
        self.feed.tell(&Event::Progress { step, of, name, left_s, run });
    }

    /// Puts trials into the record, and what follows from them.
    fn keep(&mut self, taken: Vec<Taken>, took_s: f64) -> Result<(), Failure> {
        for Taken { record, server, workload, .. } in taken {
            let mut variants = self.record.variants.iter_mut();
            if let Some(variant) = variants.find(|variant| variant.name == record.variant) {
                variant.server.get_or_insert(server);
                variant.workload.get_or_insert(workload);
            }
            let TrialRecord { number, variant, figures, run, .. } = &record;
            let figures = report::text::figures_of(figures);
            self.output.note(&format!("trial {number}: {variant}: {figures} (run {run})"));
            self.record.trials.push(record);
        }
        self.record.took_s = took_s;
        conclusion::draw(&mut self.record, &self.store)?;
        Ok(self.store.save_experiment(&self.record)?)
    }

    /// All trials are taken: the verdict, the report, and nothing left behind.
    fn end(mut self, worst: Status, manner: &Manner) -> Result<Status, Failure> {
        self.record.status = RunStatus::Complete;
        self.store.save_experiment(&self.record)?;
        let trials = conclusion::trials(&self.record, &self.store)?;
        let page = report::experiment::html(&self.record, &trials)?;
        let path = manner.report.clone().unwrap_or_else(|| self.paths.report(&self.record.id));
        let reported = std::fs::write(&path, page);
        if self.output.json() {
            self.output.write(&lab::experiment::json(&self.record)?)?;
        } else {
            let style = self.output.style();
            self.output.write(&report::experiment::text(&self.record, &trials, style))?;
        }
        match &reported {
            Ok(()) => self.output.note(&format!("report: {}", path.display())),
            Err(error) => {
                let path = path.display();
                self.output.note(&format!("myrig: writing the report {path} (--report): {error}"));
            }
        }
        if manner.keep {
            let kept = self.stand.holdings.instances().join(", ");
            self.output.note(&format!("kept: {kept}; `myrig run --cleanup` removes them"));
        } else {
            self.stand.remove_all()?;
            self.stand.close()?;
        }
        let (reason, figures) = (String::new(), vec![self.record.verdict]);
        self.feed.end(End { state: State::Complete, reason, figures });
        Ok(if reported.is_ok() { worst } else { worse(worst, Status::NotDone) })
    }

    /// What there is is kept; how to go on is said.
    fn broken_off(mut self, failure: Failure) -> Failure {
        self.record.status = RunStatus::Partial { reason: failure.to_string() };
        let id = &self.record.id;
        if let Err(error) = self.store.save_experiment(&self.record) {
            self.output.note(&format!("myrig: {id} could not be kept: {error}"));
        }
        self.output.note(&format!(
            "{} of {} trials are kept; `myrig run --resume` goes on, `myrig run --cleanup` removes \
             the servers and snapshots",
            self.record.trials.len(),
            self.record.planned
        ));
        let (reason, figures) = (failure.to_string(), Vec::new());
        self.feed.end(End { state: State::Partial, reason, figures });
        failure
    }
}
