//! Runs that come from elsewhere, as files.

use super::{Store, StoreError};
use crate::{
    export::{self, ExportError},
    record::RunRecord,
};

/// The longest id that is taken; ours have 22 characters.
const ID_MAX: usize = 80;
/// The latest moment of a run, seconds from its start: thirty years.
const TIME_MAX_S: f64 = 1e9;

/// Why a file was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It is no run.
    #[error(transparent)]
    NoRun(#[from] ExportError),
    /// It is no run that a myrig has written.
    #[error("the run is damaged or made up: {0}")]
    Unsound(String),
    /// A run of this id is stored already, and is another one.
    #[error(
        "another run {id} is stored already: `myrig runs remove {id}` first if this one is meant \
         to take its place"
    )]
    Taken {
        /// The id of both.
        id: String,
    },
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A run that was taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Its id.
    pub id: String,
    /// False when the very same run was stored already.
    pub is_new: bool,
}

impl Store {
    /// Takes in a run as `myrig runs export --format json` wrote it, whole or not at all; never in
    /// place of another.
    pub fn import(&mut self, text: &str) -> Result<Imported, ImportError> {
        let record = export::parse(text)?;
        sound(&record).map_err(ImportError::Unsound)?;
        let id = record.id.clone();
        match self.load(&id) {
            Ok(known) if known.id != id => {}
            Ok(known) if same(&known, &record)? => return Ok(Imported { id, is_new: false }),
            Ok(_) => return Err(ImportError::Taken { id }),
            Err(StoreError::Unknown { .. } | StoreError::Ambiguous { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        self.save(&record)?;
        Ok(Imported { id, is_new: true })
    }
}

/// Whether two records are written down as the same.
fn same(one: &RunRecord, other: &RunRecord) -> Result<bool, ExportError> {
    Ok(one == other || export::compact(one)? == export::compact(other)?)
}

/// Refuses what no myrig has written: ids are names of files, and series are drawn.
fn sound(record: &RunRecord) -> Result<(), String> {
    let id = &record.id;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if id.is_empty() || id.len() > ID_MAX || id == "latest" || !id.chars().all(is_plain) {
        return Err(format!("its id is none: letters, digits and `-`, {ID_MAX} at most"));
    }
    let types = record.transactions.len();
    if let Some(at) = record.intervals.iter().position(|it| it.transactions.len() != types) {
        return Err(format!("its second {at} has not {types} transaction types"));
    }
    let is_time = |at_s: f64| (0.0..=TIME_MAX_S).contains(&at_s);
    let mut last_s = 0.0;
    for interval in &record.intervals {
        if !is_time(interval.at_s) || !is_time(interval.length_s) || interval.at_s < last_s {
            return Err("its seconds are not in order".to_owned());
        }
        last_s = interval.at_s;
    }
    if !record.phases.iter().all(|it| is_time(it.from_s) && is_time(it.until_s)) {
        return Err("a phase is at no time".to_owned());
    }
    let watch = record.watch.iter();
    let mut ragged = watch.flat_map(|watch| {
        watch.series.iter().filter(|series| series.values.len() != watch.at_s.len())
    });
    match ragged.next() {
        Some(series) => Err(format!("the series {:?} has not a value a sample", series.name)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::record::example;
    use proptest::prelude::*;

    fn store() -> (tempfile::TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path().join("runs.sqlite")).unwrap();
        (directory, store)
    }

    #[test]
    fn a_run_is_taken_in_once_and_never_overwritten() {
        let (_directory, mut store) = store();
        let record = example::record();
        let text = export::json(&record).unwrap();
        let id = record.id.clone();
        assert_eq!(store.import(&text).unwrap(), Imported { id: id.clone(), is_new: true });
        assert_eq!(store.load(&id).unwrap(), record);
        assert!(!store.import(&text).unwrap().is_new);
        let forged = text.replace("larger redo", "forged");
        let error = store.import(&forged).unwrap_err().to_string();
        assert!(error.contains("myrig runs remove"), "{error}");
        assert_eq!(store.load(&id).unwrap().label, "larger redo");
    }

    #[test]
    fn an_id_that_begins_that_of_another_run_is_no_hindrance() {
        let (_directory, mut store) = store();
        let mut record = example::record();
        store.save(&record).unwrap();
        record.id.truncate(10);
        assert!(store.import(&export::json(&record).unwrap()).unwrap().is_new);
        assert_eq!(store.list(&super::super::RunFilter::default()).unwrap().len(), 2);
    }

    #[test]
    fn hostile_files_are_refused_and_leave_nothing_behind() {
        let changed = |change: fn(&mut RunRecord)| {
            let mut record = example::record();
            change(&mut record);
            export::json(&record).unwrap()
        };
        let (_directory, mut store) = store();
        for hostile in [
            String::new(),
            "null".into(),
            "[".repeat(100_000),
            "{\"schema\":\"myrig.sweep/1\"}".into(),
            "{\"schema\":\"myrig.run/1\"}".into(),
            changed(|run| run.schema = "myrig.run/9".into()),
            changed(|run| run.id = "../../etc".into()),
            changed(|run| run.id = "latest".into()),
            changed(|run| run.id = "x".repeat(81)),
            changed(|run| run.intervals[0].transactions.clear()),
            changed(|run| run.intervals[1].at_s = 1e300),
            changed(|run| run.intervals[0].length_s = -1.0),
            changed(|run| run.intervals[2].at_s = 1.0),
            changed(|run| run.phases[0].until_s = -1e300),
            changed(|run| run.watch.as_mut().unwrap().series[0].values.clear()),
        ] {
            let start: String = hostile.chars().take(60).collect();
            assert!(store.import(&hostile).is_err(), "{start}");
        }
        assert_eq!(store.list(&super::super::RunFilter::default()).unwrap(), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn damaged_files_are_an_error_or_a_run_never_a_panic(
            flips in prop::collection::vec((0_usize..20_000, any::<u8>()), 1..6),
        ) {
            let (_directory, mut store) = store();
            let mut bytes = export::json(&example::record()).unwrap().into_bytes();
            for (at, with) in flips {
                let at = at % bytes.len();
                bytes[at] ^= with;
            }
            let _ = store.import(&String::from_utf8_lossy(&bytes));
        }
    }
}
