//! Loading: parallel inside a warehouse, resumable, the same data for the same seed.
//!
//! The data is cut into chunks of a few megabytes. A connection takes the next chunk, writes a
//! marker and the chunk's rows in one transaction, and goes on; whatever was killed at whatever
//! moment, a chunk is there whole with its marker or not at all. Secondary indexes and foreign
//! keys are added when all rows are in.

mod chunk;
mod finish;
mod source;
mod supply;

use super::{
    error::Error,
    lock,
    profile::Profile,
    schema,
    state::{CHUNK_TABLE, DataSet},
    table::Table,
};
pub use crate::load::{LoadMethod, LoadProgress};
use crate::load::{Method, connect, pieces_done, send_missing};
pub(crate) use chunk::Chunk;
use client::{Connection, Target};
pub(crate) use source::{Source, TpccSource};
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};
use tokio::runtime;

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

    let source = TpccSource::new(options.profile, options.seed);
    let pieces = (Chunk::all(options.warehouses), &done);
    let sent = send_missing(target, &source, options.connections, method, pieces, progress)?;

    let began = Instant::now();
    runtime.block_on(finish::finish(&mut connection, target, options, progress))?;
    runtime.block_on(connection.close());
    Ok(LoadSummary {
        rows: sent.rows,
        chunks_resumed: sent.resumed,
        rows_time: sent.time,
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
    let mut connection = connect(target, "").await?;
    lock::take(&mut connection, target, lock::PATIENCE, || progress.stopped()).await?;
    match DataSet::read(&mut connection, target).await? {
        Some(found) => same_data(&found, database, options)?,
        None => describe(&mut connection, target, database, options).await?,
    }
    for table in Table::ALL {
        let created = connection.run(&schema::create_table(options.profile, table)).await;
        created.map_err(sorted("making the tables"))?;
    }
    let done = pieces_done(&mut connection, target, CHUNK_TABLE).await?;
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
