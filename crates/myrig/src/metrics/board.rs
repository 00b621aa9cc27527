//! What is known of one load, second by second.

use engine::{Interval, ResponseTally, Responses};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Bounds of the response times' histogram, microseconds: from a point select on a socket to a
/// transaction that has given up on being quick.
pub(super) const BOUNDS_US: [u64; 18] = [
    100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 75_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000, 60_000_000,
];

/// What does not change in a load.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LoadFacts {
    /// The run's id.
    pub(crate) run: String,
    /// What a person called it, or empty.
    pub(crate) label: String,
    /// Workload's name, `tpcc`.
    pub(crate) workload: String,
    /// Declared profile with its version.
    pub(crate) profile: String,
    /// The size of the data set, in words.
    pub(crate) scale: String,
    /// Name of the instance, or the endpoint.
    pub(crate) server: String,
    /// Flavour and version.
    pub(crate) server_version: String,
    /// Names of the transaction types, in order.
    pub(crate) types: Vec<String>,
    /// Connections that are wanted.
    pub(crate) connections: u32,
    /// Open loop: transactions a second that are due.
    pub(crate) rate_per_s: Option<f64>,
    /// Whether response times are recorded.
    pub(crate) histograms: bool,
}

/// Everything that a scrape is told of a load.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Numbers {
    pub(super) facts: LoadFacts,
    /// What is being done, `measure`.
    pub(super) phase: String,
    pub(super) elapsed_s: f64,
    pub(super) connected: u32,
    pub(super) client_cpu: f64,
    /// By type, in order.
    pub(super) types: Vec<TypeNumbers>,
    /// The last value of each series that is watched, by name.
    pub(super) watched: BTreeMap<String, Watched>,
}

/// Counts of one transaction type since the start of the load.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TypeNumbers {
    pub(super) committed: u64,
    pub(super) rolled_back: u64,
    pub(super) failed: u64,
    pub(super) retries: u64,
    pub(super) response: ResponseTally,
}

/// The last value of a series.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Watched {
    pub(super) label: String,
    pub(super) unit: &'static str,
    pub(super) value: f64,
}

/// What a load writes its numbers on.
#[derive(Clone, Debug)]
pub(crate) struct Board(Arc<Mutex<Numbers>>);

impl Board {
    pub(super) fn new(facts: LoadFacts) -> Self {
        let none = ResponseTally { within: vec![0; BOUNDS_US.len()], ..ResponseTally::default() };
        let of_type = TypeNumbers { response: none, ..TypeNumbers::default() };
        Self(Arc::new(Mutex::new(Numbers {
            types: vec![of_type; facts.types.len()],
            facts,
            phase: "connect".into(),
            elapsed_s: 0.0,
            connected: 0,
            client_cpu: 0.0,
            watched: BTreeMap::new(),
        })))
    }

    pub(super) fn numbers(&self) -> Arc<Mutex<Numbers>> {
        Arc::clone(&self.0)
    }

    /// Whether `other` is of an earlier load on the same server.
    pub(super) fn replaces(&self, other: &Arc<Mutex<Numbers>>) -> bool {
        let server = self.lock().facts.server.clone();
        other.lock().unwrap_or_else(PoisonError::into_inner).facts.server == server
    }

    /// Says what is being done now.
    pub(crate) fn phase(&self, name: &str) {
        self.lock().phase = name.to_owned();
    }

    /// Adds a second that is over, which lay in `phase`.
    pub(crate) fn second(&self, phase: &str, interval: &Interval, responses: &Responses<'_>) {
        let mut numbers = self.lock();
        let records = numbers.facts.histograms;
        numbers.phase = phase.to_owned();
        numbers.elapsed_s = interval.at_s;
        numbers.connected = interval.connected;
        numbers.client_cpu = interval.client_cpu;
        for (kind, (into, from)) in numbers.types.iter_mut().zip(&interval.transactions).enumerate()
        {
            into.committed += from.committed;
            into.rolled_back += from.rolled_back;
            into.failed += from.failed;
            into.retries += from.retries;
            if records {
                into.response.add(&responses.tally(kind, &BOUNDS_US));
            }
        }
    }

    /// Takes a value that was watched.
    pub(crate) fn watched(&self, name: &str, label: &str, unit: &'static str, value: f64) {
        let watched = Watched { label: label.to_owned(), unit, value };
        self.lock().watched.insert(name.to_owned(), watched);
    }

    fn lock(&self) -> MutexGuard<'_, Numbers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Facts that a test need not care for.
#[cfg(test)]
pub(super) fn facts_for_tests() -> LoadFacts {
    LoadFacts {
        run: "20261121T204500-1f3a9c".into(),
        label: "a \"larger\" redo\\log\nand more".into(),
        workload: "tpcc".into(),
        profile: "spec/1".into(),
        scale: "10 warehouses".into(),
        server: "s".into(),
        server_version: "MariaDB 10.11.14".into(),
        types: vec!["New-Order".into(), "Payment".into()],
        connections: 16,
        rate_per_s: Some(150.0),
        histograms: true,
    }
}
