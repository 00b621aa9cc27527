//! What the engine itself costs, against sessions that answer at once.
//!
//! ```text
//! cargo run --release -p engine --example overhead
//! ```
//!
//! First a closed loop without pauses: transactions a second that the engine can carry, with
//! latencies recorded and without, and what recording one costs. Then an open loop whose sessions
//! are always free, so that all queue time is the lateness of the engine's own timers.
#![allow(clippy::print_stdout, reason = "a program for a person")]

use engine::{
    Arrivals, Completion, Draw, Failure, LoadError, LoadOptions, LoadReport, Pacing, Phases,
    Session, Stop, TransactionType, Workload,
};
use std::{sync::Arc, time::Duration};

struct Instant {
    types: [TransactionType; 1],
}

struct InstantSession;

impl Workload for Instant {
    type Session = InstantSession;

    fn transaction_types(&self) -> &[TransactionType] {
        &self.types
    }

    async fn open(&self, _worker: u32, _incarnation: u32) -> Result<InstantSession, Failure> {
        Ok(InstantSession)
    }
}

impl Session for InstantSession {
    fn draw(&mut self) -> Draw {
        Draw { kind: 0, keying: Duration::ZERO, think: Duration::ZERO }
    }

    async fn execute(&mut self) -> Result<Completion, Failure> {
        Ok(Completion::Committed)
    }

    async fn close(self) {}
}

fn main() -> Result<(), LoadError> {
    let second = Duration::from_secs(1);
    let phases = Phases { ramp_up: second, measure: 5 * second, ramp_down: Duration::ZERO };
    for (connections, threads) in [(1, 1), (16, 1), (16, 2)] {
        let rate = |histograms| -> Result<f64, LoadError> {
            let usual = LoadOptions::default();
            let report = load(&LoadOptions { connections, threads, phases, histograms, ..usual })?;
            Ok(report.transactions[0].measured.committed as f64 / report.measured_s())
        };
        let (with, without) = (rate(true)?, rate(false)?);
        let cost_ns = (1.0 / with - 1.0 / without) * 1e9 * f64::from(threads);
        println!(
            "closed, {connections} connections on {threads} threads: {with:.0} /s, {without:.0} /s \
             without histograms: {cost_ns:.0} ns a transaction"
        );
    }
    for (rate_per_s, threads) in [(1e3, 1), (1e4, 1), (1e5, 1), (1e3, 2), (1e4, 2)] {
        let pacing = Pacing::Open { rate_per_s, arrivals: Arrivals::Poisson };
        let connections = 16;
        let options =
            LoadOptions { connections, threads, phases, pacing, ..LoadOptions::default() };
        let report = load(&options)?;
        let queue = &report.transactions[0].queue;
        let late_us = [0.5, 0.9, 0.99, 0.999].map(|quantile| queue.value_at_quantile(quantile));
        println!(
            "open, {rate_per_s}/s on {threads} threads: lateness p50, p90, p99, p99.9 {late_us:?} \
             µs, largest {} µs; busiest thread {:.0}% of a core",
            queue.max(),
            report.client.busiest_thread * 100.0
        );
    }
    Ok(())
}

fn load(options: &LoadOptions) -> Result<LoadReport, LoadError> {
    let types = [TransactionType { name: "Nothing".into() }];
    engine::run(Arc::new(Instant { types }), options, &Stop::new(), |_| {})
}
