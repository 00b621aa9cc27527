//! What a database says of a load that is under way. Once it has ended nothing is left but
//! the tables of sysbench.

use super::error::Error;
use crate::tpcc;
use client::{Connection, Target};
use std::collections::BTreeMap;

/// The table that describes the load.
pub(super) const STATE_TABLE: &str = "myrig_oltp";
/// The table of the chunks that are loaded.
pub(super) const CHUNK_TABLE: &str = "myrig_oltp_chunk";

/// No such table.
const NO_TABLE: u16 = 1146;

/// A load that was begun and has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) tables: u32,
    pub(super) table_size: u32,
    pub(super) seed: u64,
}

impl State {
    /// Reads it; none where no load is under way.
    pub(super) async fn read(
        connection: &mut Connection,
        target: &Target,
    ) -> Result<Option<Self>, Error> {
        let rows = match connection.query(&format!("SELECT name, value FROM {STATE_TABLE}")).await {
            Ok(rows) => rows,
            Err(error) if error.code() == NO_TABLE => return Ok(None),
            Err(error) => {
                return Err(Error::of_target("reading the load", target)(error));
            }
        };
        let values: BTreeMap<String, String> =
            rows.iter().filter_map(|row| Some((row.text(0)?, row.text(1)?))).collect();
        let value = |name: &str| values.get(name).map(String::as_str).unwrap_or_default();
        Ok((|| {
            Some(Self {
                tables: value("tables").parse().ok()?,
                table_size: value("table_size").parse().ok()?,
                seed: value("seed").parse().ok()?,
            })
        })())
    }

    /// Says how a load that has not ended is gone on with, if there is one.
    ///
    /// # Errors
    /// [`Error::HalfLoaded`]; a refusal of the server, sorted.
    pub(super) async fn refuse_half_loaded(
        connection: &mut Connection,
        target: &Target,
    ) -> Result<(), Error> {
        let Some(Self { tables, table_size, seed }) = Self::read(connection, target).await? else {
            return Ok(());
        };
        let database = target.database.clone().ok_or(tpcc::Error::NoDatabaseNamed)?;
        Err(Error::HalfLoaded { database, tables, table_size, seed })
    }

    /// Writes it down, with the tables of our own that this takes.
    pub(super) async fn write(&self, connection: &mut Connection) -> Result<(), client::Error> {
        let Self { tables, table_size, seed } = self;
        for sql in [
            format!(
                "CREATE TABLE IF NOT EXISTS {CHUNK_TABLE} (id BIGINT UNSIGNED PRIMARY KEY) \
                 ENGINE=InnoDB"
            ),
            format!(
                "CREATE TABLE IF NOT EXISTS {STATE_TABLE} (name VARCHAR(32) PRIMARY KEY, \
                 value VARCHAR(255) NOT NULL) ENGINE=InnoDB"
            ),
            format!(
                "REPLACE INTO {STATE_TABLE} (name, value) VALUES ('tables', '{tables}'), \
                 ('table_size', '{table_size}'), ('seed', '{seed}')"
            ),
        ] {
            connection.run(&sql).await?;
        }
        Ok(())
    }

    /// Forgets the load: it has ended, or its tables are gone.
    pub(super) async fn remove(connection: &mut Connection) -> Result<(), client::Error> {
        // The description goes last, so that a broken-off removal is done again.
        connection.run(&format!("DROP TABLE IF EXISTS {CHUNK_TABLE}")).await?;
        connection.run(&format!("DROP TABLE IF EXISTS {STATE_TABLE}")).await.map(drop)
    }
}
