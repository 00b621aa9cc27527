//! Listing runs, and finding one by what a person typed.

use rusqlite::{Connection, Row, named_params};
use serde::{Deserialize, Serialize};
use strsim::levenshtein;

/// At most so many ids are named in an error.
pub(super) const NAMED: usize = 5;

/// Which runs to list; what is not given lets every run through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Workload's name, `tpcc`.
    pub workload: Option<String>,
    /// Profile with or without its version, `spec/1` or `spec`.
    pub profile: Option<String>,
    /// A part of the label.
    pub label: Option<String>,
    /// A part of the server's flavour and version, `MariaDB`.
    pub server: Option<String>,
    /// `complete` or `partial`.
    pub status: Option<String>,
    /// Started then or later: the beginning of an RFC 3339 time in UTC, `2026-11-21`.
    pub since: Option<String>,
    /// At most so many, the latest.
    pub limit: Option<u32>,
}

/// One line of a list of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
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
    /// The most important figure, where the run has one.
    pub headline: Option<HeadlineSummary>,
    /// The sweep that it is a step of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<StepSummary>,
    /// The group that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<StepSummary>,
    /// The experiment that it is a trial of, or a step of a sweep that is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<StepSummary>,
}

/// A run's place in a sweep, a group or an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSummary {
    /// The sweep's, the group's or the experiment's id.
    pub id: String,
    /// The step of the sweep, the member of the group or the trial, from 1.
    pub step: u32,
}

/// A run's most important figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadlineSummary {
    /// `tpmC`.
    pub name: String,
    /// The value in `unit`.
    pub value: f64,
    /// `1/min`.
    pub unit: String,
}

/// The latest first; of two that started together the one that was saved later.
pub(super) fn list(
    connection: &Connection,
    filter: &RunFilter,
) -> rusqlite::Result<Vec<RunSummary>> {
    let sql = "
        SELECT runs.id, label, runs.started_at, workload, profile, server, status,
               headline_name, headline_value, headline_unit, sweeps.id, sweep_steps.step,
               run_groups.id, group_members.member,
               experiments.id, experiment_trials.trial
        FROM runs
        LEFT JOIN sweep_steps ON sweep_steps.run = runs.id
        LEFT JOIN sweeps USING (sweep)
        LEFT JOIN group_members ON group_members.run = runs.id
        LEFT JOIN run_groups USING (run_group)
        LEFT JOIN experiment_trials ON experiment_trials.run = coalesce(sweeps.id, runs.id)
        LEFT JOIN experiments USING (experiment)
        WHERE (:workload IS NULL OR workload = :workload)
          AND (:profile IS NULL OR profile = :profile
               OR substr(profile, 1, length(:profile) + 1) = :profile || '/')
          AND (:label IS NULL OR instr(lower(label), lower(:label)) > 0)
          AND (:server IS NULL OR instr(lower(server), lower(:server)) > 0)
          AND (:status IS NULL OR status = :status)
          AND (:since IS NULL OR runs.started_at >= :since)
        ORDER BY runs.started_at DESC, runs.run DESC
        LIMIT :limit";
    let parameters = named_params! {
        ":workload": filter.workload,
        ":profile": filter.profile,
        ":label": filter.label,
        ":server": filter.server,
        ":status": filter.status,
        ":since": filter.since,
        // SQLite takes a negative limit for none.
        ":limit": filter.limit.map_or(-1, i64::from),
    };
    connection.prepare(sql)?.query_map(parameters, summary)?.collect()
}

fn summary(row: &Row<'_>) -> rusqlite::Result<RunSummary> {
    let (name, value, unit) = (row.get(7)?, row.get(8)?, row.get(9)?);
    let headline = match (name, value, unit) {
        (Some(name), Some(value), Some(unit)) => Some(HeadlineSummary { name, value, unit }),
        _ => None,
    };
    let place = |id: Option<String>, step: Option<u32>| {
        id.zip(step).map(|(id, step)| StepSummary { id, step })
    };
    Ok(RunSummary {
        id: row.get(0)?,
        label: row.get(1)?,
        started_at: row.get(2)?,
        workload: row.get(3)?,
        profile: row.get(4)?,
        server: row.get(5)?,
        status: row.get(6)?,
        headline,
        sweep: place(row.get(10)?, row.get(11)?),
        group: place(row.get(12)?, row.get(13)?),
        experiment: place(row.get(14)?, row.get(15)?),
    })
}

/// The id of the run that started last.
pub(super) fn latest(connection: &Connection) -> rusqlite::Result<String> {
    let sql = "SELECT id FROM runs ORDER BY started_at DESC, run DESC LIMIT 1";
    connection.query_row(sql, [], |row| row.get(0))
}

/// Ids that begin with `key`, the latest first, an exact one before all; a few of them suffice.
pub(super) fn beginning_with(connection: &Connection, key: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT id FROM runs WHERE substr(id, 1, length(?1)) = ?1
               ORDER BY id = ?1 DESC, started_at DESC, run DESC LIMIT ?2";
    let limit = NAMED as i64;
    connection.prepare(sql)?.query_map((key, limit), |row| row.get(0))?.collect()
}

/// Ids that differ from `key` in few places, or whose tails begin with it, the nearest first.
pub(super) fn near(connection: &Connection, key: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT id FROM runs ORDER BY started_at DESC")?;
    let mut near = Vec::new();
    for id in statement.query_map([], |row| row.get::<_, String>(0))? {
        let id = id?;
        let begun: String = id.chars().take(key.chars().count()).collect();
        let distance = levenshtein(key, &id).min(levenshtein(key, &begun));
        let tail = id.rsplit('-').next().unwrap_or_default();
        if tail.starts_with(key) {
            near.push((0, id));
        } else if distance <= key.chars().count() / 3 {
            near.push((distance, id));
        }
    }
    near.sort_by_key(|(distance, _)| *distance);
    Ok(near.into_iter().take(3).map(|(_, id)| id).collect())
}
