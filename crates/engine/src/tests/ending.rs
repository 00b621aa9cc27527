use super::*;
use crate::{
    ABANDONED_CODE, Ended, LoadError, LoadReport, Outcomes, Phase, Stop,
    simulation::{Mock, commits, simulate, simulate_with, until},
};
use std::sync::Arc;

/// Runs with someone who stops the load at these moments.
fn stopped_at(
    mock: Mock,
    options: &LoadOptions,
    stops_ms: &'static [u64],
) -> Result<LoadReport, LoadError> {
    let someone = async move |stop: Stop| {
        for at in stops_ms {
            until(ms(*at)).await;
            stop.stop();
        }
    };
    simulate_with(&Arc::new(mock), options, someone, 0.1).0
}

fn ended_s(report: &LoadReport) -> f64 {
    report.phases.last().unwrap().until_s
}

#[test]
fn a_stop_cuts_think_time_short() {
    let mock = Mock::new(|_| commits(ms(10))).draws(&["Order"], |_| pauses(0, 1_000_000));
    let report = stopped_at(mock, &closed(60), &[5000]).unwrap();
    assert_eq!(report.ended, Ended::Interrupted);
    assert_eq!(ended_s(&report), 5.0);
    assert_eq!(report.measured_s(), 5.0);
    assert_eq!(report.transactions[0].measured.committed, 1);
}

#[test]
fn a_stop_cuts_keying_time_short() {
    let mock = Mock::new(|_| commits(ms(10))).draws(&["Order"], |_| pauses(1_000_000, 0));
    let report = stopped_at(mock, &closed(60), &[5000]).unwrap();
    assert_eq!((ended_s(&report), report.transactions[0].total.started()), (5.0, 0));
}

#[test]
fn a_stop_lets_transactions_finish_within_the_grace() {
    let report = stopped_at(Mock::new(|_| commits(ms(3000))), &closed(60), &[5000]).unwrap();
    assert_eq!(report.ended, Ended::Interrupted);
    let order = &report.transactions[0];
    assert_eq!((order.measured.committed, order.total.committed), (1, 2));
    let phases: Vec<_> = report.phases.iter().map(|span| (span.phase, span.until_s)).collect();
    assert_eq!(phases, [(Phase::Measure, 5.0), (Phase::Drain, 6.0)]);
}

#[test]
fn what_outlasts_the_grace_is_abandoned_and_in_doubt() {
    let mock = Mock::new(|call| commits(if call.worker == 0 { ms(3_600_000) } else { ms(10) }));
    let options = LoadOptions { connections: 2, grace: ms(2500), ..closed(4) };
    let report = simulate(&Arc::new(mock), &options).unwrap();
    assert_eq!(report.ended, Ended::Complete);
    let order = &report.transactions[0];
    let measured = Outcomes { committed: 400, ..Outcomes::default() };
    assert_eq!(order.measured, measured);
    assert_eq!(order.total, Outcomes { failed: 1, in_doubt: 1, ..measured });
    assert_eq!((report.errors[0].code, report.errors[0].failed), (ABANDONED_CODE, 1));
    assert_eq!(ended_s(&report), 6.5);
    assert_eq!(report.intervals.iter().map(|i| i.transactions[0].failed).sum::<u64>(), 1);
}

#[test]
fn a_second_stop_cuts_the_grace() {
    let mock = Mock::new(|_| commits(ms(3_600_000)));
    let report = stopped_at(mock, &closed(60), &[5000, 5300]).unwrap();
    assert_eq!(report.ended, Ended::Interrupted);
    assert_eq!(ended_s(&report), 5.3);
    assert_eq!(report.transactions[0].total.in_doubt, 1);
}

#[test]
fn two_stops_at_once_end_the_load_at_once() {
    let mock = Mock::new(|_| commits(ms(3_600_000)));
    let report = stopped_at(mock, &closed(60), &[5000, 5000]).unwrap();
    assert_eq!((report.ended.clone(), ended_s(&report)), (Ended::Interrupted, 5.0));
}

#[test]
fn a_stop_while_a_finished_load_drains_cuts_the_grace_and_the_load_stays_complete() {
    let mock = Mock::new(|_| commits(ms(3_600_000)));
    let report = stopped_at(mock, &closed(5), &[6000]).unwrap();
    assert_eq!((report.ended.clone(), ended_s(&report)), (Ended::Complete, 6.0));
}

#[test]
fn a_stop_ends_every_thread() {
    let mock = Mock::new(|_| commits(ms(10))).draws(&["Order"], |_| pauses(0, 990));
    let options = LoadOptions { connections: 8, threads: 4, ..closed(60) };
    let report = stopped_at(mock, &options, &[2500]).unwrap();
    assert_eq!((ended_s(&report), report.transactions[0].total.committed), (2.5, 24));
}

#[test]
fn a_stop_in_the_ramp_up_leaves_nothing_measured() {
    let mut options = closed(60);
    options.phases.ramp_up = ms(10_000);
    let report = stopped_at(Mock::new(|_| commits(ms(10))), &options, &[4995]).unwrap();
    assert_eq!((report.measured_s(), ended_s(&report)), (0.0, 5.0));
    let order = &report.transactions[0];
    assert_eq!((order.measured.started(), order.total.committed), (0, 500));
}

#[test]
fn a_stop_during_the_opening_is_an_error() {
    let mock = Mock::new(|_| commits(ms(10))).opens(|_| (ms(10_000), Ok(())));
    let error = stopped_at(mock, &closed(60), &[5000]).unwrap_err();
    assert_eq!(error.to_string(), "interrupted before all connections were open");
}

#[test]
fn bad_options_are_an_error_before_anything_is_opened() {
    let mock = Arc::new(Mock::new(|_| commits(ms(10))));
    let error = simulate(&mock, &LoadOptions { connections: 0, ..closed(1) }).unwrap_err();
    assert!(error.to_string().starts_with("--connections 0"), "{error}");
    assert!(mock.events().is_empty());
}
