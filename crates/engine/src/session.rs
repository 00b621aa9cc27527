//! The seam between load and database: what the engine asks of a workload.

use std::{future::Future, time::Duration};

/// One kind of transaction of a workload, for example New-Order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionType {
    /// The field's name for it, as it appears in reports.
    pub name: String,
}

/// What a session is about to do, drawn before its intended start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Index into [`Workload::transaction_types`].
    pub kind: usize,
    /// Keying time: waited before the transaction starts (TPC-C clause 5.2.5.2). Zero for none.
    pub keying: Duration,
    /// Think time: waited after the transaction's end (TPC-C clause 5.2.5.4). Zero for none.
    pub think: Duration,
}

/// How a transaction that did not fail ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The database acknowledged the commit.
    Committed,
    /// The business rule asked for a rollback, as 1% of New-Orders do.
    RolledBack,
}

/// What can be done about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureClass {
    /// The server rolled back and would accept the same transaction again (deadlock, lock wait
    /// timeout, and kin). The session is ready for the next call.
    Retryable,
    /// The connection is gone and the session with it.
    ConnectionLost {
        /// The commit had been sent and was not acknowledged: it may have taken effect.
        in_doubt: bool,
    },
    /// Trying again would not help (no such table, disk full). The session is ready for the
    /// next call all the same.
    Fatal,
}

/// A transaction, or the opening of a session, that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What can be done about it.
    pub class: FailureClass,
    /// The server's error number; the client library's (2000 to 2999) where it has none.
    pub code: u16,
    /// The server's words, for the report.
    pub message: String,
}

/// A transaction that is over, with the times that were recorded for it, nanoseconds from the start
/// of the ramp-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Index into [`Workload::transaction_types`].
    pub kind: usize,
    /// When it was due; in a closed loop, when it started.
    pub intended_ns: u64,
    /// Start of the first attempt.
    pub started_ns: u64,
    /// End of the last.
    pub ended_ns: u64,
    /// How it ended; none when it was given up.
    pub completion: Option<Completion>,
}

/// A benchmark that the engine can drive. It makes sessions, one for each worker.
pub trait Workload: Send + Sync + 'static {
    /// The session of one worker. It stays on the worker's thread.
    type Session: Session;

    /// The kinds of transaction, in the order that [`Draw::kind`] counts.
    fn transaction_types(&self) -> &[TransactionType];

    /// Opens the session of `worker`. `incarnation` counts from 0 and grows with each reconnect,
    /// so that a session seeded from both never repeats the inputs of the one it replaces.
    fn open(
        &self,
        worker: u32,
        incarnation: u32,
    ) -> impl Future<Output = Result<Self::Session, Failure>>;

    /// Called on each thread of the load when its sessions are open; the load begins when all of
    /// these calls have returned. Here loads that are to begin together wait for each other.
    fn ready(&self) -> impl Future<Output = ()> {
        std::future::ready(())
    }

    /// All sessions are open, and the ramp-up began `ago`. Called once in a run, on one of its
    /// threads, and so must return at once.
    fn began(&self, ago: Duration) {
        let _nothing_to_do = ago;
    }
}

/// One connection to the database and the state that its transactions need.
pub trait Session {
    /// Draws the next transaction: its type, its inputs (kept by the session) and its pauses.
    fn draw(&mut self) -> Draw;

    /// Runs the drawn transaction once. Called again with the same inputs after a retryable
    /// failure. The transaction is over, one way or the other, when this returns.
    fn execute(&mut self) -> impl Future<Output = Result<Completion, Failure>>;

    /// A transaction of this session is over. For who keeps more of each transaction than the
    /// engine's histograms do; must return at once. Those abandoned at the end are not told.
    fn finished(&mut self, finished: &Finished) {
        let _nothing_to_do = finished;
    }

    /// Says goodbye to the server; errors at this point interest nobody.
    fn close(self) -> impl Future<Output = ()>;
}
