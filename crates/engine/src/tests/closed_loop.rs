use super::*;
use crate::{
    Completion, Ended, Outcomes, Phase, PhaseSpan,
    simulation::{Event, Mock, commits, simulate, simulate_with},
};
use std::sync::Arc;

/// What is counted does not depend on whether latencies are kept.
#[test]
fn without_histograms_transactions_are_counted_all_the_same() {
    let mock = || Arc::new(Mock::new(|_| commits(ms(10))));
    let full = simulate(&mock(), &closed(2)).unwrap();
    let bare = simulate(&mock(), &LoadOptions { histograms: false, ..closed(2) }).unwrap();
    let [kept, counted] = [&full, &bare].map(|report| &report.transactions[0]);
    assert_eq!(kept.measured, counted.measured);
    assert!(kept.response.len() == kept.measured.committed && counted.response.is_empty());
}

#[test]
fn transactions_follow_each_other_without_a_gap() {
    let mock = Arc::new(Mock::new(|_| commits(ms(10))));
    let report = simulate(&mock, &closed(3)).unwrap();
    assert_eq!(report.ended, Ended::Complete);
    let order = &report.transactions[0];
    assert_eq!(order.measured, Outcomes { committed: 300, ..Outcomes::default() });
    assert_eq!(order.total, order.measured);
    assert!(all_at(&order.service, 10_000, 300), "{:?}", values(&order.service));
    assert_eq!(order.service, order.response);
    assert!(order.queue.is_empty());
    assert_eq!(report.measured_s(), 3.0);
    assert_eq!(report.intervals.len(), 3);
    for (index, interval) in report.intervals.iter().enumerate() {
        assert_eq!((interval.at_s, interval.length_s), (index as f64 + 1.0, 1.0));
        assert_eq!((interval.connected, interval.transactions[0].committed), (1, 100));
        assert_eq!(interval.transactions[0].max_ms, 10.007);
    }
    assert!(report.arrivals.is_none() && report.errors.is_empty() && report.outages.is_empty());
}

#[test]
fn keying_comes_before_and_think_after_and_neither_is_latency() {
    let mock = Mock::new(|_| commits(ms(50))).draws(&["Order"], |_| pauses(100, 350));
    let mock = Arc::new(mock);
    let report = simulate(&mock, &closed(2)).unwrap();
    let starts: Vec<u128> = mock
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::Executes(call) => Some(call.at.as_millis()),
            _ => None,
        })
        .collect();
    assert_eq!(starts, [100, 600, 1100, 1600]);
    assert!(all_at(&report.transactions[0].service, 50_000, 4));
}

#[test]
fn a_transaction_belongs_to_the_phase_in_which_it_ends() {
    let mock = Arc::new(Mock::new(|_| commits(ms(400))));
    let mut options = closed(2);
    options.phases.ramp_up = ms(1000);
    options.phases.ramp_down = ms(1000);
    let report = simulate(&mock, &options).unwrap();
    // Ends at 0.4, 0.8 | 1.2, 1.6, 2.0, 2.4, 2.8 | 3.2, 3.6, 4.0, the last at the very end.
    let order = &report.transactions[0];
    assert_eq!((order.measured.committed, order.total.committed), (5, 10));
    let span = |phase, from_s, until_s| PhaseSpan { phase, from_s, until_s };
    assert_eq!(
        report.phases,
        [
            span(Phase::RampUp, 0.0, 1.0),
            span(Phase::Measure, 1.0, 3.0),
            span(Phase::RampDown, 3.0, 4.0)
        ]
    );
}

#[test]
fn what_ends_at_a_border_belongs_to_what_the_border_ends() {
    let mock = Arc::new(Mock::new(|_| commits(ms(500))));
    let mut options = closed(1);
    options.phases.ramp_up = ms(1000);
    options.phases.ramp_down = ms(500);
    let report = simulate(&mock, &options).unwrap();
    let order = &report.transactions[0];
    assert_eq!((order.measured.committed, order.total.committed), (2, 5));
    let by_interval: Vec<u64> =
        report.intervals.iter().map(|interval| interval.transactions[0].committed).collect();
    assert_eq!(by_interval, [2, 2, 1]);
}

#[test]
fn a_transaction_under_way_at_the_end_is_let_finish_in_the_drain() {
    let mock = Arc::new(Mock::new(|_| commits(ms(700))));
    let report = simulate(&mock, &closed(1)).unwrap();
    let order = &report.transactions[0];
    assert_eq!((order.measured.committed, order.total.committed), (1, 2));
    let drain = report.phases.last().unwrap();
    assert_eq!((drain.phase, drain.from_s, drain.until_s), (Phase::Drain, 1.0, 1.4));
    let last = report.intervals.last().unwrap();
    assert_eq!(last.at_s, 1.4);
    assert!((last.length_s - 0.4).abs() < 1e-12);
    assert_eq!(last.transactions[0].committed, 1);
}

#[test]
fn transactions_are_kept_apart_by_type_and_completion() {
    let mock = Mock::new(|call| match call.transaction % 4 {
        3 => (ms(20), Ok(Completion::RolledBack)),
        _ => commits(ms(10)),
    });
    let mock = Arc::new(mock.draws(&["Order", "Payment"], |(_, transaction)| Draw {
        kind: (transaction % 4 / 2) as usize,
        ..pauses(0, 0)
    }));
    let report = simulate(&mock, &closed(1)).unwrap();
    let [order, payment] = &report.transactions[..] else { panic!("two types") };
    assert_eq!((order.name.as_str(), payment.name.as_str()), ("Order", "Payment"));
    assert_eq!(order.measured, Outcomes { committed: 40, ..Outcomes::default() });
    let both = Outcomes { committed: 20, rolled_back: 20, ..Outcomes::default() };
    assert_eq!(payment.measured, both);
    assert_eq!(payment.service.count_at(10_000), 20);
    assert_eq!(payment.service.count_at(20_000), 20);
}

#[test]
fn threads_share_the_connections_and_their_results_are_merged() {
    let mock = Arc::new(Mock::new(|call| commits(ms(10 + u64::from(call.worker)))));
    let options = LoadOptions { connections: 5, threads: 3, ..closed(2) };
    let (report, observed) = simulate_with(&mock, &options, async |_| {}, 0.5);
    let report = report.unwrap();
    let expected: u64 = (10..15).map(|service_ms| 2000 / service_ms).sum();
    assert_eq!(report.transactions[0].measured.committed, expected);
    // Five transactions were under way; those of worker 0 ended just then.
    let total: u64 = (10..15).map(|service_ms| 2000_u64.div_ceil(service_ms)).sum();
    assert_eq!(report.transactions[0].total.committed, total);
    assert_eq!(observed, report.intervals);
    assert_eq!(report.intervals[0].connected, 5);
    assert!((report.intervals[0].client_cpu - 0.5).abs() < 1e-6);
    assert!((report.client.cpu_s - 3.0).abs() < 1e-6, "{:?}", report.client);
}

#[test]
fn a_client_that_is_busy_over_nine_tenths_of_a_core_is_called_saturated() {
    let mock = Arc::new(Mock::new(|_| commits(ms(10))));
    let client = |share| simulate_with(&mock, &closed(1), async |_| {}, share).0.unwrap().client;
    assert!((client(0.85).busiest_thread - 0.85).abs() < 1e-6);
    assert!(!client(0.85).saturated());
    assert!(client(0.95).saturated());
}

#[test]
fn a_number_of_transactions_ends_the_measured_phase_exactly() {
    for (connections, threads) in [(1, 1), (3, 1), (4, 2)] {
        let mock = Arc::new(Mock::new(|call| commits(ms(10 + u64::from(call.worker)))));
        let mut options =
            LoadOptions { connections, threads, transactions_max: Some(50), ..closed(60) };
        options.phases.ramp_down = ms(5000);
        let report = simulate(&mock, &options).unwrap();
        assert_eq!(report.ended, Ended::Complete);
        let order = &report.transactions[0];
        assert_eq!((order.measured.committed, order.total.committed), (50, 50));
        assert_eq!(report.phases.len(), 1, "{:?}", report.phases);
        assert_eq!(report.measured_s(), report.intervals.last().unwrap().at_s);
    }
}

#[test]
fn the_duration_ends_a_run_that_does_not_reach_its_number_of_transactions() {
    let mock = Arc::new(Mock::new(|_| commits(ms(10))));
    let options = LoadOptions { transactions_max: Some(1000), ..closed(2) };
    let report = simulate(&mock, &options).unwrap();
    assert_eq!(report.transactions[0].measured.committed, 200);
    assert_eq!(report.measured_s(), 2.0);
}

#[test]
fn sessions_are_closed_at_the_end() {
    let mock = Arc::new(Mock::new(|_| commits(ms(10))));
    simulate(&mock, &LoadOptions { connections: 3, ..closed(1) }).unwrap();
    let closed = mock.events().iter().filter(|event| matches!(event, Event::Closed(..))).count();
    assert_eq!(closed, 3);
}
