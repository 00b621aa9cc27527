//! Every run in one SQLite file, open to any SQL tool.
//!
//! - `runs`: a row a run, with the columns that runs are listed by and the rest of the record as
//!   JSON (the schema of [`crate::record`], without histograms and intervals);
//! - `transactions`, `histograms`: outcomes of the measured phase and raw latencies by type;
//! - `intervals`, `interval_transactions`: the series, a row a second, and a row a second and type;
//! - `watches`, `watch_series`: what server and machine did meanwhile, packed (`packed.rs`), with
//!   mean and maximum of each series;
//! - `series`: a view of these with the names of runs and types;
//! - `sweeps`, `sweep_steps`: a row a sweep, and which runs are its steps;
//! - `run_groups`, `group_members`: a row a group, and which runs are its members';
//! - `experiments`, `experiment_trials`: a row an experiment, and which runs or sweeps are its
//!   trials.
//!
//! Counts are SQLite's signed integers; latencies are milliseconds.

mod bundles;
mod error;
mod experiments;
mod find;
mod groups;
mod import;
mod open;
mod packed;
mod removal;
mod rows;
mod schema;
mod sweeps;
#[cfg(test)]
mod tests;
mod watches;

pub use error::StoreError;
pub use experiments::{ExperimentSummary, Trials};
pub use find::{HeadlineSummary, RunFilter, RunSummary, StepSummary};
pub use groups::GroupSummary;
pub use import::{ImportError, Imported};
pub use sweeps::SweepSummary;

use crate::{
    experiment::ExperimentRecord,
    export,
    group::{self, GroupRecord},
    record::RunRecord,
    sweep::{self, SweepRecord},
};
use bundles::Tables;
use experiments::EXPERIMENTS;
use groups::GROUPS;
use rows::RowError;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use sweeps::SWEEPS;

/// How long another process's save is waited for.
const WAIT: Duration = Duration::from_secs(10);

/// What a key names.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A run.
    Run(Box<RunRecord>),
    /// A sweep; its steps are runs of their own.
    Sweep(Box<SweepRecord>),
    /// A group; the runs of its members are runs of their own.
    Group(Box<GroupRecord>),
    /// An experiment; its trials are runs and sweeps of their own.
    Experiment(Box<ExperimentRecord>),
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    wait: Duration,
    connection: Connection,
}

impl Store {
    /// Opens the store at `path`; makes it, and the directories above it, where there is none.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        Self::open_waiting(path, WAIT)
    }

    /// [`Self::open`] with another limit on the time that other processes are waited for.
    pub fn open_waiting(path: impl Into<PathBuf>, wait: Duration) -> Result<Self, StoreError> {
        let path = path.into();
        let connection = open::open(&path, wait)?;
        Ok(Self { path, wait, connection })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Saves a run, whole or not at all. A run that has the id of a saved one takes its place, so
    /// that what there is can be saved during a run and again at its end.
    pub fn save(&mut self, record: &RunRecord) -> Result<(), StoreError> {
        export::refuse_non_finite(record)?;
        self.change(|transaction| rows::write(transaction, record))
    }

    /// Saves a sweep, whole or not at all, in place of an earlier version of it. The runs that are
    /// its steps are saved by themselves.
    pub fn save_sweep(&mut self, record: &SweepRecord) -> Result<(), StoreError> {
        let bundle = sweeps::bundle(record)?;
        self.change(|transaction| SWEEPS.write(transaction, &bundle))
    }

    /// Saves a group in the same way.
    pub fn save_group(&mut self, record: &GroupRecord) -> Result<(), StoreError> {
        let bundle = groups::bundle(record)?;
        self.change(|transaction| GROUPS.write(transaction, &bundle))
    }

    /// The sweeps, the latest first; at most `limit`.
    pub fn list_sweeps(&self, limit: Option<u32>) -> Result<Vec<SweepSummary>, StoreError> {
        SWEEPS.list(&self.connection, limit).map_err(|error| self.sort_row(error))
    }

    /// The groups, the latest first; at most `limit`.
    pub fn list_groups(&self, limit: Option<u32>) -> Result<Vec<GroupSummary>, StoreError> {
        GROUPS.list(&self.connection, limit).map_err(|error| self.sort_row(error))
    }

    /// What `key` names: a run, a sweep, a group or an experiment, by its id, the beginning of
    /// exactly one id, or `latest`: the latest run, or what it is part of.
    pub fn find(&self, key: &str) -> Result<Found, StoreError> {
        if key == "latest" {
            return self.find_latest();
        }
        if let Some(experiment) = self.only(EXPERIMENTS, key)? {
            return self.experiment(&experiment).map(|found| Found::Experiment(Box::new(found)));
        }
        if let Some(sweep) = self.only(SWEEPS, key)? {
            return self.load_sweep(&sweep).map(|found| Found::Sweep(Box::new(found)));
        }
        match self.only(GROUPS, key)? {
            Some(group) => self.load_group(&group),
            None => self.load(key).map(|run| Found::Run(Box::new(run))),
        }
    }

    /// The latest run, or the experiment, the sweep or the group that it is part of.
    fn find_latest(&self) -> Result<Found, StoreError> {
        let sort = |error| self.sort(error);
        let id = self.resolve("latest")?;
        let sweep = SWEEPS.of_run(&self.connection, &id).map_err(sort)?;
        if let Some(experiment) = self.experiment_of(&id, sweep.as_deref())? {
            return self.experiment(&experiment).map(|found| Found::Experiment(Box::new(found)));
        }
        if let Some(sweep) = sweep {
            return self.load_sweep(&sweep).map(|found| Found::Sweep(Box::new(found)));
        }
        match GROUPS.of_run(&self.connection, &id).map_err(sort)? {
            Some(group) => self.load_group(&group),
            None => self.load(&id).map(|run| Found::Run(Box::new(run))),
        }
    }

    /// The id that `key` is the beginning of, if there is one.
    fn only(&self, tables: Tables, key: &str) -> Result<Option<String>, StoreError> {
        let found = tables.beginning_with(&self.connection, key);
        let mut matches = found.map_err(|error| self.sort(error))?;
        match matches.len() > 1 && matches.first().is_none_or(|first| first != key) {
            true => Err(StoreError::Ambiguous { key: key.to_owned(), matches }),
            false => Ok((!matches.is_empty()).then(|| matches.swap_remove(0))),
        }
    }

    /// The sweep whose whole id is `id`.
    pub fn load_sweep(&self, id: &str) -> Result<SweepRecord, StoreError> {
        let json = SWEEPS.read(&self.connection, id).optional().map_err(|e| self.sort(e))?;
        let unknown = |key| StoreError::Unknown { path: self.path.clone(), key, near: Vec::new() };
        Ok(sweep::parse(&json.ok_or_else(|| unknown(id.to_owned()))?)?)
    }

    fn load_group(&self, id: &str) -> Result<Found, StoreError> {
        let json = GROUPS.read(&self.connection, id).map_err(|error| self.sort(error))?;
        Ok(Found::Group(Box::new(group::parse(&json)?)))
    }

    /// Removes a sweep, by its whole id, with the runs that are its steps.
    pub fn remove_sweep(&mut self, id: &str) -> Result<(), StoreError> {
        self.change(|transaction| Ok(SWEEPS.remove(transaction, id)?))
    }

    /// Removes a group, by its whole id, with the runs of its members.
    pub fn remove_group(&mut self, id: &str) -> Result<(), StoreError> {
        self.change(|transaction| Ok(GROUPS.remove(transaction, id)?))
    }

    /// Makes a change, whole or not at all.
    fn change(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<(), RowError>,
    ) -> Result<(), StoreError> {
        let (path, wait_s) = (&self.path, self.wait.as_secs_f64());
        let sort = |error| StoreError::sort(path, wait_s, error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sort)?;
        work(&transaction).map_err(|error| error.sort(path, wait_s))?;
        transaction.commit().map_err(sort)
    }

    /// The runs that `filter` lets through, the latest first.
    pub fn list(&self, filter: &RunFilter) -> Result<Vec<RunSummary>, StoreError> {
        find::list(&self.connection, filter).map_err(|error| self.sort(error))
    }

    /// The run that `key` names: an id, the beginning of exactly one id, or `latest`.
    pub fn load(&self, key: &str) -> Result<RunRecord, StoreError> {
        // One transaction, so that a save between two reads cannot mix two versions of a run.
        let transaction =
            self.connection.unchecked_transaction().map_err(|error| self.sort(error))?;
        let id = self.resolve(key)?;
        let wait_s = self.wait.as_secs_f64();
        rows::read(&transaction, &id).map_err(|error| error.sort(&self.path, wait_s))
    }

    /// Removes the run that `key` names (as for [`Self::load`]) and returns its id.
    pub fn remove(&mut self, key: &str) -> Result<String, StoreError> {
        let id = self.resolve(key)?;
        self.connection
            .execute("DELETE FROM runs WHERE id = ?1", [&id])
            .map_err(|error| self.sort(error))?;
        Ok(id)
    }

    /// The id that `key` stands for.
    pub fn resolve(&self, key: &str) -> Result<String, StoreError> {
        let sort = |error| self.sort(error);
        if key == "latest" {
            return find::latest(&self.connection)
                .optional()
                .map_err(sort)?
                .ok_or_else(|| StoreError::Empty { path: self.path.clone() });
        }
        let mut matches = find::beginning_with(&self.connection, key).map_err(sort)?;
        if matches.iter().any(|id| id == key) {
            return Ok(key.to_owned());
        }
        match (matches.pop(), matches.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                matches.push(last);
                Err(StoreError::Ambiguous { key: key.to_owned(), matches })
            }
            (None, _) => {
                let near = find::near(&self.connection, key).map_err(sort)?;
                Err(StoreError::Unknown { path: self.path.clone(), key: key.to_owned(), near })
            }
        }
    }

    fn sort_row(&self, error: rows::RowError) -> StoreError {
        error.sort(&self.path, self.wait.as_secs_f64())
    }

    fn sort(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sort(&self.path, self.wait.as_secs_f64(), error)
    }
}
