//! One trial: the data restored, the server started and settled, the load put on, the data
//! checked, the server stopped, everything put back.

use super::{
    capability::{self, Asked},
    load::Asker,
    options, pages,
    stand::{Stand, target},
    together,
};
use crate::{
    connect::Server,
    failure::{Failure, Status},
    recording::rfc3339,
    run::{Measured, Whole, saving},
    runtime::block_on,
};
use host::{CpuSet, Placement};
use lab::{
    experiment::{
        DataSet, Experiment, Fault, Scheduled, Served, Stage, TrialRecord, Variant, spec::Arm,
    },
    record::{RunRecord, RunStatus, ServerFacts, WorkloadFacts},
};
use server::{
    Change, Instance, StartOptions,
    settle::{PoolFilled, Rest},
};
use std::{
    slice,
    time::{Duration, Instant, SystemTime},
};

/// How long a server that has just been started may take to come to rest.
const SETTLE_WITHIN: Duration = Duration::from_secs(300);

/// A trial that is about to be taken.
pub(super) struct Trial<'a> {
    /// Its place in the plan.
    pub(super) scheduled: &'a Scheduled,
    /// The experiment that it is part of.
    pub(super) experiment: &'a Experiment,
    /// The experiment's id, which labels its runs.
    pub(super) id: &'a str,
    /// The variant.
    pub(super) arm: &'a Arm,
    /// Its data.
    pub(super) set: &'a DataSet,
    /// Words before those of progress bars.
    pub(super) before: String,
    /// Who asks for it, and who watches.
    pub(super) asker: Asker<'a>,
}

/// What a trial came to.
pub(super) struct Taken {
    /// For the experiment's record.
    pub(super) record: TrialRecord,
    /// The server as it was.
    pub(super) server: ServerFacts,
    /// The workload as it was.
    pub(super) workload: WorkloadFacts,
    /// What the trial's run is worth.
    pub(super) status: Status,
}

impl Trial<'_> {
    /// The whole of it. Whatever comes of it, its server does not run any more and what its
    /// variant has changed is put back.
    ///
    /// # Errors
    /// Why it could not be taken.
    pub(super) fn take(
        &self,
        stand: &mut Stand<'_>,
        variants: &mut [Box<dyn Variant>],
    ) -> Result<Taken, Failure> {
        if self.arm.is_at_rest() {
            return pages::trial::take(self, stand, variants);
        }
        if together::is_wanted(self.arm) {
            return together::take(self, stand, variants);
        }
        let begun = Instant::now();
        let (mut instance, restored) = stand.restore(self.set, None)?;
        let mut remarks = vec![format!("restored in {:.1} s", restored.as_secs_f64())];
        let outcome = self.on(stand, &mut instance, variants, &mut remarks);
        let stopped = stand.stop(&mut instance);
        let put_back = capability::put_back(variants).map_err(of_fault);
        let mut taken = outcome?;
        stopped?;
        put_back?;
        taken.record.remarks = remarks;
        taken.record.took_s = begun.elapsed().as_secs_f64();
        Ok(taken)
    }

    /// Everything between restoring and stopping.
    fn on(
        &self,
        stand: &Stand<'_>,
        instance: &mut Instance,
        variants: &mut [Box<dyn Variant>],
        remarks: &mut Vec<String>,
    ) -> Result<Taken, Failure> {
        self.start(stand, instance, self.arm, None, variants)?;
        remarks.push(self.settle(instance)?);
        if self.asker.stops.stopped() {
            return Err(anyhow::anyhow!("interrupted").into());
        }
        let served = Served { arm: self.arm, instances: slice::from_ref(instance), began: None };
        let mut measurements = Asked::of(self.experiment).map_err(of_fault)?;
        measurements.begin(&served).map_err(of_fault)?;
        let started_at = rfc3339(SystemTime::now());
        let measured = self.load(instance);
        let taken = measured.and_then(|mut measured| {
            self.add(&mut measurements, &served, &mut measured)?;
            measured.tell_troubles(self.asker.output);
            Ok(self.record(measured.what, measured.status, started_at))
        });
        measurements.give_up();
        taken
    }

    /// The server as the variant wants it, running; on those processors where they are given.
    ///
    /// # Errors
    /// A capability could not do its part, or the server does not start.
    pub(super) fn start(
        &self,
        stand: &Stand<'_>,
        instance: &mut Instance,
        arm: &Arm,
        cpus: Option<&CpuSet>,
        variants: &mut [Box<dyn Variant>],
    ) -> Result<(), Failure> {
        let (mut change, mut start) = (Change::default(), StartOptions::default());
        let stage =
            &mut Stage { arm, instance: &*instance, change: &mut change, start: &mut start };
        capability::set(variants, stage).map_err(of_fault)?;
        if cpus.is_some() {
            change.placement = Some(Placement { cpus: cpus.cloned(), memory: None });
        }
        instance.change(&change)?;
        stand.start_with(instance, start)?;
        let served = Served { arm, instances: slice::from_ref(instance), began: None };
        variants.iter_mut().try_for_each(|it| it.after_start(&served)).map_err(of_fault)
    }

    /// Waits until the server does nothing of its own any more; how that went.
    ///
    /// # Errors
    /// The server went away.
    pub(super) fn settle(&self, instance: &Instance) -> Result<String, Failure> {
        let target = target(instance)?;
        let settling = self.asker.output.spinner("waiting for the server to rest");
        let stopped = || self.asker.stops.stopped();
        let waited = block_on(async {
            let filled = PoolFilled::wait(&target, SETTLE_WITHIN, stopped).await?;
            let rest = Rest::of(&target).await?;
            Ok::<_, client::Error>((filled, rest.wait(SETTLE_WITHIN, stopped, |_| {}).await?))
        });
        settling.finish_and_clear();
        let (filled, rest) = waited??;
        Ok(match filled.is_over {
            true => rest.to_string(),
            false => format!("The buffer pool was still being filled: {}. {rest}", filled.words),
        })
    }

    fn load(&self, instance: &Instance) -> Result<Measured, Failure> {
        let mut load = options::run_args(&self.arm.workload)?;
        let (connection, pacing) = load.common();
        connection.instance = vec![instance.name().as_str().to_owned()];
        pacing.label = self.label();
        pacing.no_watch |= self.experiment.measure.get(capability::WATCH) == Some(&false.into());
        let server = Server { target: target(instance)?, instance: Some(instance.clone()) };
        load.measure(&server, &self.before, self.asker)
    }

    /// What the measurements have to add goes into the run, which is then kept anew.
    fn add(
        &self,
        measurements: &mut Asked,
        served: &Served<'_>,
        measured: &mut Measured,
    ) -> Result<(), Failure> {
        if measurements.is_empty() {
            return Ok(());
        }
        let mut store = self.asker.paths.store()?;
        match &mut measured.what {
            Whole::Run(run) => {
                measurements.end(served, run);
                measured.kept = saving::keep(&mut store, run);
                measured.reported = saving::report(None, run, self.asker.paths);
            }
            // A figure of a whole sweep belongs to its last step, after which it was taken.
            Whole::Sweep(sweep) => {
                let Some(step) = sweep.steps.last_mut() else { return Ok(()) };
                let mut run = store.load(&step.run)?;
                measurements.end(served, &mut run);
                step.headline.clone_from(&run.headline);
                measured.kept = saving::keep(&mut store, &run)
                    .and_then(|()| saving::keep_sweep(&mut store, sweep));
            }
        }
        Ok(())
    }

    /// What its runs are called in the store.
    pub(super) fn label(&self) -> String {
        format!("{} {}", self.id, self.arm.name)
    }

    /// What it came to.
    pub(super) fn record(&self, whole: Whole, status: Status, started_at: String) -> Taken {
        let Scheduled { number, variant, round, pair, .. } = self.scheduled.clone();
        let mut record = TrialRecord {
            number,
            variant,
            round,
            pair,
            cpus: None,
            exchanges: None,
            run: String::new(),
            members: Vec::new(),
            sweep: None,
            started_at,
            status: RunStatus::Complete,
            check_good: None,
            figures: Vec::new(),
            steady_from_s: None,
            remarks: Vec::new(),
            took_s: 0.0,
        };
        let (server, workload) = match whole {
            Whole::Run(run) => {
                record.take_run(&run);
                let RunRecord { server, workload, .. } = *run;
                (server, workload)
            }
            Whole::Sweep(sweep) => {
                record.take_sweep(&sweep);
                (sweep.server, sweep.workload)
            }
        };
        Taken { record, server, workload, status }
    }
}

pub(super) fn of_fault(fault: Fault) -> Failure {
    anyhow::anyhow!("{fault}").into()
}
