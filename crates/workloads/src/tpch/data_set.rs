//! What a database says of the TPC-H data in it: a small table beside the others.

use super::{error::Error, table::Table};
use crate::tpcc;
use client::{Connection, Target};
use std::{collections::BTreeMap, ops::RangeInclusive};

/// The table that describes the data set.
pub(super) const STATE_TABLE: &str = "myrig_tpch";

/// Scale factors that there are data for. Below them tables would be empty; above, the generator
/// is not defined.
pub const SCALE_FACTORS: RangeInclusive<f64> = 0.0001..=100_000.0;

/// The data set in a database.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSet {
    /// Gigabytes of text that all eight tables together would be; 1 is 6 million lines.
    pub scale_factor: f64,
    /// The tables that are loaded, in the order of [`Table::ALL`].
    pub tables: Vec<Table>,
    /// False while it is being loaded.
    pub ready: bool,
}

impl DataSet {
    /// Rows of all its tables, exactly.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| super::count(*table, self.scale_factor)).sum()
    }

    /// Its tables, separated by commas.
    pub fn names(&self) -> String {
        self.tables.iter().map(|table| table.name()).collect::<Vec<_>>().join(",")
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
            Err(error) => return Err(Error::of_target("reading the data set", target)(error)),
        };
        let values: BTreeMap<String, String> =
            rows.iter().filter_map(|row| Some((row.text(0)?, row.text(1)?))).collect();
        let value = |name: &str| values.get(name).map(String::as_str).unwrap_or_default();
        let tables = value("tables").split(',').map(str::parse).collect::<Result<_, _>>();
        let scale_factor = value("scale_factor").parse().ok();
        let scale_factor = scale_factor.filter(|factor| SCALE_FACTORS.contains(factor));
        Ok(scale_factor.zip(tables.ok()).map(|(scale_factor, tables)| Self {
            scale_factor,
            tables,
            ready: value("state") == "ready",
        }))
    }

    /// Connects and makes sure that the data set is there, whole.
    ///
    /// # Errors
    /// What is missing and the way out.
    pub async fn expect(target: &Target) -> Result<(Self, Connection), Error> {
        let database = target.database.clone().ok_or(tpcc::Error::NoDatabaseNamed)?;
        let connected = Connection::connect(target).await;
        let mut connection = connected.map_err(Error::of_target("connecting", target))?;
        match Self::read(&mut connection, target).await? {
            None => Err(Error::NotLoaded { database }),
            Some(data) if !data.ready => Err(Error::half_loaded(database, &data)),
            Some(data) => Ok((data, connection)),
        }
    }

    /// Writes the description, replacing an older one.
    pub(super) async fn write(&self, connection: &mut Connection) -> Result<(), client::Error> {
        connection
            .run(&format!(
                "CREATE TABLE IF NOT EXISTS {STATE_TABLE} (name VARCHAR(32) PRIMARY KEY, \
                 value VARCHAR(255) NOT NULL) ENGINE=InnoDB"
            ))
            .await?;
        let state = if self.ready { "ready" } else { "loading" };
        let sql = format!(
            "REPLACE INTO {STATE_TABLE} (name, value) VALUES ('scale_factor', '{}'), \
             ('tables', '{}'), ('state', '{state}')",
            self.scale_factor,
            self.names()
        );
        connection.run(&sql).await.map(drop)
    }
}
