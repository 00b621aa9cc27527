#![allow(clippy::unwrap_used)]
use super::*;
use crate::record::{Figure, IntervalTransactions, RunStatus, example};
use proptest::prelude::*;

const RUN_1: &str = include_str!("../../tests/data/run-1.json");

/// A file that an earlier version wrote must stay readable, and a changed schema must be noticed.
#[test]
fn the_schema_is_the_one_that_is_documented() {
    let json = json(&example::record()).unwrap();
    assert_eq!(
        json, RUN_1,
        "the JSON of a run has changed. Fields may be added (with a default, so that old files are \
         read), never renamed: then mend crates/lab/tests/data/run-1.json and docs/run-schema.md"
    );
    assert_eq!(parse(RUN_1).unwrap(), example::record());
}

#[test]
fn every_field_is_documented() {
    assert_eq!(super::document::undocumented(RUN_1), Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_exported_is_read_back(
        label in ".*",
        value in prop::num::f64::NORMAL,
        counts in any::<[u64; 4]>(),
        latency_ms in prop::num::f64::POSITIVE | prop::num::f64::ZERO,
    ) {
        let mut record = example::record();
        record.label = label;
        record.status = RunStatus::Complete;
        record.headline = vec![Figure { name: "x".into(), value, unit: "".into(), ci95: None }];
        record.intervals[0].transactions.push(IntervalTransactions {
            committed: counts[0],
            rolled_back: counts[1],
            failed: counts[2],
            retries: counts[3],
            p50_ms: latency_ms,
            ..IntervalTransactions::default()
        });
        prop_assert_eq!(&parse(&json(&record).unwrap()).unwrap(), &record);
        prop_assert_eq!(&parse(&compact(&record).unwrap()).unwrap(), &record);
    }

    #[test]
    fn any_text_is_a_run_or_an_error(text in ".*") {
        prop_assert!(parse(&text).is_err());
    }
}

#[test]
fn a_newer_schema_is_named() {
    let error = parse(&RUN_1.replace("myrig.run/1", "myrig.run/2")).unwrap_err().to_string();
    assert!(error.contains("myrig.run/2") && error.contains("newer myrig"), "{error}");
}

#[test]
fn fields_of_a_later_version_are_passed_over() {
    let later = RUN_1.replacen('{', "{ \"added_later\": [1, 2],", 1);
    assert_eq!(parse(&later).unwrap(), example::record());
}

#[test]
fn runs_of_a_version_that_did_not_watch_are_read() {
    let before = RUN_1.split_once(",\n  \"watch\"").unwrap().0.to_owned() + "\n}\n";
    let read = parse(&before).unwrap();
    let amplification = Vec::new();
    assert_eq!(read, RunRecord { watch: None, amplification, ..example::record() });
    assert_eq!(watch_csv(&read), "run,at_s,phase\n");
}

#[test]
fn what_was_watched_has_a_row_a_sample_and_gaps_are_empty() {
    let csv = watch_csv(&example::record());
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines[0], "run,at_s,phase,rows.read,pool.dirty");
    assert_eq!(lines[1], "20261121T204500-1f3a9c,0.001,ramp-up,,16384");
    assert_eq!(lines[3], "20261121T204500-1f3a9c,2.001,measure,,0");
    assert_eq!(lines.len(), 4);
}

#[test]
fn a_figure_that_is_no_number_is_refused_by_name() {
    let mut record = example::record();
    record.intervals[2].transactions[0].p99_ms = f64::NAN;
    let error = json(&record).unwrap_err().to_string();
    assert!(error.contains("interval's latency"), "{error}");
}

#[test]
fn the_series_has_a_row_a_second_and_type() {
    let mut record = example::record();
    record.transactions[1].name = "Pay, \"now\"".to_owned();
    let csv = series_csv(&record);
    assert_eq!(csv.lines().count(), 1 + 4 * 2);
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(
        lines[1],
        "20261121T204500-1f3a9c,1,1,ramp-up,New-Order,99,1,0,2,1.5,2.1,20.7,25.3,16,\
         0.30000000000000004"
    );
    assert!(lines[4].contains(",measure,\"Pay, \"\"now\"\"\",50,"), "{}", lines[4]);
}

#[test]
fn the_summary_has_a_row_a_run() {
    let mut bare = example::record();
    (bare.headline, bare.transactions) = (Vec::new(), Vec::new());
    (bare.check, bare.phases) = (None, Vec::new());
    let csv = summary_csv(&[example::record(), bare]);
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines.len(), 3);
    let columns = lines[0].split(',').count();
    assert!(lines.iter().all(|line| line.split(',').count() == columns), "{csv}");
    insta::assert_snapshot!(lines[1]);
}
