//! Sums of a server's counters, and the readings of the list that they make.

use super::{
    catalog::{Entry, INNODB, Kind, ROW_LOCK_MS, SERVER},
    meter::{Meter, Reading},
};
use std::collections::{BTreeMap, BTreeSet};

/// What a server answered, by the catalogue's names.
pub(super) type Counters = BTreeMap<String, f64>;

/// Before the name of a counter of `INNODB_METRICS`.
pub(super) const METRIC: &str = "metric.";

/// Every name that the list asks for, with its prefix.
pub(super) fn names() -> BTreeSet<&'static str> {
    let formulas = SERVER.iter().chain(INNODB).flat_map(|entry| entry.formulas);
    let words = formulas.flat_map(|formula| formula.split_whitespace());
    words.filter(|word| !matches!(*word, "+" | "-" | "/")).chain([ROW_LOCK_MS]).collect()
}

/// All of the list that `counters` tell of.
pub(super) fn readings(counters: &Counters) -> Vec<(Meter, Reading)> {
    SERVER.iter().chain(INNODB).filter_map(|entry| reading(entry, counters)).collect()
}

fn reading(entry: &Entry, counters: &Counters) -> Option<(Meter, Reading)> {
    let value = |formula: &str| match (entry.kind, formula.split_once(" / ")) {
        (Kind::Percent, Some((share, of))) => {
            Some(Reading::Ratio(100.0 * sum(share, counters)?, sum(of, counters)?))
        }
        (Kind::Percent, None) => None,
        (Kind::Total, _) => Some(Reading::Total(sum(formula, counters)?)),
        (Kind::State, _) => Some(Reading::State(sum(formula, counters)?.max(0.0))),
    };
    let (formula, reading) =
        entry.formulas.iter().find_map(|formula| Some((formula, value(formula)?)))?;
    let meter = Meter {
        name: entry.name.into(),
        label: entry.label.into(),
        group: entry.group,
        unit: entry.unit,
        source: source(formula).into(),
    };
    Some((meter, reading))
}

/// Where the values of a formula come from, for a reader.
fn source(formula: &str) -> String {
    match formula.strip_prefix(METRIC) {
        Some(name) => format!("information_schema.INNODB_METRICS: {name}"),
        None => format!("SHOW GLOBAL STATUS: {formula}"),
    }
}

/// A sum, unless one of its names is unknown.
fn sum(formula: &str, counters: &Counters) -> Option<f64> {
    let mut sign = 1.0;
    let mut sum = 0.0;
    for word in formula.split_whitespace() {
        match word {
            "+" => sign = 1.0,
            "-" => sign = -1.0,
            name => sum += sign * counters.get(name)?,
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn counters(told: &[(&str, f64)]) -> Counters {
        told.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    fn read(told: &[(&str, f64)], name: &str) -> Option<(Meter, Reading)> {
        readings(&counters(told)).into_iter().find(|(meter, _)| meter.name == name)
    }

    #[test]
    fn the_first_formula_that_can_be_had_is_taken() {
        let mariadb = [("Innodb_checkpoint_age", 7.0), ("Innodb_history_list_length", 3.0)];
        assert_eq!(read(&mariadb, "redo.checkpoint_age").unwrap().1, Reading::State(7.0));
        let mysql = [
            ("Innodb_redo_log_current_lsn", 100.0),
            ("Innodb_redo_log_checkpoint_lsn", 60.0),
            ("metric.trx_rseg_history_len", 5.0),
        ];
        assert_eq!(read(&mysql, "redo.checkpoint_age").unwrap().1, Reading::State(40.0));
        let (meter, reading) = read(&mysql, "undo.history").unwrap();
        assert_eq!(reading, Reading::State(5.0));
        assert_eq!(meter.source, "information_schema.INNODB_METRICS: trx_rseg_history_len");
        assert_eq!(read(&mysql[..1], "redo.checkpoint_age"), None);
    }

    #[test]
    fn hits_are_requests_without_reads() {
        let told =
            [("Innodb_buffer_pool_read_requests", 1000.0), ("Innodb_buffer_pool_reads", 10.0)];
        let (meter, reading) = read(&told, "pool.hits").unwrap();
        assert_eq!((reading, meter.unit), (Reading::Ratio(99_000.0, 1000.0), "%"));
    }

    #[test]
    fn names_are_unique_and_every_formula_is_a_sum() {
        let all: Vec<&Entry> = SERVER.iter().chain(INNODB).collect();
        let names: BTreeSet<_> = all.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), all.len());
        let told: Counters = super::names().iter().map(|name| ((*name).to_owned(), 1.0)).collect();
        assert_eq!(readings(&told).len(), all.len());
    }
}
