use super::*;
use crate::{
    Ended, FailureClass, Outcomes,
    simulation::{Mock, commits, fails, simulate},
};
use std::sync::Arc;

#[test]
fn a_retryable_failure_is_tried_again_and_counts_once() {
    let mock = Arc::new(Mock::new(|call| match (call.transaction % 5, call.attempt) {
        (0, 1 | 2) => fails(ms(10), FailureClass::Retryable, 1213, "Deadlock found"),
        _ => commits(ms(10)),
    }));
    let report = simulate(&mock, &closed(10)).unwrap();
    let order = &report.transactions[0];
    let Outcomes { committed, retried, retries, failed, .. } = order.total;
    assert!(committed > 500, "{:?}", order.total);
    assert_eq!((retried, retries, failed), (committed.div_ceil(5), retried * 2, 0));
    let [error] = &report.errors[..] else { panic!("one error: {:?}", report.errors) };
    assert_eq!((error.kind, error.code, error.message.as_str()), (0, 1213, "Deadlock found"));
    assert_eq!((error.retried, error.failed), (retries, 0));
    // Three attempts and waits of up to 1 and 2 ms between them.
    assert_eq!(order.service.count_between(30_000, 33_030), order.measured.retried);
    assert!(order.service.max() <= 33_030);
}

#[test]
fn a_transaction_that_keeps_failing_is_given_up_after_its_retries() {
    let mock = Arc::new(Mock::new(|_| fails(ms(100), FailureClass::Retryable, 1205, "Lock wait")));
    let options = LoadOptions { retries_max: 2, ..closed(1) };
    let report = simulate(&mock, &options).unwrap();
    let order = &report.transactions[0];
    // 300 to 303 ms each: the fourth starts before the end and fails after it.
    assert_eq!(order.measured.failed, 3);
    assert_eq!(order.total, Outcomes { failed: 4, retries: 8, ..Outcomes::default() });
    assert_eq!((report.errors[0].retried, report.errors[0].failed), (8, 4));
    assert!(order.service.is_empty());
}

#[test]
fn failures_are_counted_by_type_and_code_with_their_first_words() {
    let mock = Mock::new(|call| match call.transaction % 10 {
        2 => fails(ms(10), FailureClass::Fatal, 1146, &format!("{} no table", call.transaction)),
        5 | 8 => fails(ms(10), FailureClass::Fatal, 1021, "Disk full"),
        _ => commits(ms(10)),
    });
    let mock = Arc::new(mock.draws(&["Order", "Payment"], |(_, transaction)| Draw {
        kind: (transaction % 2) as usize,
        ..pauses(0, 0)
    }));
    let report = simulate(&mock, &closed(1)).unwrap();
    let errors: Vec<_> = report
        .errors
        .iter()
        .map(|error| (error.kind, error.code, error.message.as_str(), error.failed))
        .collect();
    let expected =
        [(0, 1021, "Disk full", 10), (0, 1146, "2 no table", 10), (1, 1021, "Disk full", 10)];
    assert_eq!(errors, expected);
    assert_eq!(report.transactions[0].measured.failed, 20);
    assert_eq!(report.transactions[1].measured.failed, 10);
    assert_eq!(report.ended, Ended::Complete);
}

#[test]
fn too_many_failures_in_a_row_end_the_load() {
    let mock = Arc::new(Mock::new(|call| match call.at >= ms(500) {
        true => fails(ms(10), FailureClass::Fatal, 1146, "no such table"),
        false => commits(ms(10)),
    }));
    let options =
        LoadOptions { connections: 2, threads: 2, failures_in_a_row_max: 20, ..closed(60) };
    let report = simulate(&mock, &options).unwrap();
    let Ended::Aborted(reason) = &report.ended else { panic!("{:?}", report.ended) };
    let expected = "20 transactions failed in a row (--failures-in-a-row), the last with error \
                    1146: no such table";
    assert_eq!(reason, expected);
    let total = report.transactions[0].total;
    // The other connection's failed at the same moment and had been started before.
    assert_eq!((total.committed, total.failed), (100, 21));
    assert_eq!(report.measured_s(), 0.6);
}

#[test]
fn a_success_starts_the_count_of_failures_in_a_row_again() {
    let mock = Arc::new(Mock::new(|call| match call.transaction % 10 {
        9 => commits(ms(10)),
        _ => fails(ms(10), FailureClass::Fatal, 1146, "no such table"),
    }));
    let options = LoadOptions { failures_in_a_row_max: 10, ..closed(10) };
    assert_eq!(simulate(&mock, &options).unwrap().ended, Ended::Complete);
}

#[test]
fn a_type_that_the_workload_does_not_have_ends_the_load() {
    let mock = Mock::new(|_| commits(ms(10))).draws(&["Order"], |(_, transaction)| Draw {
        kind: (transaction / 10) as usize,
        ..pauses(0, 0)
    });
    let report = simulate(&Arc::new(mock), &closed(10)).unwrap();
    assert_eq!(report.ended, Ended::Aborted("the workload drew transaction type 1".into()));
    assert_eq!(report.transactions[0].total.committed, 10);
}
