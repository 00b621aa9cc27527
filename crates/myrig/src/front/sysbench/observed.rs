//! The OLTP workload with an ear on every event.

use super::tally::Tally;
use engine::{
    Completion, Draw, Failure, FailureClass, Finished, Session, Stop, TransactionType, Workload,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use workloads::oltp::{Ignore, Oltp, OltpSession};

/// What is called when all connections are open.
type Started = Box<dyn Fn() + Send + Sync>;

/// The workload as sysbench would see it.
pub(super) struct Observed {
    oltp: Oltp,
    tally: Arc<Tally>,
    /// Ends the load at the first error that is not ignored.
    stop: Stop,
    started: Started,
}

impl Observed {
    pub(super) fn new(oltp: Oltp, tally: Arc<Tally>, stop: Stop, started: Started) -> Self {
        Self { oltp, tally, stop, started }
    }

    /// The workload itself.
    pub(super) fn oltp(&self) -> &Oltp {
        &self.oltp
    }
}

impl Workload for Observed {
    type Session = Heard;

    fn transaction_types(&self) -> &[TransactionType] {
        self.oltp.transaction_types()
    }

    async fn open(&self, worker: u32, incarnation: u32) -> Result<Self::Session, Failure> {
        let session = self.oltp.open_boxed(worker, incarnation).await?;
        if incarnation > 0 {
            self.tally.reconnected();
        }
        let (tally, stop) = (Arc::clone(&self.tally), self.stop.clone());
        let ignore = self.oltp.options().ignore.clone();
        Ok(Heard { session, worker, under_way: false, tally, stop, ignore })
    }

    fn began(&self, ago: Duration) {
        let now = Instant::now();
        self.tally.begin(now.checked_sub(ago).unwrap_or(now));
        (self.started)();
        self.oltp.began(ago);
    }
}

/// A session whose events are counted.
pub(super) struct Heard {
    session: OltpSession,
    worker: u32,
    under_way: bool,
    tally: Arc<Tally>,
    stop: Stop,
    ignore: Ignore,
}

impl Session for Heard {
    fn draw(&mut self) -> Draw {
        self.session.draw()
    }

    async fn execute(&mut self) -> Result<Completion, Failure> {
        if !std::mem::replace(&mut self.under_way, true) {
            self.tally.started();
        }
        let result = self.session.execute_boxed().await;
        if let Err(failure) = &result {
            self.note(failure);
        }
        result
    }

    fn finished(&mut self, finished: &Finished) {
        self.under_way = false;
        let Finished { intended_ns, ended_ns, completion, .. } = *finished;
        self.tally.ended(self.worker, intended_ns, ended_ns, completion.is_some());
        self.session.finished(finished);
    }

    async fn close(self) {
        self.session.close().await;
    }
}

impl Heard {
    /// As for sysbench, an error that is not on the list ends the run.
    fn note(&self, failure: &Failure) {
        let ignored = match failure.class {
            FailureClass::Retryable => true,
            FailureClass::ConnectionLost { .. } => match &self.ignore {
                Ignore::All => true,
                Ignore::Codes(codes) => codes.contains(&failure.code),
                Ignore::Retryable => false,
            },
            FailureClass::Fatal => false,
        };
        if ignored {
            self.tally.ignored_error();
        } else {
            self.tally.fail(format!(
                "error {} is not among --mysql-ignore-errors: {}",
                failure.code, failure.message
            ));
            self.stop.stop();
        }
    }
}
