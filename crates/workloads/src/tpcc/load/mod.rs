//! Loading: parallel inside a warehouse, resumable, the same data for the same seed.
//!
//! The data is cut into chunks of a few megabytes. A connection takes the next chunk, writes a
//! marker and the chunk's rows in one transaction, and goes on; whatever was killed at whatever
//! moment, a chunk is there whole with its marker or not at all. Secondary indexes and foreign
//! keys are added when all rows are in.

mod chunk;
mod finish;
mod queue;
mod source;
mod transfer;

use super::{
    error::Error,
    lock,
    profile::Profile,
    schema,
    state::{CHUNK_TABLE, DataSet, quoted},
    table::Table,
};
pub(crate) use chunk::Chunk;
use client::{Connection, Target};
use queue::Queue;
pub(crate) use source::{Source, TpccSource};
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

/// What to load and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Profile of tables and data.
    pub profile: Profile,
    /// Warehouses, at least 1.
    pub warehouses: u32,
    /// Seed of the data.
    pub seed: u64,
    /// Connections that load at once, at least 1.
    pub connections: u32,
    /// How rows are sent.
    pub method: LoadMethod,
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

    pub(crate) fn enter(&self, stage: impl Into<String>) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage.into();
    }

    pub(crate) fn stopped(&self) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// What a load did.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadSummary {
    /// Rows sent by this call.
    pub rows: u64,
    /// Chunks that an earlier call had loaded.
    pub chunks_resumed: usize,
    /// Time for the rows.
    pub rows_time: Duration,
    /// Time for indexes, foreign keys and statistics.
    pub finish_time: Duration,
    /// True when LOAD DATA LOCAL carried the rows.
    pub load_data: bool,
}

/// Loads a data set, or goes on with one whose load was broken off. Blocks until it is done.
///
/// # Errors
/// [`Error::OtherData`] where the database holds other data, [`Error::Stopped`] when
/// `progress.stop` was set; otherwise what the server said. Calling again goes on.
pub fn load(
    target: &Target,
    options: &LoadOptions,
    progress: &LoadProgress,
) -> Result<LoadSummary, Error> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let database = target.database.clone().ok_or(Error::NoDatabaseNamed)?;
    progress.enter("tables");
    let (mut connection, done) = runtime.block_on(open(target, &database, options, progress))?;
    let method = runtime.block_on(Method::choose(&mut connection, options.method))?;

    let all = Chunk::all(options.warehouses);
    let rows = |chunks: &[Chunk]| chunks.iter().map(|chunk| chunk.expected_rows()).sum::<u64>();
    progress.rows_expected.store(rows(&all), Ordering::Relaxed);
    let (resumed, missing): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|chunk| done.contains(&chunk.id()));
    progress.rows.store(rows(&resumed), Ordering::Relaxed);

    progress.enter("rows");
    let began = Instant::now();
    let source = TpccSource::new(options.profile, options.seed);
    let sent = send_all(target, &source, options.connections, method, &missing, progress)?;
    let rows_time = began.elapsed();

    let began = Instant::now();
    runtime.block_on(finish::finish(&mut connection, target, options, progress))?;
    runtime.block_on(connection.close());
    Ok(LoadSummary {
        rows: sent,
        chunks_resumed: resumed.len(),
        rows_time,
        finish_time: began.elapsed(),
        load_data: method == Method::LoadData,
    })
}

/// Makes database and tables, takes the lock, and reads which chunks are in.
async fn open(
    target: &Target,
    database: &str,
    options: &LoadOptions,
    progress: &LoadProgress,
) -> Result<(Connection, HashSet<u64>), Error> {
    let sorted = |doing: &str| Error::sorted(doing, &target.user, database);
    let server = Target { database: None, ..target.clone() };
    let mut connection = Connection::connect(&server).await.map_err(sorted("connecting"))?;
    let name = quoted(database);
    let exists = connection.run(&format!("USE {name}")).await;
    if matches!(&exists, Err(error) if error.code() == 1049) {
        let create = connection.run(&format!("CREATE DATABASE IF NOT EXISTS {name}")).await;
        create.map_err(sorted("making the database"))?;
        connection.run(&format!("USE {name}")).await.map_err(sorted("using the database"))?;
    } else {
        exists.map_err(sorted("using the database"))?;
    }
    lock::take(&mut connection, target, lock::PATIENCE, || progress.stopped()).await?;
    match DataSet::read(&mut connection, target).await? {
        Some(found) => same_data(&found, database, options)?,
        None => describe(&mut connection, target, database, options).await?,
    }
    for table in Table::ALL {
        let created = connection.run(&schema::create_table(options.profile, table)).await;
        created.map_err(sorted("making the tables"))?;
    }
    let rows = connection.query(&format!("SELECT id FROM {CHUNK_TABLE}")).await;
    let rows = rows.map_err(sorted("reading what is loaded"))?;
    let done = rows.iter().filter_map(|row| row.int(0).ok()).filter_map(|id| id.try_into().ok());
    let done = done.collect();
    Ok((connection, done))
}

fn same_data(found: &DataSet, database: &str, options: &LoadOptions) -> Result<(), Error> {
    let pairs = [
        ("profile", found.profile.to_string(), options.profile.to_string()),
        ("warehouses", found.warehouses.to_string(), options.warehouses.to_string()),
        ("seed", found.seed.to_string(), options.seed.to_string()),
    ];
    match pairs.into_iter().find(|(_, found, wanted)| found != wanted) {
        None => Ok(()),
        Some((option, found, wanted)) => {
            Err(Error::OtherData { database: database.to_owned(), option, found, wanted })
        }
    }
}

/// Writes down what is about to be loaded, unless somebody else's tables are in the way.
async fn describe(
    connection: &mut Connection,
    target: &Target,
    database: &str,
    options: &LoadOptions,
) -> Result<(), Error> {
    let rows = connection.query("SHOW TABLES").await;
    let rows = rows.map_err(Error::database("listing the tables"))?;
    let names: HashSet<String> = rows.iter().filter_map(|row| row.text(0)).collect();
    if let Some(table) =
        schema::names(options.profile).into_iter().find(|name| names.contains(*name))
    {
        return Err(Error::ForeignTable { database: database.to_owned(), table: table.to_owned() });
    }
    let LoadOptions { profile, warehouses, seed, .. } = *options;
    let write = async {
        DataSet::create_tables(connection).await?;
        DataSet { profile, warehouses, seed, ready: false }.write(connection).await
    };
    write.await.map_err(Error::sorted("describing the data set", &target.user, database))
}

/// Sends the chunks over as many connections as asked for; returns the rows sent.
pub(crate) fn send_all(
    target: &Target,
    source: &impl Source,
    connections: u32,
    method: Method,
    chunks: &[Chunk],
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
fn send_some(
    target: &Target,
    source: &impl Source,
    method: Method,
    next: impl Fn(Option<Table>) -> Option<Chunk>,
    progress: &LoadProgress,
    broken: &AtomicBool,
) -> Result<u64, Error> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut sender = transfer::Sender::open(target, source, method).await?;
        let (mut sent, mut table) = (0, None);
        while let Some(chunk) = next(table) {
            table = Some(chunk.table);
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
