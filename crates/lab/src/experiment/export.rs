//! Experiments for other programs: JSON of the whole record, CSV with a row a trial.

use super::{EXPERIMENT_SCHEMA, ExperimentRecord, TrialRecord};
use crate::{
    export::{ExportError, optional, parse_as, row},
    record::{Figure, RunStatus},
};
use std::fmt::Display;

/// The experiment in the schema [`EXPERIMENT_SCHEMA`], indented, with a line feed at its end.
///
/// # Errors
/// A figure is infinite or not a number, which JSON cannot say.
pub fn json(experiment: &ExperimentRecord) -> Result<String, ExportError> {
    readable(serde_json::to_string_pretty(experiment)? + "\n")
}

/// [`json`] on one line.
pub(crate) fn compact(experiment: &ExperimentRecord) -> Result<String, ExportError> {
    readable(serde_json::to_string(experiment)?)
}

/// Reads what [`json`] wrote, in this version or an earlier one. Fields that this version does not
/// know are passed over.
///
/// # Errors
/// The text is no experiment, or one in a newer schema.
pub fn parse(text: &str) -> Result<ExperimentRecord, ExportError> {
    parse_as(text, EXPERIMENT_SCHEMA)
}

/// JSON has no infinity and writes `null` for it, silently; what could not be read back because of
/// that is refused before it is written.
fn readable(text: String) -> Result<String, ExportError> {
    match parse(&text) {
        Ok(_) => Ok(text),
        Err(_) => Err(ExportError::NotFinite("a figure of an experiment")),
    }
}

/// One row a trial, as RFC 4180 has it: its facts, then a column a figure, by name; empty where a
/// trial has no such figure.
pub fn csv(experiment: &ExperimentRecord) -> String {
    let mut names: Vec<&str> = Vec::new();
    for figure in experiment.trials.iter().flat_map(|trial| &trial.figures) {
        if !names.contains(&figure.name.as_str()) {
            names.push(&figure.name);
        }
    }
    let fixed = [
        "experiment",
        "trial",
        "variant",
        "round",
        "pair",
        "cpus",
        "run",
        "sweep",
        "started_at",
        "status",
        "check",
        "steady_from_s",
        "took_s",
        "ci95_low",
        "ci95_high",
    ];
    let mut text = String::new();
    let titles: Vec<&dyn Display> =
        fixed.iter().chain(&names).map(|name| name as &dyn Display).collect();
    row(&mut text, &titles);
    for trial in &experiment.trials {
        trial_row(&mut text, experiment, trial, &names);
    }
    text
}

/// The interval is that of the first figure.
fn trial_row(
    text: &mut String,
    experiment: &ExperimentRecord,
    trial: &TrialRecord,
    names: &[&str],
) {
    let status = match trial.status {
        RunStatus::Complete => "complete",
        RunStatus::Partial { .. } => "partial",
    };
    let check = optional(trial.check_good.map(|good| if good { "good" } else { "bad" }));
    let ci95 = trial.figures.first().and_then(|figure| figure.ci95);
    let (low, high) = (optional(ci95.map(|(low, _)| low)), optional(ci95.map(|(_, high)| high)));
    let (pair, cpus) = (optional(trial.pair), optional(trial.cpus.as_ref()));
    let (sweep, steady) = (optional(trial.sweep.as_ref()), optional(trial.steady_from_s));
    let value = |name: &&str| {
        let named = |figure: &&Figure| figure.name == *name;
        optional(trial.figures.iter().find(named).map(|figure| figure.value))
    };
    let values: Vec<String> = names.iter().map(value).collect();
    let mut fields: Vec<&dyn Display> = vec![
        &experiment.id,
        &trial.number,
        &trial.variant,
        &trial.round,
        &pair,
        &cpus,
        &trial.run,
        &sweep,
        &trial.started_at,
        &status,
        &check,
        &steady,
        &trial.took_s,
        &low,
        &high,
    ];
    fields.extend(values.iter().map(|value| value as &dyn Display));
    row(text, &fields);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{experiment::example, export::document::undocumented};

    const EXPERIMENT_1: &str = include_str!("../../tests/data/experiment-1.json");

    /// A file that an earlier version wrote must stay readable, and a changed schema be noticed.
    #[test]
    fn the_schema_is_the_one_that_is_documented() {
        let json = json(&example::experiment()).unwrap();
        assert_eq!(
            json, EXPERIMENT_1,
            "the JSON of an experiment has changed. Fields may be added (with a default), never \
             renamed: then mend crates/lab/tests/data/experiment-1.json and docs/run-schema.md"
        );
        assert_eq!(parse(EXPERIMENT_1).unwrap(), example::experiment());
    }

    #[test]
    fn every_field_is_documented() {
        // A comparison is a schema of its own, with a place of its own in the documentation.
        let bare = ExperimentRecord { comparisons: Vec::new(), ..example::experiment() };
        assert_eq!(undocumented(&json(&bare).unwrap()), Vec::<String>::new());
    }

    #[test]
    fn a_newer_schema_is_named() {
        let newer = EXPERIMENT_1.replace("myrig.experiment/1", "myrig.experiment/2");
        let error = parse(&newer).unwrap_err();
        assert!(error.to_string().contains("myrig.experiment/2"), "{error}");
    }

    #[test]
    fn a_figure_that_is_no_number_is_refused() {
        let mut experiment = example::experiment();
        experiment.trials[1].figures[0].value = f64::NAN;
        assert!(json(&experiment).is_err());
        let mut experiment = example::experiment();
        experiment.comparisons[0].effects[0].ci95_percent = Some((f64::NEG_INFINITY, 0.0));
        assert!(json(&experiment).is_err());
    }

    #[test]
    fn a_table_has_a_row_a_trial_and_a_column_a_figure() {
        let csv = csv(&example::experiment());
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].ends_with(",ci95_low,ci95_high,tpmC,TPS"), "{csv}");
        assert!(lines[1].contains(",1,durable,1,"), "{csv}");
        assert!(lines.iter().all(|line| line.split(',').count() == 17), "{csv}");
    }
}
