use super::*;
use crate::{
    Completion, Ended, Failure, FailureClass, LoadError, Session, Stop, TransactionType, Workload,
    run,
};
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering::Relaxed},
};

/// A server that answers at once, on real threads; worker 3 may be one that panics.
struct Instant {
    types: [TransactionType; 1],
    panics: bool,
    closed: AtomicU32,
}

struct InstantSession(Arc<Instant>, u32);

struct Shared(Arc<Instant>);

impl Workload for Shared {
    type Session = InstantSession;

    fn transaction_types(&self) -> &[TransactionType] {
        &self.0.types
    }

    async fn open(&self, worker: u32, _incarnation: u32) -> Result<InstantSession, Failure> {
        Ok(InstantSession(Arc::clone(&self.0), worker))
    }
}

impl Session for InstantSession {
    fn draw(&mut self) -> Draw {
        pauses(0, 1)
    }

    async fn execute(&mut self) -> Result<Completion, Failure> {
        assert!(!(self.0.panics && self.1 == 3), "a bug in the workload");
        let class = FailureClass::Fatal;
        match self.1 {
            1 => Err(Failure { class, code: 1146, message: "no such table".into() }),
            _ => Ok(Completion::Committed),
        }
    }

    async fn close(self) {
        self.0.closed.fetch_add(1, Relaxed);
    }
}

fn instant(panics: bool) -> Arc<Instant> {
    let types = [TransactionType { name: "Order".into() }];
    Arc::new(Instant { types, panics, closed: AtomicU32::new(0) })
}

fn options() -> LoadOptions {
    LoadOptions {
        connections: 5,
        threads: 2,
        failures_in_a_row_max: u32::MAX,
        phases: Phases { ramp_up: ms(20), measure: ms(200), ramp_down: ms(20) },
        ..LoadOptions::default()
    }
}

#[test]
fn real_threads_carry_a_load_to_its_end() {
    let instant = instant(false);
    let mut observed = 0;
    let workload = Arc::new(Shared(Arc::clone(&instant)));
    let report = run(workload, &options(), &Stop::new(), |_| observed += 1).unwrap();
    assert_eq!(report.ended, Ended::Complete);
    let order = &report.transactions[0];
    assert!(order.measured.committed > 0 && order.measured.failed > 0);
    assert!((report.measured_s() - 0.2).abs() < 1e-9);
    assert_eq!(observed, report.intervals.len());
    assert_eq!(instant.closed.load(Relaxed), 5);
    assert!(report.client.cpu_s > 0.0 && report.client.busiest_thread <= 1.0);
}

#[test]
fn real_threads_are_stopped_from_outside() {
    let stop = Stop::new();
    let mut options = options();
    options.phases.measure = Duration::from_secs(3600);
    let observer_stop = stop.clone();
    let workload = Arc::new(Shared(instant(false)));
    // The first interval stops the load from the thread that watches it.
    let report = run(workload, &options, &stop, |_| observer_stop.stop()).unwrap();
    assert_eq!(report.ended, Ended::Interrupted);
    assert!(report.measured_s() < 60.0);
}

#[test]
fn a_workload_that_panics_is_an_error_and_stops_the_other_threads() {
    let mut options = options();
    options.phases.measure = Duration::from_secs(3600);
    let error = run(Arc::new(Shared(instant(true))), &options, &Stop::new(), |_| {}).unwrap_err();
    assert!(matches!(error, LoadError::Panicked(_)));
    assert_eq!(error.to_string(), "a thread of the load panicked: a bug in the workload");
}
