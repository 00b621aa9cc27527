//! Workloads given to the engine, compiled here: what a load spends its time in is made once, for
//! speed, and everything that knows the command line need not be.

use crate::{
    oltp::{Oltp, OltpSession},
    tpcc::{Tpcc, TpccSession},
    tprocc::Tprocc,
};
use engine::{
    Completion, Failure, Interval, LoadError, LoadOptions, LoadReport, Responses, Session, Stop,
    TransactionType, Workload,
};
use futures_util::future::LocalBoxFuture;
use std::{
    sync::{Arc, Mutex, PoisonError, mpsc::Sender},
    time::{Duration, Instant},
};
use tokio::sync::Barrier;

/// What a load is put on with, whatever its workload.
pub struct Drive<'a> {
    /// Who is told when it begins, and what it waits for.
    pub hearing: Hearing,
    /// How it is put on.
    pub options: &'a LoadOptions,
    /// What ends it early.
    pub stop: &'a Stop,
    /// Who is shown each second.
    pub observer: &'a mut dyn FnMut(&Interval, &Responses<'_>),
}

impl Drive<'_> {
    /// Puts the load on. When this returns, all who heard of it hear that it is over.
    ///
    /// # Errors
    /// Why there is no report.
    pub fn of<W: Workload>(self, workload: &Arc<W>) -> Result<LoadReport, LoadError> {
        let Self { hearing, options, stop, observer } = self;
        let heard = Arc::new(Heard { workload: Arc::clone(workload), hearing });
        engine::run_seeing_responses(heard, options, stop, observer)
    }

    /// [`Self::of`] TPC-C.
    ///
    /// # Errors
    /// As there.
    #[inline(never)]
    pub fn tpcc(self, tpcc: &Arc<Tpcc>) -> Result<LoadReport, LoadError> {
        self.of(tpcc)
    }

    /// [`Self::of`] TPROC-C.
    ///
    /// # Errors
    /// As there.
    #[inline(never)]
    pub fn tprocc(self, tprocc: &Arc<Tprocc>) -> Result<LoadReport, LoadError> {
        self.of(tprocc)
    }

    /// [`Self::of`] OLTP.
    ///
    /// # Errors
    /// As there.
    #[inline(never)]
    pub fn oltp(self, oltp: &Arc<Oltp>) -> Result<LoadReport, LoadError> {
        self.of(oltp)
    }
}

impl Tpcc {
    /// [`Workload::open`] for workloads that are made of this one.
    #[inline(never)]
    pub fn open_boxed(
        &self,
        worker: u32,
        incarnation: u32,
    ) -> LocalBoxFuture<'_, Result<TpccSession, Failure>> {
        Box::pin(self.open(worker, incarnation))
    }
}

impl TpccSession {
    /// [`Session::execute`] for sessions that are made of this one.
    #[inline(never)]
    pub fn execute_boxed(&mut self) -> LocalBoxFuture<'_, Result<Completion, Failure>> {
        Box::pin(self.execute())
    }
}

impl Oltp {
    /// [`Workload::open`] for workloads that are made of this one.
    #[inline(never)]
    pub fn open_boxed(
        &self,
        worker: u32,
        incarnation: u32,
    ) -> LocalBoxFuture<'_, Result<OltpSession, Failure>> {
        Box::pin(self.open(worker, incarnation))
    }
}

impl OltpSession {
    /// [`Session::execute`] for sessions that are made of this one.
    #[inline(never)]
    pub fn execute_boxed(&mut self) -> LocalBoxFuture<'_, Result<Completion, Failure>> {
        Box::pin(self.execute())
    }
}

/// Who hears of a load; when it is dropped, they hear that the load is over.
#[derive(Debug)]
pub struct Hearing {
    began: Mutex<Vec<Sender<Instant>>>,
    gate: Option<Arc<Barrier>>,
}

impl Hearing {
    /// `listeners` hear when the load began. Its threads wait at `gate` for those of others.
    #[must_use]
    pub fn new(listeners: Vec<Sender<Instant>>, gate: Option<Arc<Barrier>>) -> Self {
        Self { began: Mutex::new(listeners), gate }
    }

    /// The load began so long ago: all hear it.
    pub fn began(&self, ago: Duration) {
        let now = Instant::now();
        for listener in &*self.began.lock().unwrap_or_else(PoisonError::into_inner) {
            // Nobody listens any more where a question could not be put.
            let _unheard = listener.send(now.checked_sub(ago).unwrap_or(now));
        }
    }
}

/// A workload that passes on when its load began, and begins together with others.
struct Heard<W> {
    workload: Arc<W>,
    hearing: Hearing,
}

impl<W: Workload> Workload for Heard<W> {
    type Session = W::Session;

    fn transaction_types(&self) -> &[TransactionType] {
        self.workload.transaction_types()
    }

    fn open(
        &self,
        worker: u32,
        incarnation: u32,
    ) -> impl Future<Output = Result<Self::Session, Failure>> {
        self.workload.open(worker, incarnation)
    }

    async fn ready(&self) {
        self.workload.ready().await;
        if let Some(gate) = &self.hearing.gate {
            gate.wait().await;
        }
    }

    fn began(&self, ago: Duration) {
        self.hearing.began(ago);
        self.workload.began(ago);
    }
}
