//! The forms, letter by letter, with figures that the tools themselves have printed.

use super::{super::histogram::STEPS, *};

fn figures(percentile: Option<u32>) -> Figures {
    let mut histogram = vec![0; STEPS];
    // 1.82 ms, as sysbench rounds it.
    histogram[histogram::step(1_824_000)] = 4506;
    let connections = vec![(2374, 2_995_285_000), (2132, 2_995_285_000)];
    Figures {
        counts: Counts { histogram, connections, errors: 0, reconnects: 0 },
        queries: Queries { read: 63084, write: 18030, other: 9006, idle_writes: 6 },
        seconds: 3.006_91,
        total_s: 3.0053,
        percentile,
        unfinished: 0,
    }
}

#[test]
fn the_report_of_1_0() {
    let expected = "\
SQL statistics:
    queries performed:
        read:                            63084
        write:                           18024
        other:                           9012
        total:                           90120
    transactions:                        4506   (1498.55 per sec.)
    queries:                             90120  (29970.97 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          3.0053s
    total number of events:              4506

Latency (ms):
         min:                                    0.69
         avg:                                    1.33
         max:                                    6.73
         95th percentile:                        1.82
         sum:                                 5990.57

Threads fairness:
    events (avg/stddev):           2253.0000/121.00
    execution time (avg/stddev):   2.9953/0.00

";
    let report = figures(Some(95)).report(Form::V1_0, Some((690_000, 6_730_000)));
    assert_eq!(report, expected);
}

#[test]
fn without_a_percentile_1_0_says_so() {
    let report = figures(None).report(Form::V1_0, None);
    let line = "\n         percentile stats:               disabled\n";
    assert!(report.contains(line), "{report}");
}

#[test]
fn the_report_of_0_5() {
    let expected = "\
OLTP test statistics:
    queries performed:
        read:                            63084
        write:                           18024
        other:                           9012
        total:                           90120
    transactions:                        4506   (1498.55 per sec.)
    read/write requests:                 81108  (26973.87 per sec.)
    other operations:                    9012   (2997.10 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          3.0053s
    total number of events:              4506
    total time taken by event execution: 5.9906s
    response time:
         min:                                  0.69ms
         avg:                                  1.33ms
         max:                                  6.73ms
         approx.  95 percentile:               1.82ms

Threads fairness:
    events (avg/stddev):           2253.0000/121.00
    execution time (avg/stddev):   2.9953/0.00

";
    let report = figures(Some(95)).report(Form::V0_5, Some((690_000, 6_730_000)));
    assert_eq!(report, expected);
}

#[test]
fn interval_lines_of_both() {
    let mut figures = figures(Some(99));
    (figures.seconds, figures.total_s) = (10.0, 10.0004);
    let now = Now { threads: 2, queue: Some((3, 2)) };
    assert_eq!(
        figures.interval(Form::V1_0, now),
        "[ 10s ] thds: 2 tps: 450.60 qps: 9012.00 (r/w/o: 6308.40/1802.40/901.20) lat (ms,99%): \
         1.82 err/s: 0.00 reconn/s: 0.00\n[ 10s ] queue length: 3, concurrency: 2\n"
    );
    let now = Now { queue: None, ..now };
    assert_eq!(
        figures.interval(Form::V0_5, now),
        "[  10s] threads: 2, tps: 450.60, reads: 6308.40, writes: 1802.40, response time: 1.82ms \
         (99%), errors: 0.00, reconnects:  0.00\n"
    );
}

#[test]
fn nothing_done_gives_zeroes() {
    let counts =
        Counts { histogram: vec![0; STEPS], connections: vec![(0, 0)], errors: 0, reconnects: 0 };
    let queries = Queries::default();
    let (seconds, total_s, percentile, unfinished) = (0.0, 0.0, Some(95), 2);
    let idle = Figures { counts, queries, seconds, total_s, percentile, unfinished };
    for form in [Form::V1_0, Form::V0_5] {
        let report = idle.report(form, None);
        assert!(report.contains("total number of events:              0\n"), "{report}");
        assert!(report.contains("\n\nNumber of unfinished transactions on forced shutdown: 2\n\n"));
        assert!(!report.contains("NaN") && !report.contains("inf"), "{report}");
    }
}
