//! Loading: over several connections, going on where an earlier load was broken off.

use super::{
    data_set::DataSet,
    error::Error,
    rows::{Chunk, Rows},
    table::Table,
};
use crate::{
    load::{Method, connect, pieces_done, send_missing},
    tpcc::{self, LoadMethod, LoadProgress, lock},
};
use client::{Connection, Target};
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};
use tokio::runtime;

/// The table of the chunks that are loaded; gone when all of them are.
pub(super) const CHUNK_TABLE: &str = "myrig_tpch_chunk";

/// What to load and how.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadOptions {
    /// Within [`SCALE_FACTORS`](super::SCALE_FACTORS).
    pub scale_factor: f64,
    /// The tables, at least one; they are loaded in the order of [`Table::ALL`].
    pub tables: Vec<Table>,
    /// Connections that load at once, at least 1.
    pub connections: u32,
    /// How rows are sent.
    pub method: LoadMethod,
}

impl LoadOptions {
    fn data_set(&self, ready: bool) -> DataSet {
        let tables = Table::ALL.into_iter().filter(|table| self.tables.contains(table));
        DataSet { scale_factor: self.scale_factor, tables: tables.collect(), ready }
    }
}

/// What a load did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadSummary {
    /// Rows sent by this call.
    pub rows: u64,
    /// Chunks that an earlier call had loaded.
    pub chunks_resumed: usize,
    /// Time for the rows.
    pub rows_time: Duration,
    /// Time for statistics.
    pub finish_time: Duration,
    /// True when LOAD DATA LOCAL carried the rows.
    pub load_data: bool,
    /// True when the data was there before the call, so that nothing was to be done.
    pub already_there: bool,
}

/// Makes tables and loads them, or goes on with a load that was broken off. Blocks until it is
/// done. The generator takes some 300 MB of memory for its texts.
///
/// # Errors
/// [`Error::OtherData`] and [`Error::ForeignTable`] where others are in the way; that
/// `progress.stop` was set (see [`Error::is_stopped`]); otherwise what the server said. Calling
/// again goes on.
pub fn load(
    target: &Target,
    options: &LoadOptions,
    progress: &LoadProgress,
) -> Result<LoadSummary, Error> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    progress.enter("tables");
    let wanted = options.data_set(false);
    let (mut connection, done) = runtime.block_on(open(target, &wanted, progress))?;
    let Some(done) = done else {
        runtime.block_on(connection.close());
        return Ok(LoadSummary { already_there: true, ..LoadSummary::default() });
    };
    let method = runtime.block_on(Method::choose(&mut connection, options.method))?;
    let source = Rows { scale_factor: options.scale_factor };
    let pieces = (Chunk::all(&wanted.tables, options.scale_factor), &done);
    let sent = send_missing(target, &source, options.connections, method, pieces, progress)?;
    let began = Instant::now();
    progress.enter("statistics");
    let ready = DataSet { ready: true, ..wanted };
    runtime.block_on(finish(&mut connection, target, &ready))?;
    runtime.block_on(connection.close());
    Ok(LoadSummary {
        rows: sent.rows,
        chunks_resumed: sent.resumed,
        rows_time: sent.time,
        finish_time: began.elapsed(),
        load_data: method == Method::LoadData,
        already_there: false,
    })
}

/// Makes database and tables, takes the lock, and reads which chunks are in; none where all of it
/// was loaded before.
async fn open(
    target: &Target,
    wanted: &DataSet,
    progress: &LoadProgress,
) -> Result<(Connection, Option<HashSet<u64>>), Error> {
    let database = target.database.clone().ok_or(tpcc::Error::NoDatabaseNamed)?;
    // dbgen writes ASCII.
    let mut connection = connect(target, "CHARACTER SET latin1").await?;
    lock::take(&mut connection, target, lock::PATIENCE, || progress.stopped()).await?;
    match DataSet::read(&mut connection, target).await? {
        Some(found) => {
            same(&found, database, wanted)?;
            if found.ready {
                return Ok((connection, None));
            }
        }
        None => describe(&mut connection, target, database, wanted).await?,
    }
    for table in &wanted.tables {
        let made = connection.run(&table.create()).await;
        made.map_err(Error::of_target("making the tables", target))?;
    }
    let done = pieces_done(&mut connection, target, CHUNK_TABLE).await?;
    Ok((connection, Some(done)))
}

fn same(found: &DataSet, database: String, wanted: &DataSet) -> Result<(), Error> {
    let factor = |data: &DataSet| data.scale_factor.to_string();
    let pairs = [
        ("scale-factor", factor(found), factor(wanted)),
        ("tables", found.names(), wanted.names()),
    ];
    match pairs.into_iter().find(|(_, found, wanted)| found != wanted) {
        None => Ok(()),
        Some((option, found, wanted)) => Err(Error::OtherData { database, option, found, wanted }),
    }
}

/// Writes down what is about to be loaded, unless somebody else's tables are in the way.
async fn describe(
    connection: &mut Connection,
    target: &Target,
    database: String,
    wanted: &DataSet,
) -> Result<(), Error> {
    let rows = connection.query("SHOW TABLES").await;
    let rows = rows.map_err(Error::of_target("listing the tables", target))?;
    let names: HashSet<String> = rows.iter().filter_map(|row| row.text(0)).collect();
    if let Some(table) = wanted.tables.iter().find(|table| names.contains(table.name())) {
        return Err(Error::ForeignTable { database, table: table.name().to_owned() });
    }
    let described = async {
        let sql = format!(
            "CREATE TABLE IF NOT EXISTS {CHUNK_TABLE} (id BIGINT UNSIGNED PRIMARY KEY) \
             ENGINE=InnoDB"
        );
        connection.run(&sql).await?;
        wanted.write(connection).await
    };
    described.await.map_err(Error::of_target("describing the data set", target))
}

/// Statistics, and the word that it is ready. The markers are of no use any more, and would be
/// one file more to verify.
async fn finish(connection: &mut Connection, target: &Target, data: &DataSet) -> Result<(), Error> {
    let names = data.names();
    let analyzed = connection.query(&format!("ANALYZE TABLE {names}")).await;
    analyzed.map(drop).map_err(Error::of_target("gathering statistics", target))?;
    let ready = data.write(connection).await;
    ready.map_err(Error::of_target("marking the data set as ready", target))?;
    let dropped = connection.run(&format!("DROP TABLE IF EXISTS {CHUNK_TABLE}")).await;
    dropped.map(drop).map_err(Error::of_target("ending the load", target))
}
