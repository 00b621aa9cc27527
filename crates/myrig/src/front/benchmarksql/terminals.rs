//! TPC-C as BenchmarkSQL's terminals run it: a limit of transactions, a least time between them,
//! and a line of results for each.

use super::results::{Lines, Results};
use engine::{Completion, Draw, Failure, Finished, PHASE_MAX, Session, TransactionType, Workload};
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use workloads::tpcc::{Tpcc, TpccSession, input::Kind};

/// The workload of all terminals.
pub(super) struct Terminals {
    tpcc: Tpcc,
    /// Transactions that each terminal starts, where their number ends the run.
    quota: Option<u32>,
    /// From one transaction of a terminal to its next, at least.
    gap: Option<Duration>,
    results: Option<Arc<Results>>,
    counts: Arc<Counts>,
    /// What each terminal has started.
    started: Arc<Vec<AtomicU32>>,
    when_open: Box<dyn Fn() + Send + Sync>,
}

/// What is counted for the lines on the console.
#[derive(Debug, Default)]
pub(super) struct Counts {
    began: OnceLock<Instant>,
    new_orders: AtomicU64,
    transactions: AtomicU64,
    /// By kind: the sum of execution times, milliseconds.
    executed_ms: [AtomicU64; Kind::ALL.len()],
}

impl Counts {
    /// Milliseconds since all terminals were there.
    pub(super) fn elapsed_ms(&self) -> u64 {
        self.began.get().map_or(0, |began| began.elapsed().as_millis() as u64)
    }

    /// New-Orders that were committed or rolled back by the business rule.
    pub(super) fn new_orders(&self) -> u64 {
        self.new_orders.load(Relaxed)
    }

    /// Transactions of all kinds.
    pub(super) fn transactions(&self) -> u64 {
        self.transactions.load(Relaxed)
    }

    /// The kinds that were carried out, with the sum of their execution times, milliseconds.
    pub(super) fn executed(&self) -> impl Iterator<Item = (Kind, u64)> {
        let sums = self.executed_ms.iter().map(|sum| sum.load(Relaxed));
        Kind::ALL.into_iter().zip(sums).filter(|(_, sum)| *sum > 0)
    }

    fn add(&self, finished: &Finished) {
        if finished.completion.is_none() {
            return;
        }
        self.transactions.fetch_add(1, Relaxed);
        if finished.kind == Tpcc::NEW_ORDER {
            self.new_orders.fetch_add(1, Relaxed);
        }
        if let Some(sum) = self.executed_ms.get(finished.kind) {
            let ns = finished.ended_ns.saturating_sub(finished.started_ns);
            sum.fetch_add(ns / 1_000_000, Relaxed);
        }
    }
}

impl Terminals {
    pub(super) fn new(
        tpcc: Tpcc,
        terminals: u32,
        quota: Option<u32>,
        gap: Option<Duration>,
        results: Option<Arc<Results>>,
        when_open: Box<dyn Fn() + Send + Sync>,
    ) -> Self {
        let started = Arc::new((0..terminals).map(|_| AtomicU32::new(0)).collect());
        Self { tpcc, quota, gap, results, counts: Arc::default(), started, when_open }
    }

    /// TPC-C itself.
    pub(super) fn tpcc(&self) -> &Tpcc {
        &self.tpcc
    }

    /// What is counted.
    pub(super) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }
}

impl Workload for Terminals {
    type Session = Terminal;

    fn transaction_types(&self) -> &[TransactionType] {
        self.tpcc.transaction_types()
    }

    async fn open(&self, worker: u32, incarnation: u32) -> Result<Terminal, Failure> {
        let session = self.tpcc.open_boxed(worker, incarnation).await?;
        Ok(Terminal {
            session,
            worker: worker as usize,
            quota: self.quota,
            gap: self.gap,
            pause: Duration::ZERO,
            lines: self.results.clone().map(Lines::new),
            counts: Arc::clone(&self.counts),
            started: Arc::clone(&self.started),
        })
    }

    fn began(&self, ago: Duration) {
        let now = Instant::now();
        // It is called once.
        let _first = self.counts.began.set(now.checked_sub(ago).unwrap_or(now));
        (self.when_open)();
    }
}

/// One terminal.
pub(super) struct Terminal {
    session: TpccSession,
    worker: usize,
    quota: Option<u32>,
    gap: Option<Duration>,
    /// What is left of the gap.
    pause: Duration,
    lines: Option<Lines>,
    counts: Arc<Counts>,
    started: Arc<Vec<AtomicU32>>,
}

impl Terminal {
    /// Whether this terminal has started all that it is to start; counts one more where not.
    fn is_done(&self) -> bool {
        let (Some(quota), Some(started)) = (self.quota, self.started.get(self.worker)) else {
            return false;
        };
        started.fetch_add(1, Relaxed) >= quota
    }
}

impl Session for Terminal {
    fn draw(&mut self) -> Draw {
        if self.is_done() {
            // Waits for the others: the last transaction of all cuts the pause.
            return Draw { kind: 0, keying: PHASE_MAX, think: Duration::ZERO };
        }
        let draw = self.session.draw();
        Draw { keying: std::mem::take(&mut self.pause), ..draw }
    }

    async fn execute(&mut self) -> Result<Completion, Failure> {
        self.session.execute_boxed().await
    }

    fn finished(&mut self, finished: &Finished) {
        let took = Duration::from_nanos(finished.ended_ns.saturating_sub(finished.started_ns));
        self.pause = self.gap.map_or(Duration::ZERO, |gap| gap.saturating_sub(took));
        self.counts.add(finished);
        if let Some(lines) = &mut self.lines {
            lines.add(finished, self.session.skipped_deliveries());
        }
        self.session.finished(finished);
    }

    async fn close(self) {
        self.session.close().await;
    }
}
