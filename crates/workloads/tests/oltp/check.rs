//! The check finds what is wrong, and nothing else.

use crate::support::*;
use workloads::{
    ConditionResult,
    oltp::{CheckOptions, Error, Kind, Oltp, Options, check},
    tpcc::CheckProgress,
};

fn findings(target: &client::Target, options: CheckOptions) -> Vec<ConditionResult> {
    check(target, options, &CheckProgress::default()).expect("a check")
}

fn violated(target: &client::Target, options: CheckOptions) -> Vec<&'static str> {
    let found = findings(target, options);
    found.iter().filter(|found| found.violations > 0).map(|found| found.name).collect()
}

pub(crate) fn damage_is_found_and_told_by_table(bench: &Bench) {
    let target = bench.tables("check_damage", small());
    let sized = CheckOptions { table_size: Some(1_000), rows_changed: false };
    assert_eq!(violated(&target, sized), [""; 0]);
    let names: Vec<_> = findings(&target, sized).iter().map(|found| found.name).collect();
    assert_eq!(names, ["rows", "keys", "index", "check"]);

    let other = CheckOptions { table_size: Some(999), ..sized };
    assert_eq!(violated(&target, other), ["rows"]);
    // A row moved to the end leaves a gap and the number of rows.
    run(&target, &["UPDATE sbtest2 SET id = 1001 WHERE id = 500"]);
    let found = findings(&target, sized);
    assert_eq!(violated(&target, sized), ["keys"]);
    assert!(found[1].examples[0].contains("sbtest2") && found[1].violations == 1, "{found:?}");
    run(&target, &["DELETE FROM sbtest2 WHERE id = 1001"]);
    assert_eq!(violated(&target, sized), ["rows", "keys"]);
    assert_eq!(violated(&target, CheckOptions::default()), ["rows", "keys"]);

    // Without a primary key a key can come twice.
    let data = workloads::oltp::DataSet { secondary: true, ..small() };
    let target = bench.tables("check_twice", data);
    run(&target, &["UPDATE sbtest1 SET id = 2 WHERE id = 1", "UPDATE sbtest1 SET id=1 WHERE id=3"]);
    assert_eq!(violated(&target, sized), ["keys"]);

    let empty = bench.target("check_empty");
    create_database(&empty);
    let error = check(&empty, sized, &CheckProgress::default()).unwrap_err();
    assert!(matches!(error, Error::MissingTable { number: 1, .. }), "{error}");
}

pub(crate) fn rows_that_were_changed_on_purpose_are_no_damage(bench: &Bench) {
    let target = bench.tables("check_changed", small());
    for kind in [Kind::Insert, Kind::Delete] {
        transact(&Oltp::new(target.clone(), Options { kind, ..on_small() }).unwrap(), 20);
    }
    assert!(!violated(&target, CheckOptions::default()).is_empty());
    let changed = CheckOptions { rows_changed: true, ..CheckOptions::default() };
    assert_eq!(violated(&target, changed), [""; 0]);
    assert_eq!(findings(&target, changed).len(), 2);
}
