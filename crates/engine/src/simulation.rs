//! Runs on virtual time: a mock server whose every answer and every delay is a test's to say.

use crate::{
    Completion, Draw, Failure, FailureClass, Finished, Interval, LoadError, LoadOptions,
    LoadReport, Session, Stop, TransactionType, Workload,
    clock::{Clock, nanos},
    collector::Collector,
    control::Control,
    responses::Responses,
    run::{outlet, zero_ns},
    share::Share,
};
use std::{
    cell::RefCell,
    rc::Rc,
    sync::{Arc, Mutex, mpsc::channel},
    time::Duration,
};
use tokio::task::{LocalSet, spawn_local};

thread_local! {
    /// The clock of the simulation on this thread: workloads are shared and cannot hold it.
    static CLOCK: RefCell<Option<Rc<Clock>>> = const { RefCell::new(None) };
}

pub(crate) const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn clock() -> Rc<Clock> {
    CLOCK.with_borrow(Clone::clone).expect("called inside a simulation")
}

fn now() -> Duration {
    Duration::from_nanos(clock().now_ns())
}

/// Waits in virtual time until `at` after the start of the simulation.
pub(crate) async fn until(at: Duration) {
    clock().sleep_until(nanos(at)).await;
}

/// One attempt of a transaction, as the mock server sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) worker: u32,
    pub(crate) incarnation: u32,
    /// Counts the transactions of the session from 0.
    pub(crate) transaction: u64,
    /// Counts the attempts of the transaction from 1.
    pub(crate) attempt: u32,
    /// Time since the start of the simulation.
    pub(crate) at: Duration,
}

/// The server's answer and how long it takes.
pub(crate) type Answer = (Duration, Result<Completion, Failure>);

pub(crate) fn commits(takes: Duration) -> Answer {
    (takes, Ok(Completion::Committed))
}

pub(crate) fn fails(takes: Duration, class: FailureClass, code: u16, message: &str) -> Answer {
    (takes, Err(Failure { class, code, message: message.into() }))
}

type Script<I, O> = Box<dyn Fn(I) -> O + Send + Sync>;

/// A server by script.
pub(crate) struct Mock {
    types: Vec<TransactionType>,
    draw: Script<(u32, u64), Draw>,
    execute: Script<Call, Answer>,
    open: Script<Call, (Duration, Result<(), Failure>)>,
    /// When the loads that this one begins together with are ready.
    others_ready_at: Duration,
    /// What happened, in order.
    pub(crate) log: Mutex<Vec<Event>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Worker and incarnation, when the session was open.
    Opened(u32, u32, Duration),
    /// The ramp-up began then.
    Began(Duration),
    /// An attempt starts.
    Executes(Call),
    /// The worker that was told of the end of a transaction.
    Finished(u32, Finished),
    /// Worker and incarnation.
    Closed(u32, u32),
}

impl Mock {
    /// One transaction type, no pauses; every open succeeds at once.
    pub(crate) fn new(execute: impl Fn(Call) -> Answer + Send + Sync + 'static) -> Self {
        Self {
            types: vec![TransactionType { name: "Order".into() }],
            draw: Box::new(|_| Draw { kind: 0, keying: Duration::ZERO, think: Duration::ZERO }),
            execute: Box::new(execute),
            open: Box::new(|_| (Duration::ZERO, Ok(()))),
            others_ready_at: Duration::ZERO,
            log: Mutex::default(),
        }
    }

    /// Types by name, and what `(worker, transaction)` draws.
    pub(crate) fn draws(
        mut self,
        types: &[&str],
        draw: impl Fn((u32, u64)) -> Draw + Send + Sync + 'static,
    ) -> Self {
        let named = |name: &&str| TransactionType { name: (*name).into() };
        self.types = types.iter().map(named).collect();
        self.draw = Box::new(draw);
        self
    }

    pub(crate) fn opens(
        mut self,
        open: impl Fn(Call) -> (Duration, Result<(), Failure>) + Send + Sync + 'static,
    ) -> Self {
        self.open = Box::new(open);
        self
    }

    pub(crate) fn waits_for_others(mut self, until: Duration) -> Self {
        self.others_ready_at = until;
        self
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        self.log.lock().expect("no test panics under this lock").clone()
    }

    fn note(&self, event: Event) {
        self.log.lock().expect("no test panics under this lock").push(event);
    }
}

/// The mock as the engine sees it.
pub(crate) struct Server(Arc<Mock>);

pub(crate) struct MockSession {
    mock: Arc<Mock>,
    next: Call,
}

impl Workload for Server {
    type Session = MockSession;

    fn transaction_types(&self) -> &[TransactionType] {
        &self.0.types
    }

    async fn open(&self, worker: u32, incarnation: u32) -> Result<MockSession, Failure> {
        let next = Call { worker, incarnation, transaction: 0, attempt: 0, at: now() };
        let (takes, result) = (self.0.open)(next);
        until(now() + takes).await;
        result?;
        self.0.note(Event::Opened(worker, incarnation, now()));
        Ok(MockSession { mock: Arc::clone(&self.0), next })
    }

    async fn ready(&self) {
        until(self.0.others_ready_at).await;
    }

    fn began(&self, ago: Duration) {
        self.0.note(Event::Began(now() - ago));
    }
}

impl Session for MockSession {
    fn draw(&mut self) -> Draw {
        if self.next.attempt > 0 {
            self.next.transaction += 1;
            self.next.attempt = 0;
        }
        (self.mock.draw)((self.next.worker, self.next.transaction))
    }

    async fn execute(&mut self) -> Result<Completion, Failure> {
        self.next.attempt += 1;
        self.next.at = now();
        self.mock.note(Event::Executes(self.next));
        let (takes, result) = (self.mock.execute)(self.next);
        until(now() + takes).await;
        result
    }

    fn finished(&mut self, finished: &Finished) {
        self.mock.note(Event::Finished(self.next.worker, *finished));
    }

    async fn close(self) {
        self.mock.note(Event::Closed(self.next.worker, self.next.incarnation));
    }
}

/// Runs the load against the mock, in no time.
pub(crate) fn simulate(mock: &Arc<Mock>, options: &LoadOptions) -> Result<LoadReport, LoadError> {
    simulate_with(mock, options, async |_| {}, 0.25).0
}

/// The same with someone who may stop the load and does so in virtual time, and with load
/// threads that use this share of a core. Returns what the observer saw, too.
pub(crate) fn simulate_with(
    mock: &Arc<Mock>,
    options: &LoadOptions,
    someone: impl AsyncFnOnce(Stop) + 'static,
    cpu_share: f64,
) -> (Result<LoadReport, LoadError>, Vec<Interval>) {
    if let Err(error) = options.validate() {
        return (Err(error.into()), Vec::new());
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("the system allows a runtime");
    let stop = Stop::new();
    let control = Arc::new(Control::new(options, &stop));
    let (messages, inbox) = channel();
    let clock = Rc::new(Clock::simulated());
    CLOCK.set(Some(Rc::clone(&clock)));
    let mut spares = Vec::new();
    LocalSet::new().block_on(&runtime, async {
        let driven = Rc::clone(&clock);
        spawn_local(async move { driven.drive().await });
        spawn_local(someone(stop));
        let mut shares = Vec::new();
        for number in 0..options.threads as usize {
            let (spare, outlet) = outlet(number, &messages);
            spares.push(spare);
            let (cpu_clock, clock) = (Rc::clone(&clock), Rc::clone(&clock));
            let cpu_time = Box::new(move || (cpu_clock.now_ns() as f64 * cpu_share) as u64);
            let workload = Arc::new(Server(Arc::clone(mock)));
            let control = Arc::clone(&control);
            let share = Share { workload, control, clock, outlet, cpu_time };
            shares.push(spawn_local(share.run()));
        }
        for share in shares {
            share.await.expect("a share does not panic");
        }
    });
    drop(messages);
    let names = mock.types.iter().map(|kind| kind.name.clone()).collect();
    let mut collector = Collector::new(names, spares);
    let mut observed = Vec::new();
    for message in inbox {
        let mut observer = |interval: &Interval, _: &Responses<'_>| observed.push(interval.clone());
        collector.take(message, zero_ns(&control), &mut observer);
    }
    (collector.finish(&control), observed)
}
