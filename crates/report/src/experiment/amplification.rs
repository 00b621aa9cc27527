//! Write amplification: each drive with its hints honoured and ignored, and the procedure's rows.

use super::{digest::Digest, trials::Trials};
use crate::{
    format,
    table::{Row, Table},
};
use lab::{
    experiment::{ExperimentRecord, TrialRecord},
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
}

impl Drive {
    /// The drives of a run.
    pub(super) fn all(run: &RunRecord) -> Vec<Self> {
        let of = |told: &Amplification| Self { told: told.clone(), measured: told.measured(run) };
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

/// A drive in all trials of a variant: with hints honoured, or a real one; and without.
struct Both<'a> {
    honoured: Vec<&'a Drive>,
    ignored: Vec<&'a Drive>,
}

fn both<'a>(trials: &[(&TrialRecord, &'a Digest)], variant: &str, name: &str) -> Both<'a> {
    let of_variant = trials.iter().filter(|(trial, _)| trial.variant == variant);
    let drives: Vec<&Drive> = of_variant
        .flat_map(|(_, digest)| &digest.drives)
        .filter(|drive| drive.told.drive == name)
        .collect();
    let (ignored, honoured) =
        drives.into_iter().partition(|drive| drive.told.honours_hints == Some(false));
    Both { honoured, ignored }
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
    let all: Vec<_> = trials.runs(experiment).collect();
    let titles = [
        "Drive",
        "Variant",
        "#WAF",
        "#Hints ignored",
        "#Worth of the hints",
        "#95% interval",
        "#Latest 12 rows",
        "#Host, GiB",
    ];
    let mut table = Table::new("Write amplification in the measured phase", &titles);
    for name in names(&all) {
        for variant in &experiment.variants {
            let both = both(&all, &variant.name, name);
            if !both.honoured.is_empty() {
                table.rows.push(Row::new(cells(name, &variant.name, &both)));
            }
        }
    }
    table
}

fn cells(name: &str, variant: &str, both: &Both<'_>) -> Vec<String> {
    let none = || "–".to_owned();
    let factor = |drives: &[&Drive]| mean(drives.iter().map(|drive| drive.measured.factor()));
    let shown = |value: Option<f64>| value.map_or_else(none, |value| format!("{value:.3}"));
    let host = mean(both.honoured.iter().map(|it| Some(it.measured.host_bytes as f64 / GIB)));
    let (worth, interval) = match worth(both) {
        None => (none(), none()),
        Some((worth, interval)) => (
            super::section::signed(worth),
            interval.map_or_else(none, |(low, high)| {
                format!("{} to {}", super::section::signed(low), super::section::signed(high))
            }),
        ),
    };
    vec![
        name.to_owned(),
        variant.to_owned(),
        shown(factor(&both.honoured)),
        shown(factor(&both.ignored)),
        worth,
        interval,
        shown(mean(both.honoured.iter().map(|drive| drive.latest()))),
        host.map_or_else(none, format::figure),
    ]
}

/// Mean of those that are.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.flatten().collect();
    Some(Mean::of_independent(&values)?.value)
}

/// By how much the factor with hints differs from that without, of the same writes: the mean over
/// the trials and its 95% interval, percent.
fn worth(both: &Both<'_>) -> Option<(f64, Option<(f64, f64)>)> {
    let ratio = |(with, without): (&&Drive, &&Drive)| {
        Some((with.measured.factor()? / without.measured.factor()?).ln())
    };
    let logs: Vec<f64> = both.honoured.iter().zip(&both.ignored).filter_map(ratio).collect();
    let mean = Mean::of_independent(&logs)?;
    let percent = |log: f64| log.exp_m1() * 100.0;
    Some((percent(mean.value), mean.ci95().map(|(low, high)| (percent(low), percent(high)))))
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
        Drive { told: Amplification { honours_hints, rows, ..Amplification::default() }, measured }
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

    #[test]
    fn what_hints_are_worth_is_paired_within_each_trial() {
        let with = [drive(true, &[(100, 110)]), drive(true, &[(100, 220)])];
        let without = [drive(false, &[(100, 125)]), drive(false, &[(100, 250)])];
        let pairs = Both { honoured: with.iter().collect(), ignored: without.iter().collect() };
        let (percent, interval) = worth(&pairs).unwrap();
        assert!((percent + 12.0).abs() < 1e-9, "{percent}");
        let (low, high) = interval.unwrap();
        assert!(low < -11.9 && high > -12.1 && high - low < 0.2, "{low} {high}");
        assert!(worth(&Both { honoured: Vec::new(), ignored: Vec::new() }).is_none());
    }
}
