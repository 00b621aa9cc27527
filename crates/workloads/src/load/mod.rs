//! Sending a data set: parallel inside a table, resumable, whatever the workload.
//!
//! The data is cut into pieces of a few megabytes. A connection takes the next piece, writes a
//! marker and the piece's rows in one transaction, and goes on; whatever was killed at whatever
//! moment, a piece is there whole with its marker or not at all.

mod database;
mod queue;
mod transfer;

use crate::tpcc::Error;
use client::Target;
pub(crate) use database::{connect, pieces_done};
use queue::Queue;
use std::{
    collections::HashSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::runtime;
pub(crate) use transfer::Method;

/// A part of one table that is sent in one transaction.
pub(crate) trait Piece: Copy + Send + Sync {
    /// What tells tables apart.
    type Table: Copy + Ord + Send;

    /// Its table.
    fn table(self) -> Self::Table;

    /// A number that identifies it in the whole data set.
    fn id(self) -> u64;

    /// Rows that it holds; an expectation where chance decides.
    fn expected_rows(self) -> u64;

    /// What it costs the server, in proportion to the other pieces.
    fn cost(self) -> u64;
}

/// Rows for one LOAD DATA statement.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// What follows the table in the statement: columns, and values of those left out.
    pub(crate) target: String,
    /// The rows, tab-separated.
    pub(crate) rows: Vec<u8>,
}

/// A data set that can be sent.
pub(crate) trait Supply: Sync {
    /// What it is cut into.
    type Piece: Piece;

    /// The name of a piece's table in the database.
    fn name(&self, piece: Self::Piece) -> String;

    /// Its columns in the order in which rows have them, separated by commas.
    fn columns(&self, piece: Self::Piece) -> String;

    /// The table of the markers: that of the pieces that are in.
    fn chunk_table(&self) -> &'static str;

    /// Writes a piece's rows, tab-separated.
    fn write(&self, piece: Self::Piece, out: &mut Vec<u8>);

    /// A piece's rows as LOAD DATA takes them fastest; whole unless told otherwise.
    fn parts(&self, piece: Self::Piece) -> Vec<Part> {
        let mut rows = Vec::new();
        self.write(piece, &mut rows);
        vec![Part { target: format!("({})", self.columns(piece)), rows }]
    }
}

/// How rows are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadMethod {
    /// LOAD DATA LOCAL where the server allows it, INSERT where it does not.
    #[default]
    Auto,
    /// LOAD DATA LOCAL, fed from memory.
    LoadData,
    /// INSERT statements of many rows.
    Insert,
}

/// How far a load has come. Shared with whoever shows it.
#[derive(Debug, Default)]
pub struct LoadProgress {
    /// Rows that the whole data set has, as far as can be said beforehand.
    pub rows_expected: AtomicU64,
    /// Rows that are in, those of an earlier attempt included.
    pub rows: AtomicU64,
    /// Set to make the load end after the chunks in flight.
    pub stop: AtomicBool,
    stage: Mutex<String>,
}

impl LoadProgress {
    /// What is being done at the moment, in words.
    pub fn stage(&self) -> String {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether what is to be loaded is known, so that a failure leaves something to go on with.
    pub fn has_begun(&self) -> bool {
        self.rows_expected.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn enter(&self, stage: impl Into<String>) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage.into();
    }

    pub(crate) fn stopped(&self) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// What was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Rows.
    pub(crate) rows: u64,
    /// Pieces that were in already.
    pub(crate) resumed: usize,
    /// How long it took.
    pub(crate) time: Duration,
}

/// Sends those of `all` pieces that are not `done` over as many connections as asked for.
pub(crate) fn send_missing<S: Supply>(
    target: &Target,
    source: &S,
    connections: u32,
    method: Method,
    (all, done): (Vec<S::Piece>, &HashSet<u64>),
    progress: &LoadProgress,
) -> Result<Sent, Error> {
    let rows = |pieces: &[S::Piece]| pieces.iter().map(|piece| piece.expected_rows()).sum::<u64>();
    progress.rows_expected.store(rows(&all), Ordering::Relaxed);
    let (resumed, missing): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|piece| done.contains(&piece.id()));
    progress.rows.store(rows(&resumed), Ordering::Relaxed);
    progress.enter("rows");
    let began = Instant::now();
    let rows = send_all(target, source, connections, method, &missing, progress)?;
    Ok(Sent { rows, resumed: resumed.len(), time: began.elapsed() })
}

fn send_all<S: Supply>(
    target: &Target,
    source: &S,
    connections: u32,
    method: Method,
    chunks: &[S::Piece],
    progress: &LoadProgress,
) -> Result<u64, Error> {
    let queue = Mutex::new(Queue::new(chunks));
    let next = |table| queue.lock().unwrap_or_else(PoisonError::into_inner).take(table);
    let broken = AtomicBool::new(false);
    let work = || {
        let outcome = send_some(target, source, method, next, progress, &broken);
        if outcome.is_err() {
            broken.store(true, Ordering::Relaxed);
        }
        outcome
    };
    let count = (connections as usize).clamp(1, chunks.len().max(1));
    let outcomes: Vec<Result<u64, Error>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(Err(Error::Panicked))).collect()
    });
    // The thread that failed says why; those that stopped because of it have nothing to add.
    let (good, bad): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    let mut bad: Vec<Error> = bad.into_iter().filter_map(Result::err).collect();
    bad.sort_by_key(|error| matches!(error, Error::Stopped));
    match bad.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(good.into_iter().flatten().sum()),
    }
}

/// The work of one connection.
fn send_some<S: Supply>(
    target: &Target,
    source: &S,
    method: Method,
    next: impl Fn(Option<<S::Piece as Piece>::Table>) -> Option<S::Piece>,
    progress: &LoadProgress,
    broken: &AtomicBool,
) -> Result<u64, Error> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut sender = transfer::Sender::open(target, source, method).await?;
        let (mut sent, mut table) = (0, None);
        while let Some(chunk) = next(table) {
            table = Some(chunk.table());
            progress.stopped()?;
            if broken.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            let rows = sender.send(chunk).await?;
            progress.rows.fetch_add(chunk.expected_rows(), Ordering::Relaxed);
            sent += rows;
        }
        sender.close().await;
        Ok(sent)
    })
}
