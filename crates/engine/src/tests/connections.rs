use super::*;
use crate::{
    Ended, Failure, FailureClass, LoadError, Outcomes,
    simulation::{Call, Event, Mock, commits, fails, simulate, simulate_with, until},
};
use std::sync::Arc;

const LOST: FailureClass = FailureClass::ConnectionLost { in_doubt: false };
const IN_DOUBT: FailureClass = FailureClass::ConnectionLost { in_doubt: true };

fn refused(message: &str) -> Failure {
    Failure { class: LOST, code: 2003, message: message.into() }
}

/// A server that is down in the given milliseconds: it drops what it is asked then, and refuses.
fn down_between(from_ms: u64, until_ms: u64) -> Mock {
    let is_down = move |call: Call| (ms(from_ms)..ms(until_ms)).contains(&call.at);
    Mock::new(move |call| match is_down(call) {
        true => fails(ms(5), LOST, 2013, "Lost connection"),
        false => commits(ms(10)),
    })
    .opens(move |call| (ms(1), if is_down(call) { Err(refused("refused")) } else { Ok(()) }))
}

#[test]
fn a_lost_connection_is_opened_again_and_the_outage_reported() {
    let mock = Arc::new(down_between(2001, 3000));
    let options = LoadOptions { connections: 4, threads: 2, ..closed(6) };
    let report = simulate(&mock, &options).unwrap();
    assert_eq!(report.ended, Ended::Complete);
    let total = report.transactions[0].total;
    assert_eq!((total.failed, total.in_doubt), (4, 0));
    assert_eq!((report.errors[0].code, report.errors[0].failed), (2013, 4));
    let [outage] = &report.outages[..] else { panic!("one outage: {:?}", report.outages) };
    // The opening took the millisecond before the start of the ramp-up.
    assert_eq!((outage.from_s, outage.connections), (2.005, 4));
    let until_s = outage.until_s.unwrap();
    assert!((3.0..4.0).contains(&until_s), "{until_s}");
    let up: Vec<u32> = report.intervals.iter().map(|interval| interval.connected).collect();
    assert_eq!(up[..6], [4, 4, 0, 4, 4, 4]);
    let reopened = mock.events().into_iter().filter(|e| matches!(e, Event::Opened(_, 1, _)));
    assert_eq!(reopened.count(), 4);
}

#[test]
fn a_lost_commit_is_in_doubt() {
    let mock = Arc::new(Mock::new(|call| match (call.incarnation, call.transaction) {
        (0, 9) => fails(ms(10), IN_DOUBT, 2013, "Lost connection"),
        _ => commits(ms(10)),
    }));
    let report = simulate(&mock, &closed(1)).unwrap();
    let total = report.transactions[0].total;
    assert_eq!((total.failed, total.in_doubt), (1, 1));
    assert!(total.committed > 9);
}

#[test]
fn a_connection_that_is_down_takes_no_tickets() {
    // Worker 0 is lost with its first transaction and stays away; worker 1 carries on alone.
    let mock = Mock::new(|call| match call.worker {
        0 => fails(Duration::ZERO, LOST, 2013, "Lost connection"),
        _ => commits(ms(5)),
    })
    .opens(|call| match call.incarnation {
        0 => (Duration::ZERO, Ok(())),
        _ => (Duration::ZERO, Err(refused("refused"))),
    });
    let options = LoadOptions { connections: 2, ..open(5, 100.0, Arrivals::Even) };
    let report = simulate(&Arc::new(mock), &options).unwrap();
    let order = &report.transactions[0];
    let expected = Outcomes { committed: 499, failed: 1, ..Outcomes::default() };
    assert_eq!(order.total, expected);
    assert!(all_at(&order.queue, 0, 499));
    let outage = report.outages[0];
    assert_eq!((outage.until_s, outage.connections), (None, 1));
}

#[test]
fn the_load_is_given_up_when_all_connections_stay_down() {
    let mock = Arc::new(down_between(1001, 1_000_000));
    let mut options = LoadOptions { connections: 3, ..closed(600) };
    options.reconnect.give_up = Duration::from_secs(20);
    let report = simulate(&mock, &options).unwrap();
    let expected = "all 3 connections were down for 20s (--reconnect-give-up): refused";
    assert_eq!(report.ended, Ended::Aborted(expected.into()));
    let ended_s = report.phases.last().unwrap().until_s;
    assert!((21.0..22.01).contains(&ended_s), "{ended_s}");
    assert_eq!(report.transactions[0].total.failed, 3);
    assert_eq!((report.outages[0].from_s, report.outages[0].until_s), (1.005, None));
}

#[test]
fn a_stop_does_not_wait_for_a_connection_that_is_down() {
    // Once while waiting to try again, and once in the middle of an opening that hangs.
    for opening_takes in [Duration::ZERO, Duration::from_secs(3600)] {
        let mock =
            Mock::new(|_| fails(ms(1000), LOST, 2013, "Lost connection")).opens(move |call| {
                match call.incarnation {
                    0 => (Duration::ZERO, Ok(())),
                    _ => (opening_takes, Err(refused("refused"))),
                }
            });
        let mut options = closed(600);
        options.reconnect.first = Duration::from_secs(200);
        options.reconnect.max = Duration::from_secs(200);
        options.reconnect.give_up = Duration::from_secs(600);
        let stop_at = if opening_takes.is_zero() { ms(50_000) } else { ms(300_000) };
        let stopper = async move |stop: crate::Stop| {
            until(stop_at).await;
            stop.stop();
        };
        let report = simulate_with(&Arc::new(mock), &options, stopper, 0.1).0.unwrap();
        assert_eq!(report.ended, Ended::Interrupted);
        assert_eq!(report.phases.last().unwrap().until_s, stop_at.as_secs_f64());
    }
}

#[test]
fn the_planned_end_does_not_wait_for_a_connection_that_is_down() {
    let mock = Mock::new(|_| fails(ms(10), LOST, 2013, "Lost connection")).opens(|call| match call
        .incarnation
    {
        0 => (Duration::ZERO, Ok(())),
        _ => (Duration::from_secs(3600), Ok(())),
    });
    let report = simulate(&Arc::new(mock), &closed(5)).unwrap();
    assert_eq!(report.ended, Ended::Complete);
    assert_eq!(report.phases.last().unwrap().until_s, 5.0);
}

#[test]
fn a_session_that_cannot_be_opened_at_the_start_is_the_error() {
    let mock = Arc::new(Mock::new(|_| commits(ms(10))).opens(|call| match call.worker {
        70 => (ms(5), Err(refused("Too many connections"))),
        _ => (ms(5), Ok(())),
    }));
    let options = LoadOptions { connections: 200, threads: 2, ..closed(5) };
    let error = simulate(&mock, &options).unwrap_err();
    assert_eq!(error.to_string(), "connection 71 could not be opened: Too many connections");
    assert!(matches!(error, LoadError::NotOpened { worker: 70, .. }));
    let events = mock.events();
    let executed = events.iter().filter(|event| matches!(event, Event::Executes(_))).count();
    let opened = events.iter().filter(|event| matches!(event, Event::Opened(..))).count();
    let closed = events.iter().filter(|event| matches!(event, Event::Closed(..))).count();
    assert_eq!(executed, 0);
    assert!(opened >= closed && closed >= 60, "{opened} opened, {closed} closed");
}

#[test]
fn no_more_than_a_few_sessions_are_opened_at_a_time() {
    let mock = Arc::new(Mock::new(|_| commits(ms(10))).opens(|_| (ms(10), Ok(()))));
    let options = LoadOptions { connections: 100, threads: 2, ..closed(1) };
    simulate(&mock, &options).unwrap();
    let mut opened_ms = Vec::new();
    for event in mock.events() {
        if let Event::Opened(_, 0, at) = event {
            opened_ms.push(at.as_millis());
        }
    }
    let at_ms = |at| opened_ms.iter().filter(|opened| **opened == at).count();
    assert_eq!([10, 20, 30, 40].map(at_ms), [32, 32, 32, 4]);
}

#[test]
fn the_workload_is_told_once_when_all_sessions_are_open() {
    let mock =
        Mock::new(|_| commits(ms(10))).opens(|call| (ms(5 + u64::from(call.worker)), Ok(())));
    let mock = Arc::new(mock);
    let options = LoadOptions { connections: 4, threads: 2, ..closed(1) };
    simulate(&mock, &options).unwrap();
    let told: Vec<_> =
        mock.events().into_iter().filter(|event| matches!(event, Event::Began(_))).collect();
    assert_eq!(told, [Event::Began(ms(8))]);
}

#[test]
fn a_load_waits_for_those_that_it_is_to_begin_with() {
    let mock = Arc::new(Mock::new(|_| commits(ms(10))).waits_for_others(ms(700)));
    let options = LoadOptions { connections: 4, threads: 2, ..closed(1) };
    let report = simulate(&mock, &options).unwrap();
    assert_eq!(report.ended, Ended::Complete);
    assert!(mock.events().contains(&Event::Began(ms(700))));
    assert_eq!(report.phases[0].from_s, 0.0, "its own time begins with the load");

    // Others that never come do not keep it from being interrupted.
    let mock = Arc::new(Mock::new(|_| commits(ms(10))).waits_for_others(ms(1_000_000)));
    let someone = async |stop: crate::Stop| {
        until(ms(300)).await;
        stop.stop();
    };
    let (report, _) = simulate_with(&mock, &options, someone, 0.25);
    assert!(matches!(report, Err(LoadError::Interrupted)), "{report:?}");
}
