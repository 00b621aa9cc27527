use super::*;
use crate::{
    Completion, FailureClass, Finished, Outcomes,
    simulation::{Event, Mock, commits, fails, simulate},
};
use std::sync::Arc;

fn told(mock: &Mock) -> Vec<Finished> {
    let events = mock.events().into_iter();
    events
        .filter_map(|event| match event {
            Event::Finished(_, finished) => Some(finished),
            _ => None,
        })
        .collect()
}

const MS: u64 = 1_000_000;

#[test]
fn a_session_is_told_when_its_transactions_were_due_started_and_ended() {
    // Due every 10 ms, served in 20: number k is due at 10 k, starts at 20 k.
    let mock = Arc::new(Mock::new(|_| commits(ms(20))));
    simulate(&mock, &open(1, 100.0, Arrivals::Even)).unwrap();
    let told = told(&mock);
    assert_eq!(told.len(), 50);
    let expected = Finished {
        kind: 0,
        intended_ns: 100 * MS,
        started_ns: 200 * MS,
        ended_ns: 220 * MS,
        completion: Some(Completion::Committed),
    };
    assert_eq!(told[10], expected);
}

#[test]
fn retries_belong_to_the_transaction_and_one_that_is_given_up_is_told_as_well() {
    let mock = Arc::new(Mock::new(|call| match (call.transaction, call.attempt) {
        (0, 1) => fails(ms(5), FailureClass::Retryable, 1213, "Deadlock found"),
        (1, _) => fails(ms(5), FailureClass::Fatal, 1146, "no such table"),
        (2, _) => {
            let lost = FailureClass::ConnectionLost { in_doubt: false };
            fails(ms(5), lost, 2013, "Lost connection")
        }
        _ => commits(ms(10)),
    }));
    let report = simulate(&mock, &closed(1)).unwrap();
    let told = told(&mock);
    assert_eq!(told[0].completion, Some(Completion::Committed));
    assert_eq!((told[0].intended_ns, told[0].started_ns), (0, 0));
    assert!(told[0].ended_ns >= 15 * MS, "both attempts: {:?}", told[0]);
    assert_eq!((told[1].completion, told[1].started_ns), (None, told[0].ended_ns));
    assert_eq!(told[2].completion, None);
    let Outcomes { committed, failed, .. } = report.transactions[0].total;
    let completed = told.iter().filter(|finished| finished.completion.is_some()).count();
    assert_eq!((completed as u64, told.len() as u64), (committed, committed + failed));
}
