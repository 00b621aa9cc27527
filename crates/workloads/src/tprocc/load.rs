//! Loading: TPC-C's loader with HammerDB's tables, then the procedures and the statistics.

use super::{
    error::Error,
    procedures,
    profile::Profile,
    rows::HammerDbRows,
    schema::{self, TableOptions},
    state::{self, CHUNK_TABLE, DataSet},
};
use crate::{
    load::{Method, Part, connect, pieces_done, send_missing},
    tpcc::{
        self, LoadMethod, LoadProgress, LoadSummary, Table,
        load::{Chunk, Source, TpccSource},
        lock,
    },
};
use client::{Connection, Target};
use std::{collections::HashSet, time::Instant};
use tokio::runtime;

/// What to load and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Profile of tables, data and procedures.
    pub profile: Profile,
    /// Warehouses, at least 1.
    pub warehouses: u32,
    /// Seed of the data.
    pub seed: u64,
    /// How the tables are made.
    pub tables: TableOptions,
    /// Connections that load at once, at least 1.
    pub connections: u32,
    /// How rows are sent.
    pub method: LoadMethod,
}

impl LoadOptions {
    fn data_set(&self, ready: bool) -> DataSet {
        let Self { profile, warehouses, seed, .. } = *self;
        DataSet { profile, warehouses, seed, tables: self.tables.clone(), ready }
    }
}

/// Loads a data set and its procedures, or goes on with one whose load was broken off. Blocks
/// until it is done.
///
/// # Errors
/// [`Error::OtherData`] where the database holds other data, [`Error::NoCreateRoutine`] before
/// any row is sent, [`tpcc::Error::Stopped`] when `progress.stop` was set; otherwise what the
/// server said. Calling again goes on.
pub fn load(
    target: &Target,
    options: &LoadOptions,
    progress: &LoadProgress,
) -> Result<LoadSummary, Error> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(tpcc::Error::Thread)?;
    progress.enter("tables");
    let (mut connection, done) = runtime.block_on(open(target, options, progress))?;
    let method = runtime.block_on(Method::choose(&mut connection, options.method))?;

    let source = TproccSource::new(options.profile, options.seed);
    let pieces = (Chunk::all(options.warehouses), &done);
    let sent = send_missing(target, &source, options.connections, method, pieces, progress)?;

    let began = Instant::now();
    progress.enter("statistics");
    runtime.block_on(finish(&mut connection, options))?;
    runtime.block_on(connection.close());
    Ok(LoadSummary {
        rows: sent.rows,
        chunks_resumed: sent.resumed,
        rows_time: sent.time,
        finish_time: began.elapsed(),
        load_data: method == Method::LoadData,
    })
}

/// Replaces the procedures of a data set that is there, by those of this version; the data stays.
///
/// # Errors
/// [`Error::NotLoaded`], [`Error::NoCreateRoutine`]; otherwise what the server said.
pub async fn replace_procedures(target: &Target) -> Result<DataSet, Error> {
    let data = DataSet::expect(target, None, None).await?;
    let mut connection = state::open(target).await?;
    lock::take(&mut connection, target, lock::PATIENCE, || Ok(())).await?;
    procedures::install(&mut connection, target, data.profile).await?;
    data.write(&mut connection).await.map_err(Error::database("describing the data set"))?;
    connection.close().await;
    Ok(data)
}

/// Makes database, tables and procedures, takes the lock, and reads which chunks are in.
async fn open(
    target: &Target,
    options: &LoadOptions,
    progress: &LoadProgress,
) -> Result<(Connection, HashSet<u64>), Error> {
    let database = target.database.as_deref().ok_or(tpcc::Error::NoDatabaseNamed)?;
    // HammerDB's databases are of this character set.
    let mut connection = connect(target, "CHARACTER SET latin1").await?;
    lock::take(&mut connection, target, lock::PATIENCE, || progress.stopped()).await?;
    match DataSet::read(&mut connection, target).await? {
        Some(found) => same_data(&found, database, options)?,
        None => describe(&mut connection, target, database, options).await?,
    }
    for table in Table::ALL {
        let sql = schema::create_table(options.profile, &options.tables, table);
        connection.run(&sql).await.map_err(table_refused(target))?;
    }
    // Before the rows, which may take hours: what is missing is mostly a privilege.
    procedures::install(&mut connection, target, options.profile).await?;
    let done = pieces_done(&mut connection, target, CHUNK_TABLE).await?;
    Ok((connection, done))
}

fn table_refused(target: &Target) -> impl FnOnce(client::Error) -> Error {
    let sorted = Error::sorted("making the tables", target);
    // Unknown engine, syntax (INVISIBLE, PARTITION), and what an engine cannot do.
    move |error| match error.code() {
        1286 | 1064 | 1178 | 1235 | 1572 => Error::TableOptions { message: error.to_string() },
        _ => sorted(error),
    }
}

fn same_data(found: &DataSet, database: &str, options: &LoadOptions) -> Result<(), Error> {
    let wanted = options.data_set(false);
    let pairs = |data: &DataSet| {
        [
            ("profile", data.profile.to_string()),
            ("warehouses", data.warehouses.to_string()),
            ("seed", data.seed.to_string()),
            ("engine", data.tables.engine.clone()),
            ("partitions", data.tables.partitions.to_string()),
            ("history-key", data.tables.history_key.to_string()),
        ]
    };
    let mut both = pairs(found).into_iter().zip(pairs(&wanted));
    match both.find(|(found, wanted)| found != wanted) {
        None => Ok(()),
        Some(((option, found), (_, wanted))) => {
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
    let ours = Table::ALL.iter().map(|table| table.name(tpcc::Profile::Spec));
    if let Some(table) = ours.into_iter().find(|name| names.contains(*name)) {
        return Err(Error::ForeignTable { database: database.to_owned(), table: table.to_owned() });
    }
    let write = async {
        DataSet::create_tables(connection).await?;
        options.data_set(false).write(connection).await
    };
    write.await.map_err(Error::sorted("describing the data set", target))
}

async fn finish(connection: &mut Connection, options: &LoadOptions) -> Result<(), Error> {
    let names: Vec<_> = Table::ALL.iter().map(|t| t.name(tpcc::Profile::Spec)).collect();
    let analyzed = connection.query(&format!("ANALYZE TABLE {}", names.join(", "))).await;
    analyzed.map_err(Error::database("gathering statistics"))?;
    let ready = options.data_set(true).write(connection).await;
    ready.map_err(Error::database("marking the data set as ready"))
}

/// The rows of a profile: TPC-C's, or HammerDB's where those differ.
struct TproccSource {
    spec: TpccSource,
    hammerdb: Option<HammerDbRows>,
}

impl TproccSource {
    fn new(profile: Profile, seed: u64) -> Self {
        let hammerdb = (profile == Profile::HammerDb).then(|| HammerDbRows::new(seed));
        Self { spec: TpccSource::new(tpcc::Profile::Spec, seed), hammerdb }
    }
}

impl Source for TproccSource {
    fn name(&self, table: Table) -> &'static str {
        self.spec.name(table)
    }

    fn columns(&self, table: Table) -> &'static str {
        self.spec.columns(table)
    }

    fn chunk_table(&self) -> &'static str {
        CHUNK_TABLE
    }

    fn write(&self, chunk: Chunk, out: &mut Vec<u8>) {
        let Some(rows) = &self.hammerdb else { return self.spec.write(chunk, out) };
        let (warehouse, district) = (chunk.warehouse, chunk.part);
        match chunk.table {
            Table::Item => rows.items(out, chunk.items()),
            Table::Warehouse => rows.warehouse(out, warehouse),
            Table::District => rows.districts(out, warehouse),
            Table::Stock => rows.stocks(out, warehouse, chunk.items()),
            Table::Customer => rows.customers(out, warehouse, district),
            Table::Orders => rows.orders(out, warehouse, district),
            Table::OrderLine => rows.order_lines(out, warehouse, district),
            Table::History | Table::NewOrder => self.spec.write(chunk, out),
        }
    }

    fn parts(&self, chunk: Chunk) -> Vec<Part> {
        if self.hammerdb.is_none() {
            return self.spec.parts(chunk);
        }
        let mut rows = Vec::new();
        self.write(chunk, &mut rows);
        vec![Part { target: format!("({})", self.columns(chunk.table)), rows }]
    }
}
