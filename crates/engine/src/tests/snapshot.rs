use super::*;
use crate::{
    Completion, FailureClass, LoadReport,
    simulation::{Mock, commits, fails, simulate},
};
use std::{fmt::Write, sync::Arc};

/// A report as a page of text.
fn page(report: &LoadReport) -> String {
    let mut page = String::new();
    let mut line = |text: String| writeln!(page, "{text}").unwrap();
    line(format!("{:?}", report.ended));
    for span in &report.phases {
        line(format!("{:>9} {:7.3} to {:7.3} s", span.phase.name(), span.from_s, span.until_s));
    }
    for of_type in &report.transactions {
        line(format!(
            "{}\n  measured {:?}\n  total    {:?}",
            of_type.name, of_type.measured, of_type.total
        ));
        let histograms = [
            ("queue", &of_type.queue),
            ("service", &of_type.service),
            ("response", &of_type.response),
        ];
        for (name, histogram) in histograms {
            let [p50, p99, max] =
                [0.5, 0.99, 1.0].map(|quantile| crate::histogram::quantile_ms(histogram, quantile));
            line(format!("  {name:>8} p50 {p50:8.3} p99 {p99:8.3} max {max:8.3} ms"));
        }
    }
    for error in &report.errors {
        line(format!("{error:?}"));
    }
    line("   at  up  committed rolled failed retries    p99 of the first type".into());
    for interval in &report.intervals {
        let all = &interval.transactions;
        let sum =
            |count: fn(&crate::IntervalTransactions) -> u64| -> u64 { all.iter().map(count).sum() };
        line(format!(
            "{:5.2} {:3} {:10} {:6} {:6} {:7} {:8.3} ms",
            interval.at_s,
            interval.connected,
            sum(|of_type| of_type.committed),
            sum(|of_type| of_type.rolled_back),
            sum(|of_type| of_type.failed),
            sum(|of_type| of_type.retries),
            all[0].p99_ms
        ));
    }
    for outage in &report.outages {
        line(format!("{outage:?}"));
    }
    line(format!("{:?}", report.arrivals));
    line(format!("{:?}", report.client));
    page
}

/// A rough day in a few seconds: a stall, deadlocks, a missing table and a restart of the server,
/// under an open loop of 200/s on four connections.
#[test]
fn a_run_with_everything_in_it() {
    let restart = ms(6000)..ms(6800);
    let at_restart = restart.clone();
    let lost = FailureClass::ConnectionLost { in_doubt: true };
    let mock = Mock::new(move |call| match call.transaction % 20 {
        _ if restart.contains(&call.at) => fails(ms(1), lost, 2013, "Lost connection"),
        _ if (ms(3000)..ms(3500)).contains(&call.at) => commits(ms(3505) - call.at),
        4 if call.attempt == 1 => fails(ms(8), FailureClass::Retryable, 1213, "Deadlock found"),
        9 => (ms(4), Ok(Completion::RolledBack)),
        17 => fails(ms(2), FailureClass::Fatal, 1146, "Table 'history' doesn't exist"),
        _ => commits(ms(5)),
    })
    .draws(&["New-Order", "Payment"], |(worker, transaction)| Draw {
        kind: ((u64::from(worker) + transaction) % 2) as usize,
        ..pauses(0, 0)
    })
    .opens(move |call| {
        let class = FailureClass::ConnectionLost { in_doubt: false };
        let refusal = crate::Failure { class, code: 2003, message: "Connection refused".into() };
        (ms(2), if at_restart.contains(&call.at) { Err(refusal) } else { Ok(()) })
    });
    let mut options = LoadOptions { connections: 4, ..open(6, 200.0, Arrivals::Poisson) };
    options.phases.ramp_up = ms(2000);
    options.phases.ramp_down = ms(500);
    insta::assert_snapshot!(page(&simulate(&Arc::new(mock), &options).unwrap()));
}
