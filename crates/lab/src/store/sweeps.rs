//! Sweeps in the store: a row a sweep, and a row for each run that is a step of one.

use super::{find::NAMED, rows::RowError};
use crate::{
    export::ExportError,
    record::RunStatus,
    sweep::{self, SweepRecord},
};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::{Deserialize, Serialize};

/// One line of a list of sweeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepSummary {
    /// Unique id.
    pub id: String,
    /// What a person called it, or empty.
    pub label: String,
    /// Start, UTC, RFC 3339.
    pub started_at: String,
    /// Workload's name.
    pub workload: String,
    /// Declared profile with its version.
    pub profile: String,
    /// Flavour and version.
    pub server: String,
    /// `complete` or `partial`.
    pub status: String,
    /// Steps that were taken.
    pub steps: u32,
    /// What was varied, the first and the last value, `1 to 64 connections`.
    pub range: String,
    /// The figure of the peak, `tpmC`; none before a step had one.
    pub peak_name: Option<String>,
    /// Its value.
    pub peak_value: Option<f64>,
    /// Where it was, in the unit of what was varied.
    pub peak_at: Option<f64>,
}

/// Writes a sweep and its steps, in place of an earlier version of it.
pub(super) fn write(connection: &Connection, record: &SweepRecord) -> Result<(), RowError> {
    let summary = summary(record);
    let sql = "
        INSERT INTO sweeps (id, started_at, summary, record) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (id) DO UPDATE SET started_at = ?2, summary = ?3, record = ?4
        RETURNING sweep";
    let summary = serde_json::to_string(&summary).map_err(ExportError::from)?;
    let parameters = params![record.id, record.started_at, summary, sweep::compact(record)?];
    let key: i64 = connection.query_row(sql, parameters, |row| row.get(0))?;
    connection.execute("DELETE FROM sweep_steps WHERE sweep = ?1", [key])?;
    let mut step = connection.prepare("INSERT INTO sweep_steps VALUES (?, ?, ?)")?;
    for (number, of_sweep) in (1_i64..).zip(&record.steps) {
        step.execute(params![key, number, of_sweep.run])?;
    }
    Ok(())
}

fn summary(record: &SweepRecord) -> SweepSummary {
    let server = format!("{} {}", record.server.flavour, record.server.version);
    let at = |step: usize| record.steps.get(step).map(|step| record.value(step));
    let number = |value: Option<&f64>| value.map(f64::to_string).unwrap_or_default();
    SweepSummary {
        id: record.id.clone(),
        label: record.label.clone(),
        started_at: record.started_at.clone(),
        workload: record.workload.name.clone(),
        profile: record.workload.profile.clone(),
        server: server.trim().to_owned(),
        status: match record.status {
            RunStatus::Complete => "complete".to_owned(),
            RunStatus::Partial { .. } => "partial".to_owned(),
        },
        steps: record.steps.len() as u32,
        range: format!(
            "{} to {} {}",
            number(record.planned.first()),
            number(record.planned.last()),
            record.varied.unit()
        ),
        peak_name: record.peak.as_ref().map(|peak| peak.figure.clone()),
        peak_value: record.peak.as_ref().map(|peak| peak.value),
        peak_at: record.peak.as_ref().and_then(|peak| at(peak.step)),
    }
}

/// The latest first.
pub(super) fn list(
    connection: &Connection,
    limit: Option<u32>,
) -> Result<Vec<SweepSummary>, RowError> {
    let sql = "SELECT summary FROM sweeps ORDER BY started_at DESC, sweep DESC LIMIT ?1";
    // SQLite takes a negative limit for none.
    let limit = limit.map_or(-1, i64::from);
    let mut statement = connection.prepare(sql)?;
    let summaries = statement.query_map([limit], |row| row.get::<_, String>(0))?;
    summaries.map(|json| Ok(serde_json::from_str(&json?).map_err(ExportError::from)?)).collect()
}

/// The sweep whose id is `id`.
pub(super) fn read(connection: &Connection, id: &str) -> Result<SweepRecord, RowError> {
    let sql = "SELECT record FROM sweeps WHERE id = ?1";
    let json: String = connection.query_row(sql, [id], |row| row.get(0))?;
    Ok(sweep::parse(&json)?)
}

/// Ids that begin with `key`, an exact one before all; a few of them suffice.
pub(super) fn beginning_with(connection: &Connection, key: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT id FROM sweeps WHERE substr(id, 1, length(?1)) = ?1
               ORDER BY id = ?1 DESC, started_at DESC, sweep DESC LIMIT ?2";
    connection.prepare(sql)?.query_map((key, NAMED as i64), |row| row.get(0))?.collect()
}

/// The sweep that a run is a step of.
pub(super) fn of_run(connection: &Connection, run: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT id FROM sweeps JOIN sweep_steps USING (sweep) WHERE run = ?1";
    connection.query_row(sql, [run], |row| row.get(0)).optional()
}

/// Removes the sweep whose id is `id` with the runs that are its steps.
pub(super) fn remove(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    let steps = "DELETE FROM runs WHERE id IN
                 (SELECT s.run FROM sweep_steps s JOIN sweeps USING (sweep) WHERE sweeps.id = ?1)";
    connection.execute(steps, [id])?;
    connection.execute("DELETE FROM sweeps WHERE id = ?1", [id]).map(drop)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{
        record,
        store::{Found, RunFilter, Store, schema::MIGRATIONS},
        sweep::example,
    };
    use rusqlite::Connection;
    use tempfile::{TempDir, tempdir};

    fn filled() -> (TempDir, Store) {
        let directory = tempdir().unwrap();
        let mut store = Store::open(directory.path().join("runs.sqlite")).unwrap();
        store.save(&record::example::record()).unwrap();
        for run in example::runs() {
            store.save(&run).unwrap();
            store.save_sweep(&example::sweep()).unwrap();
        }
        (directory, store)
    }

    #[test]
    fn a_sweep_is_found_by_its_id_its_beginning_and_as_the_latest() {
        let (_directory, store) = filled();
        for key in ["sweep-20261121T204500-abcdef", "sweep-2026", "latest"] {
            assert_eq!(store.find(key).unwrap(), Found::Sweep(example::sweep().into()), "{key}");
        }
        let run = store.find("20261121T204500-000004").unwrap();
        assert!(matches!(run, Found::Run(run) if run.id.ends_with("000004")));
        assert!(store.find("sweep-1999").is_err());
    }

    #[test]
    fn a_list_says_which_runs_are_steps() {
        let (_directory, store) = filled();
        let runs = store.list(&RunFilter::default()).unwrap();
        let steps: Vec<_> =
            runs.iter().map(|run| run.sweep.as_ref().map(|sweep| sweep.step)).collect();
        assert_eq!(steps, [Some(3), Some(2), Some(1), None]);
        let sweeps = store.list_sweeps(None).unwrap();
        assert_eq!((sweeps.len(), sweeps[0].steps, sweeps[0].peak_at), (1, 3, Some(4.0)));
        assert_eq!(sweeps[0].range, "1 to 8 connections");
        assert_eq!(store.list_sweeps(Some(0)).unwrap(), []);
    }

    #[test]
    fn a_removed_sweep_takes_its_runs_along_and_no_other() {
        let (_directory, mut store) = filled();
        store.remove_sweep(&example::sweep().id).unwrap();
        assert_eq!(store.list_sweeps(None).unwrap(), []);
        let left = store.list(&RunFilter::default()).unwrap();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].sweep, None);
    }

    #[test]
    fn a_store_of_the_version_before_sweeps_takes_them() {
        let directory = tempdir().unwrap();
        let path = directory.path().join("runs.sqlite");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(MIGRATIONS[0]).unwrap();
        let application_id = super::super::schema::APPLICATION_ID;
        old.pragma_update(None, "application_id", application_id).unwrap();
        old.pragma_update(None, "user_version", 1).unwrap();
        drop(old);
        let mut store = Store::open(&path).unwrap();
        store.save_sweep(&example::sweep()).unwrap();
        assert_eq!(store.list_sweeps(None).unwrap().len(), 1);
    }
}
