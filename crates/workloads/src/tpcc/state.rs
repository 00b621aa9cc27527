//! What a database says of the TPC-C data in it: a small table beside the nine.

use super::{error::Error, profile::Profile, random::NuRandConstants, table::Table};
use client::{Connection, Target};
use std::collections::{BTreeMap, HashSet};

/// The table that describes the data set.
pub(super) const STATE_TABLE: &str = "myrig_tpcc";
/// The table of the chunks that are loaded.
pub(super) const CHUNK_TABLE: &str = "myrig_tpcc_chunk";

/// The data set in a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSet {
    /// Profile of tables and data.
    pub profile: Profile,
    /// Warehouses.
    pub warehouses: u32,
    /// Seed that the data is made from.
    pub seed: u64,
    /// False while it is being loaded.
    pub ready: bool,
}

impl DataSet {
    /// The NURand constant that last names were loaded with.
    pub fn c_last_load(&self) -> u32 {
        NuRandConstants::for_load(self.seed).c_last
    }

    /// Reads what the connection's default database holds; none where it holds nothing of ours.
    ///
    /// # Errors
    /// A refusal of the server, sorted.
    pub async fn read(connection: &mut Connection, target: &Target) -> Result<Option<Self>, Error> {
        let database = target.database.as_deref().ok_or(Error::NoDatabaseNamed)?;
        let sql = format!("SELECT name, value FROM {STATE_TABLE}");
        let rows = match connection.query(&sql).await {
            Ok(rows) => rows,
            // No such table.
            Err(error) if error.code() == 1146 => return Ok(None),
            Err(error) => {
                return Err(Error::sorted("reading the data set", &target.user, database)(error));
            }
        };
        let values: BTreeMap<String, String> =
            rows.iter().filter_map(|row| Some((row.text(0)?, row.text(1)?))).collect();
        let value = |name: &str| values.get(name).map(String::as_str).unwrap_or_default();
        let parsed = (|| {
            Some(Self {
                profile: value("profile").parse().ok()?,
                warehouses: value("warehouses").parse().ok()?,
                seed: value("seed").parse().ok()?,
                ready: value("state") == "ready",
            })
        })();
        Ok(parsed)
    }

    /// Connects and makes sure that the data set is there, whole, and of `profile` where one is
    /// asked for.
    ///
    /// # Errors
    /// What is missing and the way out.
    pub async fn expect(target: &Target, profile: Option<Profile>) -> Result<Self, Error> {
        let database = target.database.clone().ok_or(Error::NoDatabaseNamed)?;
        let mut connection = Connection::connect(target).await.map_err(Error::sorted(
            "connecting",
            &target.user,
            &database,
        ))?;
        let found = Self::read(&mut connection, target).await?;
        let data = found.ok_or_else(|| Error::NotLoaded { database: database.clone() })?;
        if !data.ready {
            return Err(Error::HalfLoaded {
                database,
                profile: data.profile,
                warehouses: data.warehouses,
                seed: data.seed,
            });
        }
        if let Some(wanted) = profile.filter(|wanted| *wanted != data.profile) {
            return Err(Error::OtherData {
                database,
                option: "profile",
                found: data.profile.to_string(),
                wanted: wanted.to_string(),
            });
        }
        data.expect_tables(&mut connection, database).await?;
        connection.close().await;
        Ok(data)
    }

    async fn expect_tables(
        &self,
        connection: &mut Connection,
        database: String,
    ) -> Result<(), Error> {
        let rows = connection.query("SHOW TABLES").await;
        let rows = rows.map_err(Error::database("listing the tables"))?;
        let names: HashSet<String> = rows.iter().filter_map(|row| row.text(0)).collect();
        let missing =
            Table::ALL.iter().map(|t| t.name(self.profile)).find(|name| !names.contains(*name));
        match missing {
            Some(table) => Err(Error::MissingTable { database, table: table.to_owned() }),
            None => Ok(()),
        }
    }

    /// Writes the description, replacing an older one.
    pub(super) async fn write(&self, connection: &mut Connection) -> Result<(), client::Error> {
        let state = if self.ready { "ready" } else { "loading" };
        let sql = format!(
            "REPLACE INTO {STATE_TABLE} (name, value) VALUES ('profile', '{}'), \
             ('warehouses', '{}'), ('seed', '{}'), ('state', '{state}')",
            self.profile, self.warehouses, self.seed
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

/// An identifier in backticks, whatever is in it.
pub(crate) fn quoted(identifier: &str) -> String {
    format!("`{}`", identifier.replace('`', "``"))
}
