//! The loop that asks, reads and looks until the load is over.

use super::{
    ClassShare, Cost, Waits, Watched,
    ask::{Answer, Asker},
    class::Class,
    looks::{Looker, Looks},
    machine::Machine,
    meter::{Meter, Readings, Recorder},
    place::Place,
    remark::Remark,
    second::{self, Before, Seen},
    tally::Tally,
};
use client::Target;
use host::{Root, counters::ThreadTimes};
use std::{
    cell::RefCell,
    collections::BTreeSet,
    convert::Infallible,
    pin::Pin,
    time::{Duration, Instant},
};
use tokio::time::{sleep, timeout};

/// How long an answer may take before its connection is given up.
const DEADLINE: Duration = Duration::from_secs(10);
/// How often it is asked whether the load is over.
const POLL: Duration = Duration::from_millis(50);
/// Share of a period after which a second goes on record without the answer.
const PATIENCE: f64 = 0.8;
/// More threads than this are not looked at one by one.
const THREADS_MAX: usize = 4096;
/// A last sample that comes so soon after the one before says nothing about a rate.
const SLIVER_S: f64 = 0.2;

/// When to watch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Between two samples.
    pub every: Duration,
    /// The measured phase, which [`Waits`] are about: seconds from the start of the load.
    pub measured_s: (f64, f64),
}

/// Somebody ready to watch.
#[derive(Debug)]
pub struct Watcher {
    target: Target,
    root: Root,
    asker: Option<Asker>,
}

/// A question under way: whoever asked comes back with what there is.
type Asking = Pin<Box<dyn Future<Output = (Option<Asker>, Option<Answered>)>>>;

struct Answered {
    at: Instant,
    took: Duration,
    answer: Answer,
}

/// What the two loops share.
#[derive(Debug, Default)]
struct Shared {
    /// The server's process and what is known of it; none where it is elsewhere.
    looker: Option<Looker>,
    threads: Vec<u32>,
    looks: Looks,
}

impl Watcher {
    /// Connects; a server that cannot be asked is watched from outside alone.
    pub async fn open(target: &Target, root: Root) -> Self {
        let asker = timeout(DEADLINE, Asker::open(target)).await;
        Self { target: target.clone(), root, asker: asker.ok().and_then(Result::ok) }
    }

    /// Watches a load that began at `began` until `over` says that it has ended; `tell` hears of
    /// every value as it comes.
    pub async fn follow(
        self,
        began: Instant,
        plan: Plan,
        over: impl Fn() -> bool,
        mut tell: impl FnMut(&Meter, f64),
    ) -> Watched {
        let shared = RefCell::new(Shared::default());
        let cpu_before = thread_cpu_s();
        let mut rows = Rows::new(self, began, plan, &shared);
        tokio::select! {
            () = rows.run(&over, &mut tell) => {}
            never = look(&shared) => match never {},
        }
        rows.finish(thread_cpu_s() - cpu_before)
    }
}

/// Looks at threads for as long as it is let.
async fn look(shared: &RefCell<Shared>) -> Infallible {
    loop {
        let sessions = {
            let mut shared = shared.borrow_mut();
            let Shared { looker, threads, looks, .. } = &mut *shared;
            if let Some(looker) = looker {
                looker.look(threads, looks);
            }
            threads.len()
        };
        sleep(Looker::period(sessions)).await;
    }
}

/// The loop that makes a row each period.
struct Rows<'a> {
    target: Target,
    began: Instant,
    plan: Plan,
    shared: &'a RefCell<Shared>,
    machine: Machine,
    asker: Option<Asker>,
    asking: Option<Asking>,
    recorder: Recorder,
    before: Before,
    measured: Tally,
    looked: bool,
    remarks: BTreeSet<Remark>,
    answering: (Duration, u32),
    last_s: f64,
}

impl<'a> Rows<'a> {
    fn new(watcher: Watcher, began: Instant, plan: Plan, shared: &'a RefCell<Shared>) -> Self {
        let machine = Machine { root: watcher.root, pid: None, disk: None };
        let mut rows = Self {
            target: watcher.target,
            began,
            plan,
            shared,
            machine,
            asker: None,
            asking: None,
            recorder: Recorder::default(),
            before: Before::default(),
            measured: Tally::default(),
            looked: false,
            remarks: BTreeSet::new(),
            answering: (Duration::ZERO, 0),
            last_s: 0.0,
        };
        rows.take_back(watcher.asker);
        rows
    }

    /// Takes a row each period, the first at once and the last when the load is over.
    async fn run(&mut self, over: &impl Fn() -> bool, tell: &mut impl FnMut(&Meter, f64)) {
        let mut due = self.began;
        loop {
            let ended = wait_until(due, over).await;
            let is_sliver = self.now_s() - self.last_s < SLIVER_S && self.last_s > 0.0;
            if !(ended && is_sliver) {
                self.row().await;
                self.recorder.latest().for_each(|(meter, value)| tell(meter, value));
            }
            if ended {
                break;
            }
            // A row that took longer than its period is followed by the next that is still due.
            while due <= Instant::now() {
                due += self.plan.every;
            }
        }
        if let Some(asker) = self.asker.take() {
            // A server that does not take the goodbye has gone already.
            let _gone = timeout(POLL, asker.close()).await;
        }
    }

    async fn row(&mut self) {
        let answered = self.answer().await;
        let now_s = self.now_s();
        let answer = answered.map(|answered| {
            self.answering.0 += answered.took;
            self.answering.1 += 1;
            (answered.at.saturating_duration_since(self.began).as_secs_f64(), answered.answer)
        });
        let looks = self.share(answer.as_ref().map(|(_, answer)| answer));
        let pid = self.machine.pid;
        let times = pid.and_then(|pid| ThreadTimes::of(&self.machine.root, pid, THREADS_MAX));
        let machine = Readings { taken_s: now_s, values: self.machine.readings() };
        let seen = Seen { now_s, answer, looks, times };
        let tally = self.before.tally(&seen);
        let (from_s, until_s) = self.plan.measured_s;
        let middle_s = (self.last_s + now_s) / 2.0;
        if from_s <= middle_s && middle_s < until_s {
            self.measured.add(&tally);
            self.before.keep_instruments(&seen);
        }
        self.looked |= tally.has_looks();
        let mut readings = second::readings(&seen, &tally);
        readings.push(machine);
        let at_s = seen.answer.as_ref().map_or(now_s, |(taken_s, _)| *taken_s);
        // The axis goes on, whatever a late answer says.
        self.last_s = at_s.max(self.last_s);
        self.recorder.row(self.last_s, &readings);
    }

    /// Gives the sessions to the looking loop and takes its looks.
    fn share(&mut self, answer: Option<&Answer>) -> Looks {
        let mut shared = self.shared.borrow_mut();
        if let Some(sessions) = answer.and_then(|answer| answer.sessions.as_ref()) {
            let threads = sessions.iter().map(|session| session.thread);
            shared.threads = threads.filter(|thread| *thread > 0).take(THREADS_MAX).collect();
        }
        std::mem::take(&mut shared.looks)
    }

    /// The server's answer, if it is there within most of a period. One that is late is waited for
    /// at the next row.
    async fn answer(&mut self) -> Option<Answered> {
        let mut asking = match self.asking.take() {
            Some(asking) => asking,
            None => Box::pin(ask(self.asker.take(), self.target.clone())),
        };
        match timeout(self.plan.every.mul_f64(PATIENCE), &mut asking).await {
            Ok((asker, answered)) => {
                self.take_back(asker);
                answered
            }
            Err(_late) => {
                self.asking = Some(asking);
                None
            }
        }
    }

    /// Takes the asker back with what it has learnt.
    fn take_back(&mut self, asker: Option<Asker>) {
        self.asker = asker;
        let Some(asker) = &mut self.asker else { return };
        self.remarks.extend(asker.remarks.drain(..));
        let Place { pid, disk, binlog } = asker.place.clone();
        if pid != self.machine.pid {
            // A server that was started anew is another process.
            let root = self.machine.root.clone();
            self.shared.borrow_mut().looker = pid.map(|pid| Looker { root, pid, binlog });
        }
        (self.machine.pid, self.machine.disk) = (pid, disk);
    }

    fn now_s(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    fn finish(mut self, cpu_s: f64) -> Watched {
        self.remark();
        let length_s = self.last_s.max(f64::MIN_POSITIVE);
        let (answering, answers) = self.answering;
        let cost = Cost {
            cpus: cpu_s / length_s,
            server_cpus: self.measured.has_times().then(|| self.before.asked_cpu_s / length_s),
            answer_ms: (answers > 0).then(|| answering.as_secs_f64() * 1e3 / f64::from(answers)),
        };
        let waits = waits(&self.measured, self.before.instrumented());
        let (axis_s, tracks) = self.recorder.finish();
        Watched { axis_s, tracks, waits, remarks: self.remarks.into_iter().collect(), cost }
    }

    fn remark(&mut self) {
        if self.answering.1 == 0 {
            self.remarks.insert(Remark::NoServer);
            return;
        }
        match (self.machine.pid, self.looked) {
            (None, _) => self.remarks.insert(Remark::NoProcess),
            (Some(_), false) => self.remarks.insert(Remark::NoThreads),
            (Some(_), true) => false,
        };
        let disk = self.machine.disk;
        let known =
            disk.is_some_and(|disk| host::counters::Disk::of(&self.machine.root, disk).is_some());
        if self.machine.pid.is_some() && !known {
            self.remarks.insert(Remark::NoDisk);
        }
    }
}

/// Asks once, by a new connection where there is none.
async fn ask(asker: Option<Asker>, target: Target) -> (Option<Asker>, Option<Answered>) {
    let asked = async {
        let mut asker = match asker {
            Some(asker) => asker,
            None => Asker::open(&target).await.ok()?,
        };
        let begun = Instant::now();
        let answer = asker.ask().await.ok()?;
        let at = Instant::now();
        Some((asker, Answered { at, took: at - begun, answer }))
    };
    match timeout(DEADLINE, asked).await.ok().flatten() {
        Some((asker, answered)) => (Some(asker), Some(answered)),
        None => (None, None),
    }
}

/// Waits until `moment`; true when the load was over before.
async fn wait_until(moment: Instant, over: &impl Fn() -> bool) -> bool {
    loop {
        if over() {
            return true;
        }
        let left = moment.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        sleep(left.min(POLL)).await;
    }
}

fn waits(measured: &Tally, instruments: Vec<(String, f64)>) -> Option<Waits> {
    let by_class = measured.sessions_by_class()?;
    let mut classes: Vec<ClassShare> = Class::ALL
        .into_iter()
        .zip(by_class)
        .filter(|(_, sessions)| *sessions > 0.0)
        .map(|(class, sessions)| {
            let source = second::source(class, measured);
            ClassShare { class, sessions, source }
        })
        .collect();
    classes.sort_by(|a, b| {
        let idle = |share: &ClassShare| share.class == Class::Idle;
        idle(a).cmp(&idle(b)).then(b.sessions.total_cmp(&a.sessions))
    });
    Some(Waits { classes, states: measured.states(), instruments })
}

/// Processor time of this thread, seconds.
fn thread_cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
