//! One thread's share of a run, from opening its sessions to closing them.

use crate::{
    Failure, Session, Workload,
    clock::{Clock, nanos},
    control::{Cause, Control, State},
    local::Local,
    recorder::{CpuTime, Outlet, Recorder},
    timeline::Timeline,
    worker::Worker,
};
use std::{rc::Rc, sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    task::{JoinError, JoinSet},
};

/// Sessions that all threads together open at a time. More would overflow the backlog of a
/// server's listening socket and be mistaken for a server that is down.
const OPENING_MAX: u32 = 32;
/// How long sessions may take to say goodbye.
const CLOSING_MAX_NS: u64 = 1_000_000_000;

pub(crate) struct Share<W> {
    pub(crate) workload: Arc<W>,
    pub(crate) control: Arc<Control>,
    pub(crate) clock: Rc<Clock>,
    pub(crate) outlet: Outlet,
    pub(crate) cpu_time: CpuTime,
}

/// An open session and the number of its worker.
type Opened<W> = (u32, <W as Workload>::Session);

impl<W: Workload> Share<W> {
    /// Carries the share through the run. Must run inside a `LocalSet`, beside the clock's
    /// driver. A panic of the workload is passed on.
    pub(crate) async fn run(self) {
        let mut sessions = Vec::new();
        self.open(&mut sessions).await;
        let Some(timeline) = self.await_start().await else {
            let sessions = sessions.into_iter().map(|(_, session)| session).collect();
            return close(sessions, &self.clock).await;
        };
        if self.outlet.share == 0 {
            let ago_ns = self.clock.now_ns().saturating_sub(timeline.zero_ns);
            self.workload.began(Duration::from_nanos(ago_ns));
        }
        sessions.sort_by_key(|(worker, _)| *worker);
        let clock = Rc::clone(&self.clock);
        close(self.load(sessions, timeline).await, &clock).await;
    }

    /// Opens the sessions of this share. Ends the run at the first failure.
    async fn open(&self, sessions: &mut Vec<Opened<W>>) {
        let (connections, threads) =
            (self.control.options.connections, self.control.options.threads);
        let mut workers = (self.outlet.share as u32..connections).step_by(threads as usize);
        let at_a_time = (OPENING_MAX / threads).max(1) as usize;
        let mut opening = JoinSet::new();
        let mut state = self.control.subscribe();
        let mut stop = self.control.stop.subscribe();
        loop {
            for worker in workers.by_ref().take(at_a_time - opening.len()) {
                let workload = Arc::clone(&self.workload);
                opening.spawn_local(async move { (worker, workload.open(worker, 0).await) });
            }
            tokio::select! {
                biased;
                () = called_more_than(&mut stop, 0) => {
                    self.control.end(Cause::Interrupted, self.clock.now_ns());
                    return;
                }
                () = ending(&mut state) => return,
                joined = opening.join_next() => match joined.map(unwind) {
                    None => break,
                    Some(Some((worker, Ok(session)))) => sessions.push((worker, session)),
                    Some(Some((worker, Err(failure)))) => return self.not_opened(worker, failure),
                    Some(None) => {}
                },
            }
        }
        tokio::select! {
            biased;
            () = called_more_than(&mut stop, 0) => {
                self.control.end(Cause::Interrupted, self.clock.now_ns());
            }
            () = ending(&mut state) => {}
            () = self.workload.ready() => self.control.connected(self.clock.now_ns()),
        }
    }

    fn not_opened(&self, worker: u32, failure: Failure) {
        self.control.end(Cause::NotOpened { worker, failure }, self.clock.now_ns());
    }

    /// Waits until the sessions of all shares are open; none when that will never be.
    async fn await_start(&self) -> Option<Timeline> {
        let mut state = self.control.subscribe();
        let mut stop = self.control.stop.subscribe();
        loop {
            match self.control.state() {
                State::Running(timeline) => return Some(timeline),
                State::Ending(ending) => return ending.timeline,
                State::Connecting => {}
            }
            tokio::select! {
                biased;
                () = called_more_than(&mut stop, 0) => {
                    self.control.end(Cause::Interrupted, self.clock.now_ns());
                }
                _ = state.changed() => {}
            }
        }
    }

    /// Runs the workers to the end of the load and hands in the result. Returns the sessions that
    /// are still good.
    async fn load(self, sessions: Vec<Opened<W>>, timeline: Timeline) -> Vec<W::Session> {
        let types = self.workload.transaction_types().len();
        let connected = sessions.len() as u32;
        let histograms = self.control.options.histograms;
        let recorder =
            Recorder::new(types, connected, timeline, self.outlet, self.cpu_time, histograms);
        let local = Local::new(self.control, self.clock, recorder, timeline, sessions.len());
        let local = Rc::new(local);
        let mut workers = JoinSet::new();
        for (slot, (number, session)) in sessions.into_iter().enumerate() {
            let workload = Arc::clone(&self.workload);
            let worker = Worker::new(workload, Rc::clone(&local), number, slot);
            workers.spawn_local(worker.work(session));
        }
        let survivors = supervise(&local, &mut workers).await;
        workers.shutdown().await;
        local.abandon_in_flight(local.clock.now_ns());
        Rc::into_inner(local).expect("its other owners were the workers").finish();
        survivors
    }
}

/// Keeps the thread's appointments until its workers are done or abandoned.
async fn supervise<S: 'static>(local: &Local, workers: &mut JoinSet<Option<S>>) -> Vec<S> {
    let mut state = local.control.subscribe();
    let mut stop = local.control.stop.subscribe();
    let mut survivors = Vec::new();
    loop {
        let ending_now = local.ending();
        let answered = ending_now.as_ref().map_or(0, |ending| ending.stops);
        let mut stopped = false;
        tokio::select! {
            biased;
            joined = workers.join_next() => match joined.map(unwind) {
                None => return survivors,
                Some(session) => survivors.extend(session.flatten()),
            },
            () = local.clock.sleep_until(next_event_ns(local)) => {}
            () = ending(&mut state), if ending_now.is_none() => {}
            () = called_more_than(&mut stop, answered) => stopped = true,
        }
        let now_ns = local.clock.now_ns();
        local.recorder().advance(now_ns);
        let grace_ns = nanos(local.control.options.grace);
        match local.ending() {
            Some(_) if stopped && ending_now.is_some() => return survivors,
            Some(ending) if now_ns >= ending.at_ns.saturating_add(grace_ns) => return survivors,
            Some(_) => {}
            None => look_for_end(local, now_ns, stopped),
        }
    }
}

fn next_event_ns(local: &Local) -> u64 {
    let now_ns = local.clock.now_ns();
    let last_ns = match local.ending() {
        Some(ending) => ending.at_ns.saturating_add(nanos(local.control.options.grace)),
        None => local.timeline().end_ns,
    };
    local.recorder().next_event_ns(now_ns).min(last_ns)
}

/// Ends the load where that is due; follows where another thread has ended it.
fn look_for_end(local: &Local, now_ns: u64, stopped: bool) {
    if let State::Ending(ending) = local.control.state() {
        return local.adopt(ending);
    }
    if now_ns >= local.timeline().end_ns {
        return local.end(Cause::Complete, now_ns);
    }
    if stopped {
        return local.end(Cause::Interrupted, now_ns);
    }
    let give_up = local.control.options.reconnect.give_up;
    let reason = local.control.outages().all_down().and_then(|(since_ns, failure)| {
        (now_ns.saturating_sub(since_ns) >= nanos(give_up)).then(|| {
            format!(
                "all {} connections were down for {give_up:?} (--reconnect-give-up): {failure}",
                local.control.options.connections
            )
        })
    });
    if let Some(reason) = reason {
        local.end(Cause::Aborted(reason), now_ns);
    }
}

async fn close<S: Session + 'static>(sessions: Vec<S>, clock: &Clock) {
    let mut closing: JoinSet<()> = JoinSet::new();
    for session in sessions {
        closing.spawn_local(session.close());
    }
    let all = async { while closing.join_next().await.map(unwind).is_some() {} };
    tokio::select! {
        biased;
        () = all => {}
        () = clock.sleep_until(clock.now_ns().saturating_add(CLOSING_MAX_NS)) => {}
    }
}

/// The result of a task; none when it was cancelled. Passes a panic on.
fn unwind<T>(joined: Result<T, JoinError>) -> Option<T> {
    match joined {
        Ok(result) => Some(result),
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => None,
    }
}

/// Waits until the run ends. Holds no borrow of the state afterwards, which would be a lock.
async fn ending(state: &mut watch::Receiver<State>) {
    let _ = state.wait_for(|state| matches!(state, State::Ending(_))).await.map(drop);
}

/// Waits until the handle has been called more often than `answered`.
async fn called_more_than(stop: &mut watch::Receiver<u32>, answered: u32) {
    let _ = stop.wait_for(|calls| *calls > answered).await.map(drop);
}
