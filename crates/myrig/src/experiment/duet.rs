//! A duet: two variants at the same time, each on its own half of the processors.
//!
//! What disturbs a shared machine disturbs both alike, so that their ratio stays steady where
//! either of them alone would not (L. Bulej et al., "Duet Benchmarking: Improving Measurement
//! Accuracy in the Cloud", ICPE 2020). They exchange their halves all the time
//! ([`super::exchange`]), so that a better half is nobody's gain. A half holds the server and the
//! threads that load it.

use super::{
    capability, exchange,
    load::Asker,
    options::{self, Load},
    stand::{Stand, target},
    trial::{Taken, Trial, of_fault},
};
use crate::{
    args::PacingArgs,
    connect::Server,
    failure::Failure,
    group::{Done, Member, SideBySide, only_step},
    oltp,
    recording::rfc3339,
    run::{self, Bench, Whole},
    tpcc, tprocc,
};
use client::Target;
use host::{CpuSet, Halves, Root, Topology};
use lab::experiment::Variant;
use serde::Serialize;
use server::{Instance, Status as State};
use std::time::{Instant, SystemTime};

/// Two trials that are taken at the same time, in the order of the variants.
pub(super) struct Duet<'a>(pub(super) [Trial<'a>; 2]);

impl Duet<'_> {
    /// Both of them, whatever comes of it with no server left and everything put back.
    ///
    /// # Errors
    /// Why they could not be taken.
    pub(super) fn take(
        &self,
        stand: &mut Stand<'_>,
        variants: &mut [Box<dyn Variant>],
    ) -> Result<[Taken; 2], Failure> {
        let begun = Instant::now();
        let mut instances = Vec::new();
        let mut remarks: [Vec<String>; 2] = Default::default();
        for (trial, remarks) in self.0.iter().zip(&mut remarks) {
            let (instance, took) = stand.restore(trial.set, trial.scheduled.half)?;
            remarks.push(format!("restored in {:.1} s", took.as_secs_f64()));
            instances.push(instance);
        }
        let outcome = self.on(stand, &mut instances, variants, &mut remarks);
        let mut stopped = Ok(());
        for instance in &mut instances {
            stopped = stopped.and(stand.stop(instance));
        }
        let put_back = capability::put_back(variants).map_err(of_fault);
        let mut taken = outcome?;
        stopped?;
        put_back?;
        for (taken, remarks) in taken.iter_mut().zip(remarks) {
            taken.record.remarks = remarks;
            // The two share it.
            taken.record.took_s = begun.elapsed().as_secs_f64() / 2.0;
        }
        Ok(taken)
    }

    fn on(
        &self,
        stand: &Stand<'_>,
        instances: &mut [Instance],
        variants: &mut [Box<dyn Variant>],
        remarks: &mut [Vec<String>; 2],
    ) -> Result<[Taken; 2], Failure> {
        let root = Root::real();
        let halves = Halves::of(&Topology::of(&root), &root).ok_or_else(|| {
            Failure::usage("repeat.order: a duet wants two processors at least; take `abba`")
        })?;
        let (mut cpus, mut began) = (Vec::new(), Vec::new());
        for (place, (trial, instance)) in self.0.iter().zip(&mut *instances).enumerate() {
            let number = usize::from(trial.scheduled.half.unwrap_or(place as u8)) % 2;
            let half = &halves.sets()[number];
            cpus.push(half.clone());
            began.push(number);
            // There is one host: the first of the two has it tuned.
            let alone = lab::experiment::spec::Arm { host: None, ..trial.arm.clone() };
            let arm = if place == 0 { trial.arm } else { &alone };
            trial.start(stand, instance, arm, Some(half), variants)?;
        }
        for ((trial, instance), remarks) in self.0.iter().zip(&*instances).zip(remarks) {
            remarks.push(trial.settle(instance)?);
        }
        let asker = self.0[0].asker;
        if asker.stops.stopped() {
            return Err(anyhow::anyhow!("interrupted").into());
        }
        let started_at = rfc3339(SystemTime::now());
        let servers: Vec<(u32, usize)> = instances
            .iter()
            .zip(began)
            .filter_map(|(it, began)| Some((process(it)?, began)))
            .collect();
        let (done, exchanges) =
            exchange::during(&halves, &servers, || self.load(instances, &cpus, asker))?;
        let mut store = asker.paths.store()?;
        let taken = self.0.iter().zip(done).zip(cpus).map(|((trial, mut done), cpus)| {
            done.record.label = trial.label();
            store.save(&done.record)?;
            let whole = Whole::Run(Box::new(done.record));
            let mut taken = trial.record(whole, done.status, started_at.clone());
            taken.record.cpus = Some(cpus.to_string());
            taken.record.exchanges = Some(exchanges);
            Ok::<_, Failure>(taken)
        });
        let taken: Vec<Taken> = taken.collect::<Result<_, _>>()?;
        taken.try_into().map_err(|_| anyhow::anyhow!("a half of the duet was not run").into())
    }

    /// Both loads, begun together.
    fn load(
        &self,
        instances: &[Instance],
        cpus: &[CpuSet],
        asker: Asker<'_>,
    ) -> Result<Vec<Done>, Failure> {
        let server = |instance: &Instance| {
            Ok::<_, Failure>(Server { target: target(instance)?, instance: Some(instance.clone()) })
        };
        let servers: Vec<Server> = instances.iter().map(server).collect::<Result<_, _>>()?;
        let mut loads = Vec::new();
        for ((trial, server), cpus) in self.0.iter().zip(&servers).zip(cpus) {
            let mut load = options::run_args(&trial.arm.workload)?;
            let (connection, pacing) = load.common();
            connection.instance = server.name().map(str::to_owned).into_iter().collect();
            pacing.client_cpus = Some(cpus.clone());
            loads.push(load);
        }
        let stops = asker.stops;
        match loads.as_slice() {
            [Load::Tpcc(a), Load::Tpcc(b)] => {
                let bench = |args: &_, target: &Target| tpcc::run::bench(args, target, stops);
                together([(a.as_ref(), &a.pacing), (b.as_ref(), &b.pacing)], &servers, asker, bench)
            }
            [Load::Tprocc(a), Load::Tprocc(b)] => {
                let bench = |args: &_, target: &Target| tprocc::run::bench(args, target, stops);
                together([(a.as_ref(), &a.pacing), (b.as_ref(), &b.pacing)], &servers, asker, bench)
            }
            [Load::Oltp(a), Load::Oltp(b)] => {
                let bench = |args: &_, target: &Target| oltp::run::bench(args, target, stops);
                together([(a.as_ref(), &a.pacing), (b.as_ref(), &b.pacing)], &servers, asker, bench)
            }
            _ => Err(Failure::usage("repeat.order: a duet wants the same workload on both sides")),
        }
    }
}

fn together<A: Serialize, B: Bench>(
    asked: [(&A, &PacingArgs); 2],
    servers: &[Server],
    asker: Asker<'_>,
    bench: impl Fn(&A, &Target) -> Result<B, Failure>,
) -> Result<Vec<Done>, Failure> {
    let Asker { stops, paths, output } = asker;
    let step = only_step(asked[0].1)?;
    let sides = || asked.into_iter().zip(servers);
    let benches = sides().map(|((args, _), server)| bench(args, &server.target));
    let mut benches: Vec<B> = benches.collect::<Result<_, _>>()?;
    let mut members = Vec::new();
    for (((args, pacing), server), bench) in sides().zip(&mut benches) {
        let settings = run::settings(args, &server.target, server.name())?;
        members.push(Member { server, pacing: pacing.clone(), settings, bench });
    }
    SideBySide { step, stops, began: None, paths, output }.run(&mut members)
}

/// The process of a server that runs.
fn process(instance: &Instance) -> Option<u32> {
    match instance.status() {
        State::Running(serving) => Some(serving.pid),
        _ => None,
    }
}
