//! Groups: the same load on several instances at the same time.
//!
//! Each instance gets a run of its own, [`side_by_side`]. What they came to is kept as a group
//! beside the runs.

mod side_by_side;

pub(crate) use side_by_side::{Done, Member, SideBySide};

use crate::{
    args::PacingArgs,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    recording,
    run::{self, Settings, Step, Stops, plan, saving},
    sweep::worse,
};
use lab::{
    group::{GROUP_SCHEMA, GroupMember, GroupRecord},
    record::{RunRecord, RunStatus},
    sweep::SweepStep,
};
use rand::Rng;
use side_by_side::name;
use std::{thread, time::SystemTime};

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

/// The pacing of each of several members, with its share of the threads that a load alone would
/// have.
///
/// # Errors
/// The machine does not tell how many processors it has.
pub(crate) fn shared(pacing: &PacingArgs, members: usize) -> Result<PacingArgs, Failure> {
    let processors = match &pacing.client_cpus {
        Some(cpus) => cpus.len(),
        None => thread::available_parallelism()?.get() / 2,
    };
    let threads = (processors / members).clamp(1, 16) as u32;
    let mut pacing = pacing.clone();
    pacing.threads.get_or_insert(threads);
    Ok(pacing)
}

impl Group<'_> {
    /// Runs on all members, keeps what they came to, and tells it.
    ///
    /// # Errors
    /// What kept one of them from beginning; the others are then not run either.
    pub(crate) fn carry_out(&self, members: &mut [Member<'_>]) -> Result<Status, Failure> {
        let pacing = shared(self.pacing, members.len())?;
        members.iter_mut().for_each(|member| member.pacing.clone_from(&pacing));
        let start = SystemTime::now();
        let Self { step, stops, paths, output, .. } = *self;
        let done = SideBySide { step, stops, began: None, paths, output }.run(members)?;
        let runs: Vec<RunRecord> = done.iter().map(|done| done.record.clone()).collect();
        let group = self.record(members, &runs, start);
        let worst = done.iter().fold(Status::Good, |worst, done| worse(worst, done.status));
        self.finish(&group, &runs, worst)
    }

    fn record(&self, members: &[Member<'_>], runs: &[RunRecord], start: SystemTime) -> GroupRecord {
        let member = |(member, run): (&Member<'_>, &RunRecord)| {
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
