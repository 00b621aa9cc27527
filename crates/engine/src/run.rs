//! A run on real threads and the real clock.

use crate::{
    Failure, LoadOptions, LoadReport, OptionsError, Stop, Workload,
    clock::Clock,
    collector::Collector,
    control::{Cause, Control, EndOnPanic, State},
    cpu::thread_cpu_ns,
    recorder::{Message, Outlet},
    report::Interval,
    responses::Responses,
    share::Share,
};
use std::{
    any::Any,
    io,
    rc::Rc,
    sync::{
        Arc,
        mpsc::{Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Instant,
};
use tokio::{runtime, task::LocalSet};

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The load cannot be what it is asked to be.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// A session could not be opened before the load began.
    #[error("connection {} could not be opened: {failure}", worker + 1)]
    NotOpened {
        /// The worker it was for, from 0.
        worker: u32,
        /// Why.
        failure: Failure,
    },
    /// [`Stop`] was called before the load began.
    #[error("interrupted before all connections were open")]
    Interrupted,
    /// The system refused a thread, or what a thread needs.
    #[error("a thread of the load could not be started (--threads): {0}")]
    Thread(#[from] io::Error),
    /// The workload or the engine has a bug.
    #[error("a thread of the load panicked: {0}")]
    Panicked(String),
}

/// Carries out a load and returns what it came to, whether it went to its end or not. Blocks the
/// calling thread, on which `observer` is called with each second's [`Interval`] once it is over.
pub fn run<W: Workload>(
    workload: Arc<W>,
    options: &LoadOptions,
    stop: &Stop,
    mut observer: impl FnMut(&Interval),
) -> Result<LoadReport, LoadError> {
    run_seeing_responses(workload, options, stop, |interval, _| observer(interval))
}

/// [`run`] with an observer that is shown each second's response times as well, before they are
/// forgotten.
///
/// # Errors
/// As for [`run`].
pub fn run_seeing_responses<W: Workload>(
    workload: Arc<W>,
    options: &LoadOptions,
    stop: &Stop,
    mut observer: impl FnMut(&Interval, &Responses<'_>),
) -> Result<LoadReport, LoadError> {
    options.validate()?;
    let control = Arc::new(Control::new(options, stop));
    let _guard = EndOnPanic(&control);
    let names = workload.transaction_types().iter().map(|kind| kind.name.clone()).collect();
    let (messages, inbox) = channel();
    let mut spares = Vec::new();
    let mut threads = Vec::new();
    let epoch = Instant::now();
    for share in 0..options.threads as usize {
        let (spare, outlet) = outlet(share, &messages);
        spares.push(spare);
        threads.push(spawn(&workload, &control, outlet, epoch)?);
    }
    drop(messages);
    let mut collector = Collector::new(names, spares);
    for message in inbox {
        collector.take(message, zero_ns(&control), &mut observer);
    }
    for thread in threads {
        thread.join().map_err(|panic| LoadError::Panicked(panic_message(&*panic)))??;
    }
    collector.finish(&control)
}

/// The ways from a thread to the collector and back.
pub(crate) fn outlet(
    share: usize,
    messages: &Sender<Message>,
) -> (Sender<Vec<crate::recorder::TypeInterval>>, Outlet) {
    let (give, spares) = channel();
    (give, Outlet { share, messages: messages.clone(), spares })
}

/// When the load began.
pub(crate) fn zero_ns(control: &Control) -> u64 {
    match control.state() {
        State::Connecting => 0,
        State::Running(timeline) => timeline.zero_ns,
        State::Ending(ending) => ending.timeline.map_or(0, |timeline| timeline.zero_ns),
    }
}

/// Starts a thread; where that fails, ends those that were started before.
fn spawn<W: Workload>(
    workload: &Arc<W>,
    control: &Arc<Control>,
    outlet: Outlet,
    epoch: Instant,
) -> io::Result<JoinHandle<io::Result<()>>> {
    let (workload, shared) = (Arc::clone(workload), Arc::clone(control));
    let name = format!("load-{}", outlet.share);
    let body = move || {
        let _guard = EndOnPanic(&shared);
        let result = carry(workload, Arc::clone(&shared), outlet, epoch);
        result.inspect_err(|error| give_up(&shared, error))
    };
    let thread = thread::Builder::new().name(name).spawn(body);
    thread.inspect_err(|error| give_up(control, error))
}

fn give_up(control: &Control, error: &io::Error) {
    // The time is of no account: there will be no report.
    control.end(Cause::Aborted(error.to_string()), 0);
}

/// Carries one share on the calling thread.
fn carry<W: Workload>(
    workload: Arc<W>,
    control: Arc<Control>,
    outlet: Outlet,
    epoch: Instant,
) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async move {
        let clock = Rc::new(Clock::real(epoch)?);
        let driven = Rc::clone(&clock);
        tokio::task::spawn_local(async move { driven.drive().await });
        let cpu_time = Box::new(thread_cpu_ns);
        Share { workload, control, clock, outlet, cpu_time }.run().await;
        Ok(())
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().map(String::from);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
