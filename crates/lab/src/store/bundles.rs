//! Records that are made of several runs: sweeps and groups. A row each, and a row for each run
//! that is part of one.

use super::{find::NAMED, rows::RowError};
use crate::export::ExportError;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::{Serialize, de::DeserializeOwned};

/// The names of a kind's two tables and their columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tables {
    /// The table with a row a record.
    pub(super) whole: &'static str,
    /// Its key, in both tables.
    pub(super) key: &'static str,
    /// The table with a row a run: key, the run's place from 1, its id.
    pub(super) parts: &'static str,
}

/// A record as it is written.
pub(super) struct Bundle<'a, S> {
    pub(super) id: &'a str,
    pub(super) started_at: &'a str,
    /// What a list shows of it.
    pub(super) summary: S,
    /// The record as JSON.
    pub(super) record: String,
    /// Ids of its runs, in order.
    pub(super) runs: Vec<&'a str>,
}

impl Tables {
    /// Writes a record and its parts, in place of an earlier version of it.
    pub(super) fn write<S: Serialize>(
        self,
        connection: &Connection,
        bundle: &Bundle<'_, S>,
    ) -> Result<(), RowError> {
        let Self { whole, key, parts } = self;
        let sql = format!(
            "INSERT INTO {whole} (id, started_at, summary, record) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (id) DO UPDATE SET started_at = ?2, summary = ?3, record = ?4
             RETURNING {key}"
        );
        let summary = serde_json::to_string(&bundle.summary).map_err(ExportError::from)?;
        let parameters = params![bundle.id, bundle.started_at, summary, bundle.record];
        let row: i64 = connection.query_row(&sql, parameters, |row| row.get(0))?;
        connection.execute(&format!("DELETE FROM {parts} WHERE {key} = ?1"), [row])?;
        let mut part = connection.prepare(&format!("INSERT INTO {parts} VALUES (?, ?, ?)"))?;
        for (place, run) in (1_i64..).zip(&bundle.runs) {
            part.execute(params![row, place, run])?;
        }
        Ok(())
    }

    /// The summaries, the latest first.
    pub(super) fn list<S: DeserializeOwned>(
        self,
        connection: &Connection,
        limit: Option<u32>,
    ) -> Result<Vec<S>, RowError> {
        let Self { whole, key, .. } = self;
        let sql =
            format!("SELECT summary FROM {whole} ORDER BY started_at DESC, {key} DESC LIMIT ?1");
        // SQLite takes a negative limit for none.
        let limit = limit.map_or(-1, i64::from);
        let mut statement = connection.prepare(&sql)?;
        let summaries = statement.query_map([limit], |row| row.get::<_, String>(0))?;
        summaries.map(|json| Ok(serde_json::from_str(&json?).map_err(ExportError::from)?)).collect()
    }

    /// The JSON of the record whose id is `id`.
    pub(super) fn read(self, connection: &Connection, id: &str) -> rusqlite::Result<String> {
        let sql = format!("SELECT record FROM {} WHERE id = ?1", self.whole);
        connection.query_row(&sql, [id], |row| row.get(0))
    }

    /// Ids that begin with `prefix`, an exact one before all; a few of them suffice.
    pub(super) fn beginning_with(
        self,
        connection: &Connection,
        prefix: &str,
    ) -> rusqlite::Result<Vec<String>> {
        let Self { whole, key, .. } = self;
        let sql = format!(
            "SELECT id FROM {whole} WHERE substr(id, 1, length(?1)) = ?1
             ORDER BY id = ?1 DESC, started_at DESC, {key} DESC LIMIT ?2"
        );
        connection.prepare(&sql)?.query_map((prefix, NAMED as i64), |row| row.get(0))?.collect()
    }

    /// The record that a run is part of.
    pub(super) fn of_run(
        self,
        connection: &Connection,
        run: &str,
    ) -> rusqlite::Result<Option<String>> {
        let Self { whole, key, parts } = self;
        let sql = format!("SELECT id FROM {whole} JOIN {parts} USING ({key}) WHERE run = ?1");
        connection.query_row(&sql, [run], |row| row.get(0)).optional()
    }

    /// Removes the record whose id is `id` with the runs that are part of it.
    pub(super) fn remove(self, connection: &Connection, id: &str) -> rusqlite::Result<()> {
        let Self { whole, key, parts } = self;
        let runs = format!(
            "DELETE FROM runs WHERE id IN
             (SELECT p.run FROM {parts} p JOIN {whole} w USING ({key}) WHERE w.id = ?1)"
        );
        connection.execute(&runs, [id])?;
        connection.execute(&format!("DELETE FROM {whole} WHERE id = ?1"), [id]).map(drop)
    }
}
