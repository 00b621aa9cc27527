//! What the performance schema timed: calls on files, and mutexes and latches where they are on.
//!
//! The times are of all threads, background threads included, so that they are no part of what
//! sessions waited for: a log that another thread syncs is waited for as well.

use super::meter::{Meter, Reading};
use std::collections::BTreeMap;

/// Time in reads, writes and other calls (syncs above all), seconds since the server started, by
/// the name of the instrument; latches have only the first.
pub(super) type Instruments = BTreeMap<String, [f64; 3]>;

const FILES: &str = "wait/io/file/";
const LATCHES: &str = "wait/synch/";
/// Files that are told apart, by the last part of their instruments' names.
const KINDS: [(&str, &str, &str); 6] = [
    ("innodb_log_file", "redo", "redo log"),
    ("binlog", "binlog", "binary log"),
    ("innodb_data_file", "data", "data files"),
    ("innodb_dblwr_file", "doublewrite", "doublewrite"),
    ("innodb_temp_file", "temporary", "temporary files"),
    ("io_cache", "temporary", "temporary files"),
];
const CALLS: [&str; 3] = ["read", "write", "sync"];

/// A kind of file access or latch: name, label and group of its meter.
type Kind = (String, String, &'static str);

/// What the instruments say, added up by kind.
fn totals(instruments: &Instruments) -> BTreeMap<Kind, f64> {
    let mut totals = BTreeMap::new();
    for (name, times) in instruments {
        if let Some(file) = name.strip_prefix(FILES) {
            let last = file.rsplit('/').next().unwrap_or(file);
            let kind = KINDS.into_iter().find(|(known, ..)| *known == last);
            let (kind, label) =
                kind.map_or(("other", "other files"), |(_, kind, label)| (kind, label));
            for (call, time_s) in CALLS.into_iter().zip(times) {
                let key = (format!("file.{kind}_{call}"), format!("{label}, {call}"), "file-time");
                *totals.entry(key).or_default() += time_s;
            }
        } else if let Some((kind, _)) = name.strip_prefix(LATCHES).and_then(|it| it.split_once('/'))
            // Background threads wait on conditions whenever they have nothing to do.
            && kind != "cond"
        {
            let key = (format!("latch.{kind}"), kind.to_owned(), "latch-time");
            *totals.entry(key).or_default() += times[0];
        }
    }
    totals
}

/// The kinds as readings: their growth a second is how many threads were at it.
pub(super) fn readings(instruments: &Instruments) -> Vec<(Meter, Reading)> {
    let reading = |((name, label, group), total): (Kind, f64)| {
        let source = match group {
            "file-time" => "performance_schema.file_summary_by_event_name",
            _ => "performance_schema.events_waits_summary_global_by_event_name",
        };
        let (name, label) = (name.into(), label.into());
        (
            Meter { name, label, group, unit: "threads", source: source.into() },
            Reading::Total(total),
        )
    };
    totals(instruments).into_iter().map(reading).collect()
}

/// Threads at each kind, on average over the `length_s` between, the most first.
pub(super) fn mean(before: &Instruments, after: &Instruments, length_s: f64) -> Vec<(String, f64)> {
    let then = totals(before);
    let grown = totals(after).into_iter().filter_map(|(key, now)| {
        let grown = (now - then.get(&key).copied().unwrap_or(0.0)) / length_s;
        (grown.is_finite() && grown > 0.0).then_some((key.1, grown))
    });
    let mut grown: Vec<(String, f64)> = grown.collect();
    grown.sort_by(|a, b| b.1.total_cmp(&a.1));
    grown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruments(times: &[(&str, [f64; 3])]) -> Instruments {
        times.iter().map(|(name, times)| ((*name).to_owned(), *times)).collect()
    }

    #[test]
    fn files_and_latches_are_added_up_by_kind() {
        let before = instruments(&[("wait/io/file/innodb/innodb_log_file", [0.0, 1.0, 2.0])]);
        let after = instruments(&[
            ("wait/io/file/innodb/innodb_log_file", [0.0, 2.0, 6.0]),
            ("wait/io/file/sql/FRM", [0.5, 0.0, 0.0]),
            ("wait/io/file/sql/dbopt", [0.5, 0.0, 0.0]),
            ("wait/synch/mutex/innodb/a", [1.5, 0.0, 0.0]),
            ("wait/synch/mutex/innodb/b", [0.5, 0.0, 0.0]),
            ("wait/synch/cond/innodb/idle", [9.0, 0.0, 0.0]),
        ]);
        let told: Vec<(String, f64)> = mean(&before, &after, 2.0);
        let expected = [
            ("redo log, sync", 2.0),
            ("mutex", 1.0),
            ("other files, read", 0.5),
            ("redo log, write", 0.5),
        ];
        assert_eq!(told, expected.map(|(label, threads)| (label.to_owned(), threads)));
        assert_eq!(readings(&after).len(), 3 + 3 + 1);
    }
}
