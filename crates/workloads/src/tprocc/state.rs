//! What a database says of the TPROC-C data in it: a small table beside the nine.

use super::{error::Error, procedures, profile::Profile, rows::C_LAST, schema::TableOptions};
use crate::tpcc::{self, Table, random::NuRandConstants};
use client::{Connection, Target};
use std::collections::{BTreeMap, HashSet};

/// The table that describes the data set.
pub(super) const STATE_TABLE: &str = "myrig_tprocc";
/// The table of the chunks that are loaded.
pub(super) const CHUNK_TABLE: &str = "myrig_tprocc_chunk";

/// The data set in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSet {
    /// Profile of tables, data and procedures.
    pub profile: Profile,
    /// Warehouses.
    pub warehouses: u32,
    /// Seed that the data is made from.
    pub seed: u64,
    /// How the tables were made.
    pub tables: TableOptions,
    /// False while it is being loaded.
    pub ready: bool,
}

impl DataSet {
    /// The NURand constant that last names were loaded with.
    pub fn c_last_load(&self) -> u32 {
        match self.profile {
            Profile::HammerDb => C_LAST,
            Profile::Spec => NuRandConstants::for_load(self.seed).c_last,
        }
    }

    /// The same data as TPC-C's check sees it: table and column names are the specification's.
    pub fn as_tpcc(&self) -> tpcc::DataSet {
        let Self { warehouses, seed, ready, .. } = *self;
        tpcc::DataSet { profile: tpcc::Profile::Spec, warehouses, seed, ready }
    }

    /// Reads what the connection's default database holds; none where it holds nothing of ours.
    ///
    /// # Errors
    /// A refusal of the server, sorted.
    pub async fn read(connection: &mut Connection, target: &Target) -> Result<Option<Self>, Error> {
        let sql = format!("SELECT name, value FROM {STATE_TABLE}");
        let rows = match connection.query(&sql).await {
            Ok(rows) => rows,
            // No such table.
            Err(error) if error.code() == 1146 => return Ok(None),
            Err(error) => return Err(Error::sorted("reading the data set", target)(error)),
        };
        let values: BTreeMap<String, String> =
            rows.iter().filter_map(|row| Some((row.text(0)?, row.text(1)?))).collect();
        let value = |name: &str| values.get(name).map(String::as_str).unwrap_or_default();
        let parsed = (|| {
            Some(Self {
                profile: value("profile").parse().ok()?,
                warehouses: value("warehouses").parse().ok()?,
                seed: value("seed").parse().ok()?,
                tables: TableOptions {
                    engine: value("engine").to_owned(),
                    partitions: value("partitions").parse().ok()?,
                    history_key: value("history-key") == "true",
                },
                ready: value("state") == "ready",
            })
        })();
        Ok(parsed)
    }

    /// Connects and makes sure that the data set is there, whole, and of `profile` and size where
    /// they are asked for.
    ///
    /// # Errors
    /// What is missing and the way out.
    pub async fn expect(
        target: &Target,
        profile: Option<Profile>,
        warehouses: Option<u32>,
    ) -> Result<Self, Error> {
        let mut connection = open(target).await?;
        let database = target.database.clone().unwrap_or_default();
        let found = Self::read(&mut connection, target).await?;
        let data = found.ok_or_else(|| Error::NotLoaded { database: database.clone() })?;
        if !data.ready {
            let Self { profile, warehouses, seed, .. } = data;
            return Err(Error::HalfLoaded { database, profile, warehouses, seed });
        }
        let other = |option, found: String, wanted: String| {
            Err(Error::OtherData { database: database.clone(), option, found, wanted })
        };
        if let Some(wanted) = profile.filter(|wanted| *wanted != data.profile) {
            return other("profile", data.profile.to_string(), wanted.to_string());
        }
        if let Some(wanted) = warehouses.filter(|wanted| *wanted != data.warehouses) {
            return other("warehouses", data.warehouses.to_string(), wanted.to_string());
        }
        data.expect_tables(&mut connection, &database).await?;
        connection.close().await;
        Ok(data)
    }

    /// Makes sure that its five procedures are there, in this version.
    ///
    /// # Errors
    /// [`Error::OtherProcedures`] and the way out.
    pub async fn expect_procedures(&self, target: &Target) -> Result<(), Error> {
        let mut connection = open(target).await?;
        procedures::expect(&mut connection, target, self.profile).await?;
        connection.close().await;
        Ok(())
    }

    async fn expect_tables(
        &self,
        connection: &mut Connection,
        database: &str,
    ) -> Result<(), Error> {
        let rows = connection.query("SHOW TABLES").await;
        let rows = rows.map_err(Error::database("listing the tables"))?;
        let names: HashSet<String> = rows.iter().filter_map(|row| row.text(0)).collect();
        let name = |table: &Table| table.name(tpcc::Profile::Spec);
        if let Some(table) = Table::ALL.iter().map(name).find(|name| !names.contains(*name)) {
            let database = database.to_owned();
            return Err(Error::MissingTable { database, table: table.to_owned() });
        }
        let row = connection.query_one("SELECT COUNT(*) FROM warehouse").await;
        let counted = row.map(|row| row.map_or(Ok(0), |row| row.int(0)));
        let found = counted.and_then(|count| count);
        let found = found.map_err(Error::database("counting the warehouses"))?;
        if found != i64::from(self.warehouses) {
            let (database, expected) = (database.to_owned(), self.warehouses);
            return Err(Error::OtherWarehouses { database, expected, found });
        }
        Ok(())
    }

    /// Writes the description, replacing an older one.
    pub(super) async fn write(&self, connection: &mut Connection) -> Result<(), client::Error> {
        let state = if self.ready { "ready" } else { "loading" };
        let sql = format!(
            "REPLACE INTO {STATE_TABLE} (name, value) VALUES ('profile', '{}'), \
             ('warehouses', '{}'), ('seed', '{}'), ('engine', '{}'), ('partitions', '{}'), \
             ('history-key', '{}'), ('procedures', '{}'), ('state', '{state}')",
            self.profile,
            self.warehouses,
            self.seed,
            self.tables.engine,
            self.tables.partitions,
            self.tables.history_key,
            procedures::version(self.profile),
        );
        connection.run(&sql).await.map(drop)
    }

    /// Makes the two tables of our own where they are missing.
    pub(super) async fn create_tables(connection: &mut Connection) -> Result<(), client::Error> {
        for sql in [
            format!(
                "CREATE TABLE IF NOT EXISTS {STATE_TABLE} (name VARCHAR(32) PRIMARY KEY, \
                 value VARCHAR(255) NOT NULL) ENGINE=InnoDB"
            ),
            format!(
                "CREATE TABLE IF NOT EXISTS {CHUNK_TABLE} (id BIGINT UNSIGNED PRIMARY KEY) \
                 ENGINE=InnoDB"
            ),
        ] {
            connection.run(&sql).await?;
        }
        Ok(())
    }
}

/// A connection to a database that must be named.
pub(super) async fn open(target: &Target) -> Result<Connection, Error> {
    if target.database.is_none() {
        return Err(tpcc::Error::NoDatabaseNamed.into());
    }
    Connection::connect(target).await.map_err(Error::sorted("connecting", target))
}
