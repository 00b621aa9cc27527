//! Groups: the same load on several instances at the same time.
//!
//! Each instance gets a run of its own, on threads of its own; they begin together, when the
//! connections of all are open. What they came to is kept as a group beside the runs.

use crate::{
    args::PacingArgs,
    connect::Server,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    recording,
    run::{self, Bench, Run, Settings, Shown, Step, Stops, plan, saving},
    sweep::worse,
};
use indicatif::MultiProgress;
use lab::{
    group::{GROUP_SCHEMA, GroupMember, GroupRecord},
    record::{RunRecord, RunStatus},
    sweep::SweepStep,
};
use rand::Rng;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::SystemTime,
};
use tokio::sync::Barrier;

/// One instance and what is run on it.
pub(crate) struct Member<'a, B> {
    /// Where the load goes.
    pub(crate) server: &'a Server,
    /// What was typed, as for a run on it alone.
    pub(crate) settings: Settings,
    /// The workload on its data.
    pub(crate) bench: B,
}

/// A group that is about to be run.
pub(crate) struct Group<'a> {
    /// How the load is put on each.
    pub(crate) pacing: &'a PacingArgs,
    /// Its connections and its rate.
    pub(crate) step: Step,
    /// What was typed, for all.
    pub(crate) settings: Settings,
    /// What ends all of them early.
    pub(crate) stops: &'a Stops,
    /// Where runs and reports go.
    pub(crate) paths: &'a Paths,
    /// Who watches.
    pub(crate) output: &'a Output,
}

/// What is set for the runs of a group: one thing.
///
/// # Errors
/// A list was given, which would make a sweep.
pub(crate) fn only_step(pacing: &PacingArgs) -> Result<Step, Failure> {
    match plan::steps(pacing)?[..] {
        [step] => Ok(step),
        _ => Err(Failure::usage(
            "--instance: a sweep takes one instance; give --connections and --rate one value",
        )),
    }
}

/// What a member's run came to, and whether it could be kept.
struct Done {
    record: RunRecord,
    status: Status,
}

impl Group<'_> {
    /// Runs on all members, keeps what they came to, and tells it.
    ///
    /// # Errors
    /// What kept one of them from beginning; the others are then not run either.
    pub(crate) fn carry_out<B: Bench + Send>(
        &self,
        members: &mut [Member<'_, B>],
    ) -> Result<Status, Failure> {
        let step = self.step;
        let pacing = self.shared(members.len())?;
        for Member { bench, server, .. } in members.iter() {
            let connections = step.connections + u32::from(!bench.questions().is_empty());
            bench.preflight(connections).map_err(|failure| failure.at(name(server)))?;
        }
        let start = SystemTime::now();
        let done = self.side_by_side(members, &pacing, step)?;
        let runs: Vec<RunRecord> = done.iter().map(|done| done.record.clone()).collect();
        let group = self.record(members, &runs, start);
        let worst = done.iter().fold(Status::Good, |worst, done| worse(worst, done.status));
        self.finish(&group, &runs, worst)
    }

    /// The pacing of each, with its share of the threads that a load alone would have.
    fn shared(&self, members: usize) -> Result<PacingArgs, Failure> {
        let processors = match &self.pacing.client_cpus {
            Some(cpus) => cpus.len(),
            None => thread::available_parallelism()?.get() / 2,
        };
        let threads = (processors / members).clamp(1, 16) as u32;
        let mut pacing = self.pacing.clone();
        pacing.threads.get_or_insert(threads);
        Ok(pacing)
    }

    fn side_by_side<B: Bench + Send>(
        &self,
        members: &mut [Member<'_, B>],
        pacing: &PacingArgs,
        step: Step,
    ) -> Result<Vec<Done>, Failure> {
        let threads = plan::load_options(pacing, step, 0)?.threads as usize;
        let gate = Arc::new(Barrier::new(threads * members.len()));
        let bars = self.output.bars();
        // Who fails first tells why; the others are only stopped by it.
        let first_to_fail = AtomicUsize::new(usize::MAX);
        let outcomes: Vec<Result<Done, Failure>> = thread::scope(|scope| {
            let begun = members.iter_mut().enumerate().map(|(place, member)| {
                let (gate, bars, first) = (Arc::clone(&gate), &bars, &first_to_fail);
                scope.spawn(move || {
                    let done = self.one(member, pacing, step, gate, bars);
                    done.inspect_err(|_| {
                        let order = Ordering::Relaxed;
                        let _ = first.compare_exchange(usize::MAX, place, order, order);
                        self.stops.stop();
                    })
                })
            });
            let begun: Vec<_> = begun.collect();
            let joined = begun.into_iter().map(|thread| thread.join());
            joined.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        let first = first_to_fail.into_inner();
        let mut done = Vec::new();
        for (place, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                Ok(one) => done.push(one),
                Err(failure) if place == first => {
                    return Err(failure.at(name(members[place].server)));
                }
                Err(_stopped_by_it) => {}
            }
        }
        Ok(done)
    }

    fn one<B: Bench>(
        &self,
        member: &mut Member<'_, B>,
        pacing: &PacingArgs,
        step: Step,
        gate: Arc<Barrier>,
        bars: &MultiProgress,
    ) -> Result<Done, Failure> {
        let output = self.output.without_progress();
        let run = Run {
            pacing,
            settings: member.settings.clone(),
            target: &member.server.target,
            instance: member.server.instance.as_ref(),
            stops: self.stops,
            paths: self.paths,
            output: &output,
            gate: Some(gate),
            before: "",
        };
        let mut store = self.paths.store()?;
        let before = format!("{}: ", name(member.server));
        let record = run.step(&mut member.bench, step, &mut store, Shown::Among(bars, &before))?;
        let kept = saving::keep(&mut store, &record);
        let reported = saving::report(None, &record, self.paths);
        let troubles =
            [kept.as_ref().err().cloned(), reported.as_ref().err().map(ToString::to_string)];
        for words in troubles.iter().flatten() {
            self.output.note(&format!("myrig: {words}"));
        }
        let judged = !member.bench.judges() || record.check.is_some();
        let status = run::status(&record, kept.is_ok() && reported.is_ok() && judged);
        Ok(Done { record, status })
    }

    fn record<B: Bench>(
        &self,
        members: &[Member<'_, B>],
        runs: &[RunRecord],
        start: SystemTime,
    ) -> GroupRecord {
        let member = |(member, run): (&Member<'_, B>, &RunRecord)| {
            let name = name(member.server).to_owned();
            GroupMember { name, server: run.server.clone(), run: SweepStep::of(run, None, None) }
        };
        let mut group = GroupRecord {
            schema: GROUP_SCHEMA.into(),
            id: format!("group-{}", recording::run_id(start, rand::rng().next_u32())),
            label: self.pacing.label.clone(),
            started_at: recording::rfc3339(start),
            status: RunStatus::Complete,
            workload: runs[0].workload.clone(),
            settings: self.settings.clone(),
            host: runs[0].host.clone(),
            client_version: env!("CARGO_PKG_VERSION").into(),
            headline: Vec::new(),
            members: members.iter().zip(runs).map(member).collect(),
            warnings: Vec::new(),
        };
        group.take(runs);
        group
    }

    fn finish(
        &self,
        group: &GroupRecord,
        runs: &[RunRecord],
        worst: Status,
    ) -> Result<Status, Failure> {
        let mut store = self.paths.store()?;
        let kept = saving::keep_group(&mut store, group);
        let reported = saving::group_report(self.pacing.report.as_deref(), group, runs, self.paths);
        if self.output.json() {
            self.output.write(&lab::group::json(group)?)?;
        } else {
            self.output.write(&report::group::text(group, self.output.style()))?;
        }
        run::say_where(&reported, &kept, self.output);
        let whole = kept.is_ok() && reported.is_ok();
        Ok(if whole { worst } else { worse(worst, Status::NotDone) })
    }
}

fn name(server: &Server) -> &str {
    server.name().unwrap_or("the server")
}
