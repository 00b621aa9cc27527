//! What one thread keeps of its transactions. No locks: the thread's workers are its only writers.

use crate::{
    Completion, Failure, FailureClass,
    cpu::CpuMeter,
    histogram::{latencies, micros},
    outcome::Outcomes,
    report::ABANDONED_CODE,
    timeline::Timeline,
};
use hdrhistogram::Histogram;
use std::{
    collections::BTreeMap,
    sync::mpsc::{Receiver, Sender},
};

/// Length of an interval.
pub(crate) const INTERVAL_NS: u64 = 1_000_000_000;

/// Tells the processor time that the calling thread has used, nanoseconds.
pub(crate) type CpuTime = Box<dyn Fn() -> u64>;

/// From a thread to the collector.
pub(crate) enum Message {
    /// A second is over.
    Interval(usize, IntervalShare),
    /// The load is over.
    Done(usize, Box<RunShare>),
}

/// One thread's part of an interval.
pub(crate) struct IntervalShare {
    /// Counts seconds from the start of the ramp-up.
    pub(crate) index: u64,
    /// End of the interval on the clock.
    pub(crate) until_ns: u64,
    pub(crate) types: Vec<TypeInterval>,
    pub(crate) connected: u32,
    pub(crate) cpu_ns: u64,
}

/// One thread's transactions of one type in an interval.
pub(crate) struct TypeInterval {
    pub(crate) outcomes: Outcomes,
    pub(crate) response: Histogram<u64>,
}

/// One thread's part of a run.
pub(crate) struct RunShare {
    pub(crate) types: Vec<TypeRun>,
    /// By transaction type and error number.
    pub(crate) errors: BTreeMap<(usize, u16), ErrorTally>,
    pub(crate) cpu: CpuMeter,
    /// When the last transaction ended, or the load if that was later.
    pub(crate) drained_ns: u64,
}

/// One thread's transactions of one type in a run.
#[derive(Clone)]
pub(crate) struct TypeRun {
    pub(crate) measured: Outcomes,
    pub(crate) total: Outcomes,
    pub(crate) service: Histogram<u64>,
    pub(crate) queue: Histogram<u64>,
    pub(crate) response: Histogram<u64>,
}

/// How often an error was met.
pub(crate) struct ErrorTally {
    pub(crate) first_ns: u64,
    pub(crate) message: String,
    pub(crate) retried: u64,
    pub(crate) failed: u64,
}

/// When a transaction was to start, did start, and ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// None in a closed loop, where nothing was intended.
    pub(crate) intended_ns: Option<u64>,
    pub(crate) started_ns: u64,
    pub(crate) ended_ns: u64,
}

/// The way to the collector, and the way back of the intervals that it is done with.
pub(crate) struct Outlet {
    pub(crate) share: usize,
    pub(crate) messages: Sender<Message>,
    /// Emptied, so that this thread neither allocates nor clears.
    pub(crate) spares: Receiver<Vec<TypeInterval>>,
}

impl TypeInterval {
    pub(crate) fn empty() -> Self {
        Self { outcomes: Outcomes::default(), response: latencies() }
    }

    pub(crate) fn clear(&mut self) {
        self.outcomes = Outcomes::default();
        self.response.reset();
    }
}

impl TypeRun {
    pub(crate) fn empty() -> Self {
        let (measured, total) = (Outcomes::default(), Outcomes::default());
        let (service, queue, response) = (latencies(), latencies(), latencies());
        Self { measured, total, service, queue, response }
    }

    fn record(&mut self, times: Times) {
        let service_ns = times.ended_ns.saturating_sub(times.started_ns);
        let queue_ns = times.intended_ns.map(|at_ns| times.started_ns.saturating_sub(at_ns));
        self.service.saturating_record(micros(service_ns));
        self.response.saturating_record(micros(times.response_ns()));
        if let Some(queue_ns) = queue_ns {
            self.queue.saturating_record(micros(queue_ns));
        }
    }
}

impl Times {
    fn response_ns(&self) -> u64 {
        self.ended_ns.saturating_sub(self.intended_ns.unwrap_or(self.started_ns))
    }
}

/// The recorder of one thread.
pub(crate) struct Recorder {
    timeline: Timeline,
    /// Whether latencies are kept.
    histograms: bool,
    types: Vec<TypeRun>,
    errors: BTreeMap<(usize, u16), ErrorTally>,
    last_ended_ns: u64,
    interval: Vec<TypeInterval>,
    index: u64,
    /// End of the interval, on the clock.
    border_ns: u64,
    connected: u32,
    outlet: Outlet,
    cpu_time: CpuTime,
    /// Processor time at the start of the interval.
    cpu_ns: u64,
    cpu: CpuMeter,
}

impl Recorder {
    pub(crate) fn new(
        types: usize,
        connected: u32,
        timeline: Timeline,
        outlet: Outlet,
        cpu_time: CpuTime,
        histograms: bool,
    ) -> Self {
        let mut cpu = CpuMeter::default();
        cpu.pass(timeline.zero_ns, &timeline, &cpu_time);
        Self {
            timeline,
            histograms,
            types: vec![TypeRun::empty(); types],
            errors: BTreeMap::new(),
            last_ended_ns: timeline.zero_ns,
            interval: (0..types).map(|_| TypeInterval::empty()).collect(),
            index: 0,
            border_ns: timeline.zero_ns + INTERVAL_NS,
            connected,
            outlet,
            cpu_ns: cpu_time(),
            cpu_time,
            cpu,
        }
    }

    pub(crate) fn set_timeline(&mut self, timeline: Timeline) {
        self.timeline = timeline;
    }

    /// When the recorder next wants [`Self::advance`] to be called.
    pub(crate) fn next_event_ns(&self, now_ns: u64) -> u64 {
        // What ends exactly on the border belongs to the interval, which closes just after it.
        let events = [
            self.border_ns.saturating_add(1),
            self.timeline.measure_from_ns,
            self.timeline.measure_until_ns,
        ];
        events.into_iter().filter(|at_ns| *at_ns > now_ns).min().unwrap_or(u64::MAX)
    }

    /// Closes the intervals and phases that ended before `now_ns`.
    pub(crate) fn advance(&mut self, now_ns: u64) {
        self.cpu.pass(now_ns, &self.timeline, &self.cpu_time);
        while self.border_ns < now_ns {
            self.send_interval(self.border_ns);
            self.index += 1;
            self.border_ns += INTERVAL_NS;
        }
    }

    fn send_interval(&mut self, until_ns: u64) {
        let fresh = self.outlet.spares.try_recv();
        let fresh =
            fresh.unwrap_or_else(|_| self.interval.iter().map(|_| TypeInterval::empty()).collect());
        let cpu_ns = (self.cpu_time)();
        let interval = IntervalShare {
            index: self.index,
            until_ns,
            types: std::mem::replace(&mut self.interval, fresh),
            connected: self.connected,
            cpu_ns: cpu_ns.saturating_sub(self.cpu_ns),
        };
        self.cpu_ns = cpu_ns;
        // The collector is gone only when the run as a whole is being given up.
        let _ = self.outlet.messages.send(Message::Interval(self.outlet.share, interval));
    }

    /// Counts in the interval, in the run, and in the measured phase where `at_ns` is in it.
    fn count(&mut self, kind: usize, at_ns: u64, outcomes: Outcomes) {
        if at_ns > self.border_ns {
            self.advance(at_ns);
        }
        self.last_ended_ns = self.last_ended_ns.max(at_ns);
        self.interval[kind].outcomes += outcomes;
        self.types[kind].total += outcomes;
        if self.timeline.measures(at_ns) {
            self.types[kind].measured += outcomes;
        }
    }

    /// A transaction was committed or rolled back with its attempt number `attempts`.
    pub(crate) fn completed(
        &mut self,
        kind: usize,
        completion: Completion,
        attempts: u32,
        times: Times,
    ) {
        let outcomes = Outcomes {
            committed: u64::from(completion == Completion::Committed),
            rolled_back: u64::from(completion == Completion::RolledBack),
            retried: u64::from(attempts > 1),
            ..Outcomes::default()
        };
        self.count(kind, times.ended_ns, outcomes);
        if !self.histograms {
            return;
        }
        self.interval[kind].response.saturating_record(micros(times.response_ns()));
        if self.timeline.measures(times.ended_ns) {
            self.types[kind].record(times);
        }
    }

    /// An attempt failed, and there will be another.
    pub(crate) fn retried(&mut self, kind: usize, at_ns: u64, failure: &Failure) {
        self.count(kind, at_ns, Outcomes { retries: 1, ..Outcomes::default() });
        self.tally(kind, at_ns, failure.code, &failure.message).retried += 1;
    }

    /// A transaction is given up.
    pub(crate) fn failed(&mut self, kind: usize, at_ns: u64, failure: &Failure) {
        let in_doubt = failure.class == FailureClass::ConnectionLost { in_doubt: true };
        self.give_up(kind, at_ns, in_doubt, failure.code, &failure.message);
    }

    /// A transaction is left running at the end of the run. Nobody will know what became of it.
    pub(crate) fn abandoned(&mut self, kind: usize, at_ns: u64) {
        let message = "abandoned at the end of the run: still running after the grace";
        self.give_up(kind, at_ns, true, ABANDONED_CODE, message);
    }

    fn give_up(&mut self, kind: usize, at_ns: u64, in_doubt: bool, code: u16, message: &str) {
        let in_doubt = u64::from(in_doubt);
        self.count(kind, at_ns, Outcomes { failed: 1, in_doubt, ..Outcomes::default() });
        self.tally(kind, at_ns, code, message).failed += 1;
    }

    fn tally(&mut self, kind: usize, first_ns: u64, code: u16, message: &str) -> &mut ErrorTally {
        self.errors.entry((kind, code)).or_insert_with(|| ErrorTally {
            first_ns,
            message: message.into(),
            retried: 0,
            failed: 0,
        })
    }

    pub(crate) fn connection_lost(&mut self) {
        self.connected -= 1;
    }

    pub(crate) fn connection_back(&mut self) {
        self.connected += 1;
    }

    /// Hands over what there is. The load ended at `ended_ns`, and no transaction is running.
    pub(crate) fn finish(mut self, ended_ns: u64, now_ns: u64) {
        let drained_ns = self.last_ended_ns.max(ended_ns);
        self.advance(drained_ns);
        if drained_ns > self.border_ns - INTERVAL_NS {
            self.send_interval(drained_ns);
        }
        self.cpu.close(now_ns, &self.cpu_time);
        let (types, errors, cpu) = (self.types, self.errors, self.cpu);
        let share = Box::new(RunShare { types, errors, cpu, drained_ns });
        let _ = self.outlet.messages.send(Message::Done(self.outlet.share, share));
    }
}
