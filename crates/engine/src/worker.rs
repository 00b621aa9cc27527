//! One worker: it carries out transactions on one connection, and reopens it when it is lost.

use crate::{
    Completion, Failure, FailureClass, Finished, Session, Workload, backoff, clock::nanos,
    control::Cause, local::Local, options::Pacing, recorder::Times,
};
use rand_pcg::Pcg64;
use std::{rc::Rc, sync::Arc, time::Duration};
use tokio::task::coop::consume_budget;

pub(crate) struct Worker<W> {
    workload: Arc<W>,
    local: Rc<Local>,
    number: u32,
    /// Its place among the workers of its thread.
    slot: usize,
    incarnation: u32,
    rng: Pcg64,
}

/// What became of the connection in a transaction.
enum Connection {
    Up,
    Lost(Failure),
}

impl<W: Workload> Worker<W> {
    /// `number` counts over all threads and sets the worker's random stream.
    pub(crate) fn new(workload: Arc<W>, local: Rc<Local>, number: u32, slot: usize) -> Self {
        // The schedule is stream 0 of another seeding, so that no two streams are alike.
        let rng = Pcg64::new(local.control.options.seed.into(), u128::from(number) + 1);
        Self { workload, local, number, slot, incarnation: 0, rng }
    }

    /// Works until the load is over; returns the session unless it is lost.
    pub(crate) async fn work(mut self, mut session: W::Session) -> Option<W::Session> {
        loop {
            // A session that never waits would keep everything else on the thread from running.
            consume_budget().await;
            let draw = session.draw();
            if draw.kind >= self.workload.transaction_types().len() {
                self.end(format!("the workload drew transaction type {}", draw.kind));
                return Some(session);
            }
            let Some(times) = self.wait_for_start(draw.keying).await else { return Some(session) };
            match self.transact(&mut session, draw.kind, times).await {
                Connection::Up => self.think(draw.think).await,
                Connection::Lost(failure) => {
                    drop(session);
                    session = self.reconnect(&failure).await?;
                }
            }
        }
    }

    fn end(&self, reason: String) {
        self.local.end(Cause::Aborted(reason), self.local.clock.now_ns());
    }

    /// Waits until the next transaction may start; none when the load is over.
    async fn wait_for_start(&self, keying: Duration) -> Option<Times> {
        let local = &*self.local;
        let Some(office) = &local.control.tickets else {
            self.pause(keying).await;
            let started_ns = local.clock.now_ns();
            let times = Times { intended_ns: None, started_ns, ended_ns: started_ns };
            return local.admit(started_ns).then_some(times);
        };
        let ticket = office.take()?;
        let intended_ns = local.timeline().zero_ns.saturating_add(ticket.due_ns);
        local.pause_until(intended_ns).await;
        let started_ns = local.clock.now_ns();
        if !local.admit(started_ns) {
            return None;
        }
        ticket.redeem();
        Some(Times { intended_ns: Some(intended_ns), started_ns, ended_ns: started_ns })
    }

    async fn think(&self, think: Duration) {
        if self.local.control.options.pacing == Pacing::Closed {
            self.pause(think).await;
        }
    }

    async fn pause(&self, pause: Duration) {
        if !pause.is_zero() {
            let until_ns = self.local.clock.now_ns().saturating_add(nanos(pause));
            self.local.pause_until(until_ns).await;
        }
    }

    /// Carries out a transaction, with as many attempts as it takes and may take.
    async fn transact(
        &mut self,
        session: &mut W::Session,
        kind: usize,
        mut times: Times,
    ) -> Connection {
        self.local.set_in_flight(self.slot, Some(kind));
        let mut attempts = 1;
        loop {
            let result = session.execute().await;
            times.ended_ns = self.local.clock.now_ns();
            match result {
                Ok(completion) => {
                    self.local.recorder().completed(kind, completion, attempts, times);
                    self.local.control.succeeded();
                    self.local.set_in_flight(self.slot, None);
                    session.finished(&self.finished(kind, times, Some(completion)));
                    return Connection::Up;
                }
                Err(failure) if self.tries_again(&failure, attempts) => {
                    self.local.recorder().retried(kind, times.ended_ns, &failure);
                    let wait_ns = backoff::retry_ns(attempts, &mut self.rng);
                    // Not cut at the end: it is a part of the transaction, like its locks' waits.
                    self.local.clock.sleep_until(times.ended_ns.saturating_add(wait_ns)).await;
                    attempts += 1;
                }
                Err(failure) => {
                    self.local.set_in_flight(self.slot, None);
                    session.finished(&self.finished(kind, times, None));
                    return self.give_up(kind, times.ended_ns, failure);
                }
            }
        }
    }

    fn finished(&self, kind: usize, times: Times, completion: Option<Completion>) -> Finished {
        let zero_ns = self.local.timeline().zero_ns;
        let since_zero = |at_ns: u64| at_ns.saturating_sub(zero_ns);
        Finished {
            kind,
            intended_ns: since_zero(times.intended_ns.unwrap_or(times.started_ns)),
            started_ns: since_zero(times.started_ns),
            ended_ns: since_zero(times.ended_ns),
            completion,
        }
    }

    fn tries_again(&self, failure: &Failure, attempts: u32) -> bool {
        failure.class == FailureClass::Retryable
            && attempts <= self.local.control.options.retries_max
    }

    fn give_up(&self, kind: usize, at_ns: u64, failure: Failure) -> Connection {
        self.local.recorder().failed(kind, at_ns, &failure);
        if self.local.control.failed() {
            let limit = self.local.control.options.failures_in_a_row_max;
            self.end(format!(
                "{limit} transactions failed in a row (--failures-in-a-row), the last with error \
                 {}: {failure}",
                failure.code
            ));
        }
        match failure.class {
            FailureClass::ConnectionLost { .. } => Connection::Lost(failure),
            FailureClass::Retryable | FailureClass::Fatal => Connection::Up,
        }
    }

    /// Opens the lost connection again; none when the load is over first.
    async fn reconnect(&mut self, lost: &Failure) -> Option<W::Session> {
        let local = Rc::clone(&self.local);
        local.control.outages().lost(local.clock.now_ns(), &lost.message);
        local.recorder().connection_lost();
        self.incarnation += 1;
        let mut attempt = 1;
        loop {
            let options = &local.control.options.reconnect;
            let wait_ns = backoff::reconnect_ns(attempt, options, &mut self.rng);
            local.pause_until(local.clock.now_ns().saturating_add(wait_ns)).await;
            if local.is_over(local.clock.now_ns()) {
                return None;
            }
            let opened = tokio::select! {
                biased;
                opened = self.workload.open(self.number, self.incarnation) => opened,
                () = local.over() => return None,
            };
            match opened {
                Ok(session) => {
                    local.control.outages().back(local.clock.now_ns());
                    local.recorder().connection_back();
                    return Some(session);
                }
                Err(failure) => local.control.outages().still_down(&failure.message),
            }
            attempt = attempt.saturating_add(1);
        }
    }
}
