//! Write amplification: each drive with its hints honoured and ignored, and the procedure's rows.

use super::{digest::Digest, section::signed, trials::Trials};
use crate::{
    format,
    table::{Row, Table},
};
use lab::{
    experiment::{ExperimentRecord, TrialRecord},
    hints::HintEffect,
    record::{Amplification, AmplificationRow, RunRecord},
    statistics::Mean,
};

/// The procedure takes so many of the latest rows in which something was written.
const LATEST: usize = 12;
/// What the procedure calls a megabyte.
const MIB: f64 = (1 << 20) as f64;
/// The same for larger numbers.
const GIB: f64 = (1 << 30) as f64;

/// A drive of a run.
#[derive(Clone, Debug)]
pub(super) struct Drive {
    /// What it is, and its rows.
    pub(super) told: Amplification,
    /// Its rows of the measured phase together.
    pub(super) measured: AmplificationRow,
    /// By how much its factor still changed in the last third of them, percent.
    pub(super) drift_percent: Option<f64>,
}

impl Drive {
    /// The drives of a run.
    pub(super) fn all(run: &RunRecord) -> Vec<Self> {
        let of = |told: &Amplification| Self {
            told: told.clone(),
            measured: told.measured(run),
            drift_percent: told.drift_percent(run),
        };
        run.amplification.iter().map(of).collect()
    }

    /// The mean factor of the latest rows in which something was written, as the procedure has it.
    fn latest(&self) -> Option<f64> {
        let factors: Vec<f64> = latest(&self.told).filter_map(AmplificationRow::factor).collect();
        Some(Mean::of_independent(&factors)?.value)
    }
}

/// The latest rows in which something was written, in their order.
fn latest(drive: &Amplification) -> impl Iterator<Item = &AmplificationRow> {
    let written = |row: &&AmplificationRow| row.host_bytes > 0;
    let number = drive.rows.iter().filter(written).count();
    drive.rows.iter().filter(written).skip(number.saturating_sub(LATEST))
}

/// A drive in a trial: with hints honoured, or a real one; and the same without, of the very same
/// writes.
struct Pair<'a> {
    honoured: &'a Drive,
    ignored: Option<&'a Drive>,
}

impl Pair<'_> {
    fn factors(&self) -> Option<[f64; 2]> {
        Some([self.honoured.measured.factor()?, self.ignored?.measured.factor()?])
    }
}

/// A drive in all trials of a variant in which it was looked at.
fn pairs<'a>(trials: &[(&TrialRecord, &'a Digest)], variant: &str, name: &str) -> Vec<Pair<'a>> {
    let pair = |digest: &'a Digest| {
        let find = |ignores: bool| {
            let is = |it: &&Drive| {
                it.told.drive == name && (it.told.honours_hints == Some(false)) == ignores
            };
            digest.drives.iter().find(is)
        };
        Some(Pair { honoured: find(false)?, ignored: find(true) })
    };
    let of_variant = trials.iter().filter(|(trial, _)| trial.variant == variant);
    of_variant.filter_map(|(_, digest)| pair(digest)).collect()
}

/// Names of the drives, in their order.
fn names<'a>(trials: &[(&TrialRecord, &'a Digest)]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for drive in trials.iter().flat_map(|(_, digest)| &digest.drives) {
        if !names.contains(&drive.told.drive.as_str()) {
            names.push(&drive.told.drive);
        }
    }
    names
}

/// What each drive came to in each variant, and what the hints were worth to it within the runs;
/// empty where no drive was looked at.
pub(super) fn drives(experiment: &ExperimentRecord, trials: &Trials) -> Table {
    let titles = [
        "Drive",
        "Variant",
        "#WAF",
        "#Hints ignored",
        "#Worth of the hints",
        "#95% interval",
        "#Latest 12 rows",
    ];
    let mut table = Table::new("Write amplification in the measured phase", &titles);
    table.rows = each(experiment, trials, cells);
    table
}

/// How far each drive came: what was written to it, and whether it was steady in the end.
pub(super) fn steadiness(experiment: &ExperimentRecord, trials: &Trials) -> Table {
    let titles = ["Drive", "Variant", "#Measured, GiB", "#Times its size", "#WAF, last third"];
    let mut table = Table::new("What was written to the drives, and how steady they were", &titles);
    table.rows = each(experiment, trials, |name, variant, pairs| {
        let honoured = || pairs.iter().map(|pair| pair.honoured);
        let host = mean(honoured().map(|it| Some(it.measured.host_bytes as f64 / GIB)));
        let times = mean(honoured().map(|it| it.told.capacities_written()));
        let drift = mean(honoured().map(|it| it.drift_percent));
        vec![
            name.to_owned(),
            variant.to_owned(),
            host.map_or_else(none, format::figure),
            times.map_or_else(none, |it| format!("{} ×", format::figure(it))),
            drift.map_or_else(none, signed),
        ]
    });
    table
}

/// A row for each drive in each variant that has it.
fn each(
    experiment: &ExperimentRecord,
    trials: &Trials,
    cells: impl Fn(&str, &str, &[Pair<'_>]) -> Vec<String>,
) -> Vec<Row> {
    let all: Vec<_> = trials.runs(experiment).collect();
    let mut rows = Vec::new();
    for name in names(&all) {
        for variant in &experiment.variants {
            let pairs = pairs(&all, &variant.name, name);
            if !pairs.is_empty() {
                rows.push(Row::new(cells(name, &variant.name, &pairs)));
            }
        }
    }
    rows
}

fn none() -> String {
    "–".to_owned()
}

fn cells(name: &str, variant: &str, pairs: &[Pair<'_>]) -> Vec<String> {
    let shown = |value: Option<f64>| value.map_or_else(none, |value| format!("{value:.3}"));
    let factor = |drive: &Drive| drive.measured.factor();
    let effect = HintEffect::of(name, pairs.iter().filter_map(Pair::factors));
    let interval = effect.as_ref().and_then(|effect| effect.ci95_percent);
    vec![
        name.to_owned(),
        variant.to_owned(),
        shown(mean(pairs.iter().map(|pair| factor(pair.honoured)))),
        shown(mean(pairs.iter().map(|pair| factor(pair.ignored?)))),
        effect.map_or_else(none, |effect| signed(effect.percent)),
        interval.map_or_else(none, |(low, high)| format!("{} to {}", signed(low), signed(high))),
        shown(mean(pairs.iter().map(|pair| pair.honoured.latest()))),
    ]
}

/// Mean of those that are.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.flatten().collect();
    Some(Mean::of_independent(&values)?.value)
}

/// What each drive is, in words.
pub(super) fn facts(experiment: &ExperimentRecord, trials: &Trials) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for (_, digest) in trials.runs(experiment) {
        for Amplification { drive, facts, .. } in digest.drives.iter().map(|it| &it.told) {
            let words = format!("{drive}: {facts}");
            if !told.contains(&words) {
                told.push(words);
            }
        }
    }
    told
}

/// The procedure's rows of the first drive: the latest of each trial, with what the media and the
/// host wrote.
pub(super) fn rows(experiment: &ExperimentRecord, trials: &Trials) -> Table {
    let titles = ["Trial", "Variant", "#From", "#Until", "#Media, MB", "#Host, MB", "#WAF"];
    let all: Vec<_> = trials.runs(experiment).collect();
    let first = names(&all).first().copied().unwrap_or_default();
    let caption = format!("The rows of result_WA.txt: {first}");
    let mut table = Table::new(&caption, &titles);
    for (trial, digest) in &all {
        let drive = digest.drives.iter().find(|drive| drive.told.drive == first);
        for row in drive.iter().flat_map(|drive| latest(&drive.told)) {
            table.rows.push(Row::new(vec![
                trial.number.to_string(),
                trial.variant.clone(),
                format::instant(row.from_s),
                format::instant(row.until_s),
                format::figure(row.media_bytes as f64 / MIB),
                format::figure(row.host_bytes as f64 / MIB),
                row.factor().map_or_else(|| "–".to_owned(), |factor| format!("{factor:.5}")),
            ]));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn drive(honours_hints: bool, rows: &[(u64, u64)]) -> Drive {
        let row = |(place, &(host_bytes, media_bytes)): (usize, &(u64, u64))| AmplificationRow {
            from_s: place as f64,
            until_s: place as f64 + 1.0,
            host_bytes,
            media_bytes,
        };
        let rows: Vec<_> = rows.iter().enumerate().map(row).collect();
        let measured = AmplificationRow {
            host_bytes: rows.iter().map(|row| row.host_bytes).sum(),
            media_bytes: rows.iter().map(|row| row.media_bytes).sum(),
            ..AmplificationRow::default()
        };
        let honours_hints = Some(honours_hints);
        let told = Amplification { honours_hints, rows, ..Amplification::default() };
        Drive { told, measured, drift_percent: None }
    }

    #[test]
    fn the_latest_rows_are_those_in_which_something_was_written() {
        let mut rows = vec![(0, 0); 3];
        rows.extend([(100, 100); 5]);
        rows.extend([(100, 200); 12]);
        rows.push((0, 7));
        assert_eq!(drive(true, &rows).latest(), Some(2.0));
        assert_eq!(drive(true, &[(0, 0)]).latest(), None);
    }
}
