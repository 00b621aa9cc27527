//! Removing an experiment: with it goes what belongs to it alone.

use super::{experiments::EXPERIMENTS, rows::RowError};
use crate::export::ExportError;
use rusqlite::{Connection, params};
use serde::Deserialize;

/// What of an experiment's record says which runs are its own.
#[derive(Deserialize)]
struct Owner {
    trials: Vec<OwnTrial>,
}

#[derive(Deserialize)]
struct OwnTrial {
    run: String,
    #[serde(default)]
    members: Vec<String>,
}

/// Removes an experiment, the sweeps that are its trials, and the runs of both, those of single
/// servers included. A run or a sweep that is part of anything else stays.
pub(super) fn remove(connection: &Connection, id: &str) -> Result<(), RowError> {
    let mut runs = steps(connection, id)?;
    for trial in owner(&EXPERIMENTS.read(connection, id)?)?.trials {
        runs.push(trial.run);
        runs.extend(trial.members);
    }
    remove_sweeps(connection, id)?;
    connection.execute("DELETE FROM experiments WHERE id = ?1", [id])?;
    let elsewhere = members(connection)?;
    runs.retain(|run| !elsewhere.contains(run));
    for run in runs {
        remove_unless_part(connection, &run)?;
    }
    Ok(())
}

/// The runs that are steps of the experiment's sweeps.
fn steps(connection: &Connection, id: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT sweep_steps.run FROM sweep_steps
               JOIN sweeps USING (sweep)
               JOIN experiment_trials ON experiment_trials.run = sweeps.id
               JOIN experiments USING (experiment) WHERE experiments.id = ?1";
    connection.prepare(sql)?.query_map([id], |row| row.get(0))?.collect()
}

/// The sweeps that are trials of this experiment and of no other.
fn remove_sweeps(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    let trials = "SELECT experiment_trials.run FROM experiment_trials
                  JOIN experiments USING (experiment) WHERE experiments.id";
    let sql =
        format!("DELETE FROM sweeps WHERE id IN ({trials} = ?1) AND id NOT IN ({trials} <> ?1)");
    connection.execute(&sql, [id]).map(drop)
}

/// The runs of single servers of all experiments that are there.
fn members(connection: &Connection) -> Result<Vec<String>, RowError> {
    let mut members = Vec::new();
    let mut statement = connection.prepare("SELECT record FROM experiments")?;
    for record in statement.query_map([], |row| row.get::<_, String>(0))? {
        let trials = owner(&record?)?.trials;
        members.extend(trials.into_iter().flat_map(|trial| trial.members));
    }
    Ok(members)
}

fn owner(record: &str) -> Result<Owner, RowError> {
    Ok(serde_json::from_str(record).map_err(ExportError::from)?)
}

fn remove_unless_part(connection: &Connection, run: &str) -> rusqlite::Result<()> {
    let sql = "DELETE FROM runs WHERE id = ?1
               AND NOT EXISTS (SELECT 1 FROM experiment_trials WHERE run = ?1)
               AND NOT EXISTS (SELECT 1 FROM sweep_steps WHERE run = ?1)
               AND NOT EXISTS (SELECT 1 FROM group_members WHERE run = ?1)";
    connection.prepare_cached(sql)?.execute(params![run]).map(drop)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{
        experiment::{ExperimentRecord, TrialRecord, example},
        group,
        record::{self, RunRecord},
        store::{RunFilter, Store},
        sweep,
    };
    use std::collections::BTreeSet;
    use tempfile::{TempDir, tempdir};

    fn run(id: &str) -> RunRecord {
        RunRecord { id: id.to_owned(), ..record::example::record() }
    }

    /// An experiment with a trial of two servers, beside its other trials.
    fn of_groups(id: &str, members: [&str; 2]) -> ExperimentRecord {
        let mut experiment = example::experiment();
        experiment.id = id.to_owned();
        let members = members.map(str::to_owned).to_vec();
        experiment.trials[0] = TrialRecord { members, ..experiment.trials[0].clone() };
        experiment
    }

    /// A store with these runs, and those of the example's trials.
    fn filled(alone: &[&str]) -> (TempDir, Store) {
        let directory = tempdir().unwrap();
        let mut store = Store::open(directory.path().join("runs.sqlite")).unwrap();
        for run in sweep::example::runs().into_iter().chain(example::runs()) {
            store.save(&run).unwrap();
        }
        for id in alone {
            store.save(&run(id)).unwrap();
        }
        store.save_sweep(&sweep::example::sweep()).unwrap();
        (directory, store)
    }

    fn left(store: &Store) -> BTreeSet<String> {
        store.list(&RunFilter::default()).unwrap().into_iter().map(|run| run.id).collect()
    }

    fn ids<const N: usize>(ids: [&str; N]) -> BTreeSet<String> {
        ids.map(str::to_owned).into()
    }

    #[test]
    fn runs_of_single_servers_go_with_their_experiment_and_no_other() {
        let (_directory, mut store) = filled(&["member-1", "member-2", "alone"]);
        store.save_experiment(&of_groups("experiment-1", ["member-1", "member-2"])).unwrap();
        store.remove_experiment("experiment-1").unwrap();
        assert_eq!(left(&store), ids(["alone"]));
        assert_eq!(store.list_sweeps(None).unwrap(), []);
        assert_eq!(store.list_experiments(None).unwrap(), []);
    }

    #[test]
    fn what_another_experiment_has_too_stays_until_that_goes() {
        let (_directory, mut store) = filled(&["member-1", "member-2", "member-3"]);
        store.save_experiment(&of_groups("experiment-1", ["member-1", "member-2"])).unwrap();
        store.save_experiment(&of_groups("experiment-2", ["member-2", "member-3"])).unwrap();
        let mut all = left(&store);
        store.remove_experiment("experiment-1").unwrap();
        all.remove("member-1");
        assert_eq!(left(&store), all, "trials, steps and one member are the other's, too");
        assert_eq!(store.list_sweeps(None).unwrap().len(), 1);
        store.remove_experiment("experiment-2").unwrap();
        assert_eq!(left(&store), ids([]));
    }

    #[test]
    fn a_member_that_a_person_has_in_a_group_stays() {
        let [one, two] = group::example::runs().try_into().unwrap();
        let (_directory, mut store) = filled(&[&one.id, &two.id, "member-1"]);
        store.save_group(&group::example::group()).unwrap();
        store.save_experiment(&of_groups("experiment-1", ["member-1", &one.id])).unwrap();
        store.remove_experiment("experiment-1").unwrap();
        assert_eq!(left(&store), ids([&one.id, &two.id]));
    }

    #[test]
    fn a_removal_that_cannot_be_carried_out_removes_nothing() {
        let (_directory, mut store) = filled(&["member-1", "member-2"]);
        store.save_experiment(&of_groups("experiment-1", ["member-1", "member-2"])).unwrap();
        let before = left(&store);
        store
            .connection
            .execute_batch(
                "CREATE TRIGGER refuse BEFORE DELETE ON runs WHEN old.id = 'member-2'
                 BEGIN SELECT raise(ABORT, 'no'); END",
            )
            .unwrap();
        store.remove_experiment("experiment-1").unwrap_err();
        assert_eq!(left(&store), before);
        assert_eq!(store.list_experiments(None).unwrap().len(), 1);
        assert_eq!(store.list_sweeps(None).unwrap().len(), 1);
    }
}
