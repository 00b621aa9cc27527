//! Loading: parallel inside a table, resumable, the same data for the same seed.
//!
//! While a load is under way two tables of our own say how far it is; when it has ended they are
//! gone, and what is left is what sysbench would have made.

mod chunk;
mod finish;

pub use crate::load::{LoadMethod, LoadProgress};

use super::{
    data_set::DataSet,
    error::Error,
    random::{Distribution, DistributionOptions},
    state::{CHUNK_TABLE, State},
    tables,
};
use crate::{
    load::{Method, connect, pieces_done, send_missing},
    tpcc::{self, lock},
};
use chunk::{Chunk, Rows};
use client::{Connection, Target};
use std::{
    collections::HashSet,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};
use tokio::runtime;

/// What to load and how.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadOptions {
    /// The tables.
    pub data: DataSet,
    /// Seed of the rows.
    pub seed: u64,
    /// Where the values of column k come from.
    pub keys: DistributionOptions,
    /// Connections that load at once, at least 1; several share a table where there are more
    /// connections than tables.
    pub connections: u32,
    /// How rows are sent.
    pub method: LoadMethod,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            data: DataSet::default(),
            seed: 1,
            keys: DistributionOptions::default(),
            connections: 1,
            method: LoadMethod::Auto,
        }
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
    /// Time for indexes and statistics.
    pub finish_time: Duration,
    /// True when LOAD DATA LOCAL carried the rows.
    pub load_data: bool,
    /// True when such tables were there before the call, so that nothing was to be done.
    pub already_there: bool,
}

/// Makes tables and loads them, or goes on with a load that was broken off. Blocks until it is
/// done.
///
/// # Errors
/// [`Error::OtherData`] and [`Error::ForeignTable`] where other tables are in the way;
/// [`Error::Options`]; that `progress.stop` was set (see [`Error::is_stopped`]); otherwise what the
/// server said. Calling again goes on.
pub fn load(
    target: &Target,
    options: &LoadOptions,
    progress: &LoadProgress,
) -> Result<LoadSummary, Error> {
    options.data.validate().map_err(Error::Options)?;
    let keys = Distribution::new(&options.keys, options.data.table_size);
    let source = Rows { seed: options.seed, keys: keys.map_err(Error::Options)? };
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    progress.enter("tables");
    let (mut connection, done) = runtime.block_on(open(target, options, progress))?;
    let Some(done) = done else {
        runtime.block_on(connection.close());
        return Ok(LoadSummary { already_there: true, ..LoadSummary::default() });
    };
    let method = runtime.block_on(Method::choose(&mut connection, options.method))?;

    let pieces = (Chunk::all(&options.data), &done);
    let sent = send_missing(target, &source, options.connections, method, pieces, progress)?;

    let began = Instant::now();
    finish::finish(target, &options.data, options.connections, progress)?;
    let ended = runtime.block_on(State::remove(&mut connection));
    ended.map_err(Error::of_target("ending the load", target))?;
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
/// was made before.
async fn open(
    target: &Target,
    options: &LoadOptions,
    progress: &LoadProgress,
) -> Result<(Connection, Option<HashSet<u64>>), Error> {
    let mut connection = connect(target, "").await?;
    let stopped = || match progress.stop.load(Ordering::Relaxed) {
        true => Err(tpcc::Error::Stopped),
        false => Ok(()),
    };
    lock::take(&mut connection, target, lock::PATIENCE, stopped).await?;
    let seed = options.seed;
    let DataSet { tables, table_size, .. } = options.data;
    let begun = State::read(&mut connection, target).await?;
    let wanted = State { tables, table_size, seed };
    match begun {
        Some(begun) => same_load(target, begun, wanted)?,
        None if is_there(&mut connection, target, &options.data).await? => {
            return Ok((connection, None));
        }
        None => {
            let written = wanted.write(&mut connection).await;
            written.map_err(Error::of_target("describing the load", target))?;
        }
    }
    make_tables(&mut connection, target, &options.data).await?;
    let done = pieces_done(&mut connection, target, CHUNK_TABLE).await?;
    Ok((connection, Some(done)))
}

fn same_load(target: &Target, begun: State, wanted: State) -> Result<(), Error> {
    let pairs = [
        ("tables", u64::from(begun.tables), u64::from(wanted.tables)),
        ("table-size", begun.table_size.into(), wanted.table_size.into()),
        ("seed", begun.seed, wanted.seed),
    ];
    let pairs =
        pairs.map(|(option, begun, wanted)| (option, begun.to_string(), wanted.to_string()));
    refuse_other(target, pairs)
}

fn refuse_other(
    target: &Target,
    pairs: impl IntoIterator<Item = (&'static str, String, String)>,
) -> Result<(), Error> {
    let database = target.database.clone().ok_or(tpcc::Error::NoDatabaseNamed)?;
    match pairs.into_iter().find(|(_, found, wanted)| found != wanted) {
        None => Ok(()),
        Some((option, found, wanted)) => Err(Error::OtherData { database, option, found, wanted }),
    }
}

/// Whether such tables are there already. Other tables of those names are refused.
async fn is_there(
    connection: &mut Connection,
    target: &Target,
    data: &DataSet,
) -> Result<bool, Error> {
    let Some(found) = DataSet::read(connection, target).await? else {
        let others = tables::list(connection, target).await?;
        let Some(&number) = others.keys().find(|number| **number <= data.tables) else {
            return Ok(false);
        };
        let database = target.database.clone().ok_or(tpcc::Error::NoDatabaseNamed)?;
        let why = "there is no `sbtest1` beside it".into();
        return Err(Error::ForeignTable { database, number, why });
    };
    let pairs = [
        ("tables", found.tables.to_string(), data.tables.to_string()),
        ("table-size", found.table_size.to_string(), data.table_size.to_string()),
        ("schema", found.schema.to_string(), data.schema.to_string()),
        ("auto-inc", found.auto_inc.to_string(), data.auto_inc.to_string()),
        ("secondary", found.secondary.to_string(), data.secondary.to_string()),
        ("create-secondary", found.create_secondary.to_string(), data.create_secondary.to_string()),
    ];
    refuse_other(target, pairs).map(|()| true)
}

/// Makes the tables that are missing, and forgets what was once loaded into them.
async fn make_tables(
    connection: &mut Connection,
    target: &Target,
    data: &DataSet,
) -> Result<(), Error> {
    let mut found = tables::list(connection, target).await?;
    let refused = || Error::of_target("making the tables", target);
    if !data.is_transactional() {
        // What a killed load left of a chunk is still there: such tables are begun anew.
        for number in std::mem::take(&mut found).into_keys().filter(|n| *n <= data.tables) {
            connection.run(&format!("DROP TABLE sbtest{number}")).await.map_err(refused())?;
        }
    }
    for number in (1..=data.tables).filter(|number| !found.contains_key(number)) {
        connection.run(&data.create_table(number)).await.map_err(refused())?;
        let markers = Chunk::markers_of(number);
        let forget = format!("DELETE FROM {CHUNK_TABLE} WHERE {markers}");
        connection.run(&forget).await.map_err(refused())?;
    }
    Ok(())
}
