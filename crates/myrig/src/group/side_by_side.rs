//! Runs on several servers at the same time, on threads of their own. They begin together, when
//! the connections of all are open.

use crate::{
    args::PacingArgs,
    connect::Server,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    run::{self, Bench, Run, Settings, Shown, Step, Stops, plan, saving},
};
use indicatif::MultiProgress;
use lab::record::RunRecord;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::Sender,
    },
    thread,
    time::Instant,
};
use tokio::sync::Barrier;

/// One server and what is run on it.
pub(crate) struct Member<'a> {
    /// Where the load goes.
    pub(crate) server: &'a Server,
    /// How it is put on.
    pub(crate) pacing: PacingArgs,
    /// What was typed, as for a run on it alone.
    pub(crate) settings: Settings,
    /// The workload on its data.
    pub(crate) bench: &'a mut dyn Bench,
}

/// What a member's run came to, kept.
pub(crate) struct Done {
    /// The run.
    pub(crate) record: RunRecord,
    /// What it is worth.
    pub(crate) status: Status,
}

/// Runs that are about to begin together.
pub(crate) struct SideBySide<'a> {
    /// Connections and rate of each.
    pub(crate) step: Step,
    /// What ends all of them early.
    pub(crate) stops: &'a Stops,
    /// Who is told when they begin.
    pub(crate) began: Option<Sender<Instant>>,
    /// Where runs and reports go.
    pub(crate) paths: &'a Paths,
    /// Who watches.
    pub(crate) output: &'a Output,
}

impl SideBySide<'_> {
    /// Runs on all members; what they came to, in their order.
    ///
    /// # Errors
    /// What kept one of them from beginning; the others are then not run either.
    pub(crate) fn run(&self, members: &mut [Member<'_>]) -> Result<Vec<Done>, Failure> {
        let mut threads = 0;
        for Member { bench, server, pacing, .. } in members.iter() {
            let connections = self.step.connections + u32::from(!bench.questions().is_empty());
            bench.preflight(connections).map_err(|failure| failure.at(name(server)))?;
            threads += plan::load_options(pacing, self.step, 0)?.threads as usize;
        }
        let gate = Arc::new(Barrier::new(threads));
        let bars = self.output.bars();
        // Who fails first tells why; the others are only stopped by it.
        let first_to_fail = AtomicUsize::new(usize::MAX);
        let outcomes: Vec<Result<Done, Failure>> = thread::scope(|scope| {
            let begun = members.iter_mut().enumerate().map(|(place, member)| {
                let (gate, bars, first) = (Arc::clone(&gate), &bars, &first_to_fail);
                scope.spawn(move || {
                    self.one(member, gate, bars).inspect_err(|_| {
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

    fn one(
        &self,
        member: &mut Member<'_>,
        gate: Arc<Barrier>,
        bars: &MultiProgress,
    ) -> Result<Done, Failure> {
        let output = self.output.without_progress();
        let run = Run {
            pacing: &member.pacing,
            settings: member.settings.clone(),
            target: &member.server.target,
            instance: member.server.instance.as_ref(),
            stops: self.stops,
            paths: self.paths,
            output: &output,
            began: self.began.clone(),
            gate: Some(gate),
            before: "",
        };
        let mut store = self.paths.store()?;
        let before = format!("{}: ", name(member.server));
        let shown = Shown::Among(bars, &before);
        let record = run.step(member.bench, self.step, &mut store, shown)?;
        let kept = saving::keep(&mut store, &record);
        let reported = saving::report(None, &record, self.paths);
        run::say_troubles(&reported, &kept, self.output);
        let judged = !member.bench.judges() || record.check.is_some();
        let status = run::status(&record, kept.is_ok() && reported.is_ok() && judged);
        Ok(Done { record, status })
    }
}

/// What a member is called.
pub(super) fn name(server: &Server) -> &str {
    server.name().unwrap_or("the server")
}
