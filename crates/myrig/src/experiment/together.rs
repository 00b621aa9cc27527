//! A trial that lays its data out anew: on a file system made for it, for one server or for
//! several that are loaded at the same time.
//!
//! The order is that of the published procedure: the file system, what decides where writes go,
//! the data, the servers, the load. Afterwards nothing of it is left.

use super::{
    capability::{self, Asked, storage},
    load::Asker,
    options::{self, Load},
    stand::{Stand, target},
    trial::{Taken, Trial, of_fault},
};
use crate::{
    args::PacingArgs,
    connect::Server,
    failure::{Failure, Status},
    group::{Done, Member, SideBySide, only_step, shared},
    oltp,
    recording::{self, rfc3339},
    run::{self, Bench, Whole, saving},
    sweep::worse,
    tpcc, tprocc,
};
use client::Target;
use lab::{
    experiment::{Ground, Served, Variant, spec::Arm},
    record::{Figure, RunRecord},
};
use rand::Rng;
use serde::Serialize;
use server::{Instance, InstanceName};
use std::{
    path::{Path, PathBuf},
    sync::mpsc,
    time::{Duration, Instant, SystemTime},
};

/// Whether a variant's trials are taken this way.
pub(super) fn is_wanted(arm: &Arm) -> bool {
    arm.instances() > 1 || arm.others.contains_key(storage::KEY)
}

/// The whole of it. Whatever comes of it, no server runs any more, and file systems and whatever
/// else a variant has changed are put back.
///
/// # Errors
/// Why it could not be taken.
pub(super) fn take(
    trial: &Trial<'_>,
    stand: &mut Stand<'_>,
    variants: &mut [Box<dyn Variant>],
) -> Result<Taken, Failure> {
    let begun = Instant::now();
    let dir = storage::mount_point(stand.holdings.dir());
    let mut places = Vec::new();
    for number in 0..trial.arm.instances() {
        let name = stand.place(trial.set, number)?;
        places.push((dir.join(name.as_str()), name));
    }
    let mut measurements = Asked::of(trial.experiment).map_err(of_fault)?;
    let mut remarks = Vec::new();
    let scene = Scene { trial, dir: &dir, places: &places };
    let outcome = scene.play(stand, variants, &mut measurements, &mut remarks);
    measurements.give_up();
    let cleared = places.iter().try_for_each(|(_, name)| stand.clear(name));
    let put_back = capability::put_back(variants).map_err(of_fault);
    let mut taken = outcome?;
    cleared?;
    put_back?;
    taken.record.remarks = remarks;
    taken.record.took_s = begun.elapsed().as_secs_f64();
    Ok(taken)
}

/// A trial and where it takes place.
struct Scene<'a> {
    trial: &'a Trial<'a>,
    /// Where the file system is mounted.
    dir: &'a Path,
    /// Where the data of each instance lies, and its name.
    places: &'a [(PathBuf, InstanceName)],
}

impl Scene<'_> {
    fn play(
        &self,
        stand: &mut Stand<'_>,
        variants: &mut [Box<dyn Variant>],
        measurements: &mut Asked,
        remarks: &mut Vec<String>,
    ) -> Result<Taken, Failure> {
        let trial = self.trial;
        for (_, name) in self.places {
            stand.clear(name)?;
        }
        self.before_data(variants, measurements)?;
        let mut instances = Vec::new();
        let mut restored = Duration::ZERO;
        for (data, name) in self.places {
            let (instance, took) = stand.restore_anew(trial.set, name, data)?;
            restored += took;
            instances.push(instance);
        }
        remarks.push(format!("restored in {:.1} s", restored.as_secs_f64()));
        // There is one host: the first has it tuned.
        let alone = Arm { host: None, ..trial.arm.clone() };
        for (number, instance) in instances.iter_mut().enumerate() {
            let arm = if number == 0 { trial.arm } else { &alone };
            trial.start(stand, instance, arm, None, variants)?;
        }
        remarks.push(storage::filled(self.dir).map_err(of_fault)?);
        for instance in &instances {
            let rest = trial.settle(instance)?;
            if !remarks.contains(&rest) {
                remarks.push(rest);
            }
        }
        if trial.asker.stops.stopped() {
            return Err(anyhow::anyhow!("interrupted").into());
        }
        let served = Served { arm: trial.arm, instances: &instances, began: None };
        measurements.begin(&served).map_err(of_fault)?;
        let started_at = rfc3339(SystemTime::now());
        let (done, began) = self.load(&instances)?;
        remarks.push(format!("after the load {}", storage::filled(self.dir).map_err(of_fault)?));
        let served = Served { began, ..served };
        self.record(done, &served, measurements, started_at)
    }

    fn before_data(
        &self,
        variants: &mut [Box<dyn Variant>],
        measurements: &mut Asked,
    ) -> Result<(), Failure> {
        let data_dirs: Vec<PathBuf> = self.places.iter().map(|(data, _)| data.clone()).collect();
        let ground = Ground { arm: self.trial.arm, dir: self.dir, data_dirs: &data_dirs };
        variants.iter_mut().try_for_each(|it| it.before_data(&ground)).map_err(of_fault)?;
        measurements.before_data(&ground).map_err(of_fault)
    }

    /// All loads, begun together, and when.
    fn load(&self, instances: &[Instance]) -> Result<(Vec<Done>, Option<Instant>), Failure> {
        let trial = self.trial;
        let mut load = options::run_args(&trial.arm.workload)?;
        let (connection, pacing) = load.common();
        connection.instance.clear();
        pacing.label = trial.label();
        pacing.no_watch |= trial.experiment.measure.get(capability::WATCH) == Some(&false.into());
        *pacing = shared(pacing, instances.len())?;
        let server = |instance: &Instance| {
            Ok::<_, Failure>(Server { target: target(instance)?, instance: Some(instance.clone()) })
        };
        let servers: Vec<Server> = instances.iter().map(server).collect::<Result<_, _>>()?;
        let (stops, asker) = (trial.asker.stops, trial.asker);
        match &load {
            Load::Tpcc(args) => {
                let bench = |target: &Target| tpcc::run::bench(args, target, stops);
                side_by_side(args.as_ref(), &args.pacing, &servers, asker, bench)
            }
            Load::Tprocc(args) => {
                let bench = |target: &Target| tprocc::run::bench(args, target, stops);
                side_by_side(args.as_ref(), &args.pacing, &servers, asker, bench)
            }
            Load::Oltp(args) => {
                let bench = |target: &Target| oltp::run::bench(args, target, stops);
                side_by_side(args.as_ref(), &args.pacing, &servers, asker, bench)
            }
        }
    }

    /// The runs as one, with what the measurements have to add, kept.
    fn record(
        &self,
        done: Vec<Done>,
        served: &Served<'_>,
        measurements: &mut Asked,
        started_at: String,
    ) -> Result<Taken, Failure> {
        let status = done.iter().fold(Status::Good, |worst, one| worse(worst, one.status));
        let runs: Vec<RunRecord> = done.into_iter().map(|one| one.record).collect();
        let none = || anyhow::anyhow!("no server was loaded");
        let mut run = lab::group::merged(&runs).ok_or_else(none)?;
        run.id = recording::run_id(SystemTime::now(), rand::rng().next_u32());
        run.settings.insert("instances".into(), runs.len().into());
        if runs.len() > 1 {
            run.headline.extend(runs.iter().enumerate().filter_map(of_member));
        }
        measurements.end(served, &mut run);
        let paths = self.trial.asker.paths;
        saving::keep(&mut paths.store()?, &run).map_err(|words| anyhow::anyhow!(words))?;
        saving::report(None, &run, paths)?;
        let mut taken = self.trial.record(Whole::Run(Box::new(run)), status, started_at);
        taken.record.members = runs.into_iter().map(|run| run.id).collect();
        Ok(taken)
    }
}

/// The first figure of a member among those of all: so that a gain of one at the cost of another
/// is seen. Its unit is not that of a rate, whose seconds would be taken for all servers'.
fn of_member((number, run): (usize, &RunRecord)) -> Option<Figure> {
    let figure = run.headline.first()?;
    let name = format!("{}, server {}", figure.name, number + 1);
    Some(Figure { name, unit: figure.unit.replacen("1/", "/", 1), ..figure.clone() })
}

fn side_by_side<A: Serialize, B: Bench>(
    args: &A,
    pacing: &PacingArgs,
    servers: &[Server],
    asker: Asker<'_>,
    bench: impl Fn(&Target) -> Result<B, Failure>,
) -> Result<(Vec<Done>, Option<Instant>), Failure> {
    let Asker { stops, paths, output } = asker;
    let step = only_step(pacing)?;
    let benches = servers.iter().map(|server| bench(&server.target));
    let mut benches: Vec<B> = benches.collect::<Result<_, _>>()?;
    let mut members = Vec::new();
    for (server, bench) in servers.iter().zip(&mut benches) {
        let settings = run::settings(args, &server.target, server.name())?;
        members.push(Member { server, pacing: pacing.clone(), settings, bench });
    }
    let (began, hears) = mpsc::channel();
    let group = SideBySide { step, stops, began: Some(began), paths, output };
    let done = group.run(&mut members)?;
    Ok((done, hears.try_iter().min()))
}
