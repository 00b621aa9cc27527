use super::*;
use crate::{
    Ended,
    schedule::Schedule,
    simulation::{Mock, commits, simulate, simulate_with, until},
};
use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    sync::{Arc, Mutex},
};

#[test]
fn with_a_free_connection_nothing_queues() {
    let mock = Mock::new(|_| commits(ms(10))).draws(&["Order"], |_| pauses(5000, 5000));
    let options = LoadOptions { connections: 2, ..open(10, 100.0, Arrivals::Even) };
    let report = simulate(&Arc::new(mock), &options).unwrap();
    let order = &report.transactions[0];
    assert_eq!(order.measured.committed, 1000);
    assert!(all_at(&order.queue, 0, 1000));
    assert!(all_at(&order.service, 10_000, 1000));
    assert_eq!(order.response, order.service);
    let arrivals = report.arrivals.unwrap();
    assert_eq!((arrivals.due, arrivals.unstarted, arrivals.oldest_wait_s), (1000, 0, 0.0));
}

/// A server that answers in 1 ms, but not at all in the second from 5 s to 6 s.
fn stalling() -> Mock {
    Mock::new(|call| {
        let stalled = (ms(5000)..ms(6000)).contains(&call.at);
        commits(ms(1) + if stalled { ms(6000) - call.at } else { Duration::ZERO })
    })
}

/// Coordinated omission: the closed loop asks nothing while the server stalls, and so has one slow
/// transaction a connection to show for a second in which nobody was served.
#[test]
fn a_stall_of_a_second_shows_in_an_open_loop_and_hides_in_a_closed_one() {
    let open = LoadOptions { connections: 10, ..open(20, 1000.0, Arrivals::Even) };
    let report = simulate(&Arc::new(stalling()), &open).unwrap();
    let order = &report.transactions[0];
    assert_eq!(order.measured.committed, 20_000);
    let ms_at = |histogram: &hdrhistogram::Histogram<u64>, quantile| {
        histogram.value_at_quantile(quantile) as f64 / 1e3
    };
    // The thousand that were due in the stall waited for up to a second, and those behind them;
    // that is 5% of all and more.
    assert!(ms_at(&order.response, 0.99) > 700.0, "{}", ms_at(&order.response, 0.99));
    assert!(ms_at(&order.queue, 0.99) > 700.0, "{}", ms_at(&order.queue, 0.99));
    assert_eq!(order.service.len() - order.service.count_between(0, 1500), 10);
    assert!((report.intervals[5].transactions[0].max_ms) < 2.0, "{:?}", report.intervals[5]);
    assert!(report.intervals[6].transactions[0].p99_ms > 700.0, "{:?}", report.intervals[6]);

    let closed = LoadOptions { connections: 10, ..closed(20) };
    let report = simulate(&Arc::new(stalling()), &closed).unwrap();
    let order = &report.transactions[0];
    assert!(ms_at(&order.response, 0.999) < 1.01, "{}", ms_at(&order.response, 0.999));
    assert!(order.queue.is_empty());
}

#[test]
fn overload_queues_and_is_counted_to_the_last_transaction() {
    // Due at 0, 10, 20 ... ms; served in 20 ms each: number k starts at 20 k, 10 k late.
    let mock = Arc::new(Mock::new(|_| commits(ms(20))));
    let report = simulate(&mock, &open(10, 100.0, Arrivals::Even)).unwrap();
    let order = &report.transactions[0];
    assert_eq!(order.measured.committed, 500);
    let arrivals = report.arrivals.unwrap();
    assert_eq!((arrivals.due, arrivals.unstarted), (1000, 500));
    // The 500th was due at 5 s and the load ended at 10 s.
    assert_eq!(arrivals.oldest_wait_s, 5.0);
    assert_eq!(order.queue.len(), 500);
    assert!(order.queue.equivalent(order.queue.max(), 4_990_000));
    assert!(order.response.equivalent(order.response.max(), 5_010_000));
    assert!(order.queue.equivalent(order.queue.value_at_quantile(0.5), 2_490_000));
}

#[test]
fn a_stopped_open_loop_counts_what_was_due_before_the_stop() {
    let mock = Arc::new(Mock::new(|_| commits(ms(20))));
    let options = open(10, 100.0, Arrivals::Even);
    let stopper = async |stop: crate::Stop| {
        until(ms(1005)).await;
        stop.stop();
    };
    let report = simulate_with(&mock, &options, stopper, 0.1).0.unwrap();
    assert_eq!(report.ended, Ended::Interrupted);
    let arrivals = report.arrivals.unwrap();
    // Due at 0 to 1000 ms; started at 0, 20 ... 1000 ms.
    assert_eq!((arrivals.due, arrivals.unstarted), (101, 50));
    assert!((arrivals.oldest_wait_s - 0.495).abs() < 1e-9, "{}", arrivals.oldest_wait_s);
}

/// Service times that a test and the mock draw alike, by the order in which transactions start.
fn exponential_services(count: usize, mean_ns: f64) -> Vec<u64> {
    Schedule::new(1e9 / mean_ns, Arrivals::Poisson, 99)
        .scan(0, |previous_ns, at_ns| Some(at_ns - std::mem::replace(previous_ns, at_ns)))
        .take(count)
        .collect()
}

/// Runs `servers` connections at 100/s for 200 s with exponential service of mean `mean_ns`.
fn queue_with(servers: u32, mean_ns: f64) -> crate::LoadReport {
    let services = exponential_services(40_000, mean_ns);
    let next = Mutex::new(0);
    let mock = Mock::new(move |_| {
        let mut next = next.lock().unwrap();
        *next += 1;
        commits(Duration::from_nanos(services[*next - 1]))
    });
    let options = LoadOptions { connections: servers, ..open(200, 100.0, Arrivals::Poisson) };
    simulate(&Arc::new(mock), &options).unwrap()
}

#[test]
fn tickets_are_exactly_a_first_come_first_served_queue() {
    let (servers, mean_ns) = (3, 25e6);
    let report = queue_with(servers, mean_ns);
    let end_ns = 200_000_000_000;
    let mut free: BinaryHeap<_> = (0..servers).map(|_| Reverse(0_u64)).collect();
    let mut queue = crate::histogram::latencies();
    let mut due = 0;
    let services = exponential_services(40_000, mean_ns);
    let arrivals = Schedule::new(100.0, Arrivals::Poisson, LoadOptions::default().seed);
    for (arrival_ns, service_ns) in arrivals.take_while(|at| *at < end_ns).zip(services) {
        due += 1;
        let Reverse(free_ns) = free.pop().unwrap();
        let start_ns = arrival_ns.max(free_ns);
        free.push(Reverse(start_ns + service_ns));
        if start_ns + service_ns <= end_ns {
            queue.record(crate::histogram::micros(start_ns - arrival_ns)).unwrap();
        }
    }
    assert_eq!(report.arrivals.unwrap().due, due);
    assert_eq!(report.transactions[0].queue, queue);
}

/// Erlang C: with 3 servers at 5/6 load (rate 100/s, mean service 25 ms), an arrival waits with
/// probability 0.7022, and the mean wait is that over (3 / 25 ms - 100/s), 35.1 ms.
#[test]
fn waiting_agrees_with_the_textbook_queue() {
    let report = queue_with(3, 25e6);
    let queue = &report.transactions[0].queue;
    let waited = 1.0 - queue.count_at(0) as f64 / queue.len() as f64;
    assert!((waited - 0.7022).abs() < 0.04, "{waited}");
    assert!((queue.mean() / 1e3 - 35.1).abs() < 6.0, "{}", queue.mean());
}
