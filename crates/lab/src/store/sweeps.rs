//! Sweeps in the store, and what a list shows of them.

use super::bundles::{Bundle, Tables};
use crate::{
    export::ExportError,
    record::RunStatus,
    sweep::{self, SweepRecord},
};
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

/// Where sweeps are.
pub(super) const SWEEPS: Tables = Tables { whole: "sweeps", key: "sweep", parts: "sweep_steps" };

/// A sweep as it is written.
pub(super) fn bundle(record: &SweepRecord) -> Result<Bundle<'_, SweepSummary>, ExportError> {
    Ok(Bundle {
        id: &record.id,
        started_at: &record.started_at,
        summary: summary(record),
        record: sweep::compact(record)?,
        runs: record.steps.iter().map(|step| step.run.as_str()).collect(),
    })
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
