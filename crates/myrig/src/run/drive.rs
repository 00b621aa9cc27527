//! How the engine is given a workload. Everything else that belongs to a run is the same for all
//! workloads, and compiled once.

use engine::{
    Failure, Interval, LoadError, LoadOptions, LoadReport, Responses, Stop, TransactionType,
    Workload,
};
use std::{
    sync::{Arc, Mutex, PoisonError, mpsc::Sender},
    time::{Duration, Instant},
};
use tokio::sync::Barrier;

/// What a load is put on with, whatever its workload.
pub(crate) struct Drive<'a> {
    /// Who is told when it begins, and what it waits for.
    pub(super) hearing: Hearing,
    /// How it is put on.
    pub(super) options: &'a LoadOptions,
    /// What ends it early.
    pub(super) stop: &'a Stop,
    /// Who is shown each second.
    pub(super) observer: &'a mut dyn FnMut(&Interval, &Responses<'_>),
}

impl Drive<'_> {
    /// Puts the load on. When this returns, all who heard of it hear that it is over.
    ///
    /// # Errors
    /// Why there is no report.
    pub(crate) fn of<W: Workload>(self, workload: &Arc<W>) -> Result<LoadReport, LoadError> {
        let Self { hearing, options, stop, observer } = self;
        let heard = Arc::new(Heard { workload: Arc::clone(workload), hearing });
        engine::run_seeing_responses(heard, options, stop, observer)
    }
}

/// Who hears of a load; when it is dropped, they hear that the load is over.
pub(super) struct Hearing {
    began: Mutex<Vec<Sender<Instant>>>,
    gate: Option<Arc<Barrier>>,
}

impl Hearing {
    /// `listeners` hear when the load began. Its threads wait at `gate` for those of others.
    pub(super) fn new(listeners: Vec<Sender<Instant>>, gate: Option<Arc<Barrier>>) -> Self {
        Self { began: Mutex::new(listeners), gate }
    }

    pub(super) fn began(&self, ago: Duration) {
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
