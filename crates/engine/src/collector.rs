//! Merges what the threads hand in: each second for the observer, and at the end for the report.

use crate::{
    LoadError,
    control::{Cause, Control, Ending, State},
    histogram::quantile_ms,
    recorder::{ErrorTally, INTERVAL_NS, IntervalShare, Message, RunShare, TypeInterval, TypeRun},
    report::{
        ArrivalsReport, ClientCpu, Ended, ErrorCount, Interval, IntervalTransactions, LoadReport,
        Outage, Phase, PhaseSpan, TransactionReport,
    },
    responses::Responses,
    timeline::Timeline,
};
use std::{
    collections::{BTreeMap, VecDeque, btree_map::Entry},
    sync::mpsc::Sender,
};

pub(crate) struct Collector {
    names: Vec<String>,
    threads: Vec<Thread>,
    /// Intervals that some threads have not handed in yet, in order.
    pending: VecDeque<Merging>,
    intervals: Vec<Interval>,
    run: Vec<TypeRun>,
    errors: BTreeMap<(usize, u16), ErrorTally>,
    client: ClientCpu,
    drained_ns: u64,
}

struct Thread {
    /// Takes back what was handed in, emptied.
    spares: Sender<Vec<TypeInterval>>,
    /// Index of the first interval that it has not handed in.
    next_index: u64,
}

/// An interval and the thread whose memory it is in.
struct Merging {
    owner: usize,
    interval: IntervalShare,
}

impl Collector {
    /// For transaction types of these names and one thread for each of `spares`.
    pub(crate) fn new(names: Vec<String>, spares: Vec<Sender<Vec<TypeInterval>>>) -> Self {
        Self {
            run: vec![TypeRun::empty(); names.len()],
            names,
            threads: spares.into_iter().map(|spares| Thread { spares, next_index: 0 }).collect(),
            pending: VecDeque::new(),
            intervals: Vec::new(),
            errors: BTreeMap::new(),
            client: ClientCpu::default(),
            drained_ns: 0,
        }
    }

    /// Takes what a thread hands in, and shows the intervals that are thereby complete.
    pub(crate) fn take(
        &mut self,
        message: Message,
        zero_ns: u64,
        observer: &mut impl FnMut(&Interval, &Responses<'_>),
    ) {
        match message {
            Message::Interval(thread, interval) => self.take_interval(thread, interval),
            Message::Done(thread, share) => self.take_run(thread, *share),
        }
        let complete = self.threads.iter().map(|thread| thread.next_index).min().unwrap_or(0);
        while self.pending.front().is_some_and(|merging| merging.interval.index < complete) {
            let Some(merging) = self.pending.pop_front() else { break };
            let interval = self.present(&merging, zero_ns);
            observer(&interval, &Responses::of(&merging.interval.types));
            self.give_back(merging.owner, merging.interval.types);
            self.intervals.push(interval);
        }
    }

    fn take_interval(&mut self, owner: usize, mut interval: IntervalShare) {
        self.threads[owner].next_index = interval.index + 1;
        let merging = &mut self.pending;
        let found = merging.iter_mut().find(|merging| merging.interval.index == interval.index);
        let Some(Merging { interval: into, .. }) = found else {
            return merging.push_back(Merging { owner, interval });
        };
        for (into, from) in into.types.iter_mut().zip(&interval.types) {
            into.outcomes += from.outcomes;
            into.response += &from.response;
        }
        into.until_ns = into.until_ns.max(interval.until_ns);
        into.connected += interval.connected;
        into.cpu_ns += interval.cpu_ns;
        self.give_back(owner, std::mem::take(&mut interval.types));
    }

    fn give_back(&self, owner: usize, mut types: Vec<TypeInterval>) {
        types.iter_mut().for_each(TypeInterval::clear);
        // A thread that is done needs none.
        let _ = self.threads[owner].spares.send(types);
    }

    fn present(&self, merging: &Merging, zero_ns: u64) -> Interval {
        let interval = &merging.interval;
        let from_ns = zero_ns.saturating_add(interval.index.saturating_mul(INTERVAL_NS));
        let length_s = seconds(interval.until_ns, from_ns);
        Interval {
            at_s: seconds(interval.until_ns, zero_ns),
            length_s,
            transactions: interval.types.iter().map(interval_transactions).collect(),
            connected: interval.connected,
            client_cpu: interval.cpu_ns as f64 / 1e9 / (length_s * self.threads.len() as f64),
        }
    }

    fn take_run(&mut self, thread: usize, share: RunShare) {
        self.threads[thread].next_index = u64::MAX;
        self.drained_ns = self.drained_ns.max(share.drained_ns);
        for (into, from) in self.run.iter_mut().zip(&share.types) {
            into.measured += from.measured;
            into.total += from.total;
            into.service += &from.service;
            into.queue += &from.queue;
            into.response += &from.response;
        }
        for (key, tally) in share.errors {
            merge_error(self.errors.entry(key), tally);
        }
        let (cpu_ns, cpu_share) = share.cpu.measured();
        self.client.cpu_s += cpu_ns as f64 / 1e9;
        self.client.busiest_thread = self.client.busiest_thread.max(cpu_share);
    }

    /// The report, once every thread has ended.
    pub(crate) fn finish(self, control: &Control) -> Result<LoadReport, LoadError> {
        let State::Ending(Ending { cause, timeline, at_ns, .. }) = control.state() else {
            unreachable!("threads end only when the run does");
        };
        let ended = match cause {
            Cause::NotOpened { worker, failure } => {
                return Err(LoadError::NotOpened { worker, failure });
            }
            Cause::Complete | Cause::Quota => Ended::Complete,
            Cause::Interrupted => Ended::Interrupted,
            Cause::Aborted(reason) => Ended::Aborted(reason),
        };
        let Some(timeline) = timeline else { return Err(LoadError::Interrupted) };
        Ok(LoadReport {
            ended,
            phases: phases(&timeline, self.drained_ns),
            transactions: self.names.into_iter().zip(self.run).map(transaction).collect(),
            errors: self.errors.into_iter().map(error_count).collect(),
            intervals: self.intervals,
            outages: outages(control, timeline.zero_ns),
            arrivals: arrivals(control, at_ns.saturating_sub(timeline.zero_ns)),
            client: self.client,
        })
    }
}

fn seconds(at_ns: u64, zero_ns: u64) -> f64 {
    at_ns.saturating_sub(zero_ns) as f64 / 1e9
}

fn interval_transactions(of_type: &TypeInterval) -> IntervalTransactions {
    let (outcomes, response) = (of_type.outcomes, &of_type.response);
    IntervalTransactions {
        committed: outcomes.committed,
        rolled_back: outcomes.rolled_back,
        failed: outcomes.failed,
        retries: outcomes.retries,
        p50_ms: quantile_ms(response, 0.5),
        p95_ms: quantile_ms(response, 0.95),
        p99_ms: quantile_ms(response, 0.99),
        max_ms: quantile_ms(response, 1.0),
    }
}

fn merge_error(entry: Entry<'_, (usize, u16), ErrorTally>, tally: ErrorTally) {
    match entry {
        Entry::Vacant(entry) => {
            entry.insert(tally);
        }
        Entry::Occupied(mut entry) => {
            let into = entry.get_mut();
            into.retried += tally.retried;
            into.failed += tally.failed;
            if tally.first_ns < into.first_ns {
                (into.first_ns, into.message) = (tally.first_ns, tally.message);
            }
        }
    }
}

fn phases(timeline: &Timeline, drained_ns: u64) -> Vec<PhaseSpan> {
    let measure_until_ns = timeline.measure_until_ns.min(drained_ns);
    let end_ns = timeline.end_ns.max(measure_until_ns);
    let borders = [timeline.measure_from_ns, measure_until_ns, end_ns, drained_ns];
    let mut from_ns = timeline.zero_ns;
    [Phase::RampUp, Phase::Measure, Phase::RampDown, Phase::Drain]
        .into_iter()
        .zip(borders)
        .filter_map(|(phase, until_ns)| {
            let from_ns = std::mem::replace(&mut from_ns, until_ns);
            let zero_ns = timeline.zero_ns;
            let (from_s, until_s) = (seconds(from_ns, zero_ns), seconds(until_ns, zero_ns));
            (from_s < until_s).then_some(PhaseSpan { phase, from_s, until_s })
        })
        .collect()
}

fn transaction((name, run): (String, TypeRun)) -> TransactionReport {
    let TypeRun { measured, total, service, queue, response } = run;
    TransactionReport { name, measured, total, service, queue, response }
}

fn error_count(((kind, code), tally): ((usize, u16), ErrorTally)) -> ErrorCount {
    let ErrorTally { message, retried, failed, .. } = tally;
    ErrorCount { kind, code, message, retried, failed }
}

fn outages(control: &Control, zero_ns: u64) -> Vec<Outage> {
    let log = control.outages();
    let outages = log.outages().iter().map(|down| Outage {
        from_s: seconds(down.from_ns, zero_ns),
        until_s: down.until_ns.map(|until_ns| seconds(until_ns, zero_ns)),
        connections: down.connections,
    });
    outages.collect()
}

fn arrivals(control: &Control, end_ns: u64) -> Option<ArrivalsReport> {
    let crate::Pacing::Open { rate_per_s, arrivals } = control.options.pacing else { return None };
    let backlog = control.tickets.as_ref()?.backlog(end_ns);
    Some(ArrivalsReport {
        rate_per_s,
        distribution: arrivals,
        due: backlog.due,
        unstarted: backlog.unstarted,
        oldest_wait_s: backlog.oldest_wait.as_secs_f64(),
    })
}
