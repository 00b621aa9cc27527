//! NOPM and TPM: from the server's counters as HammerDB defines them, and from the client.

use crate::run::{ServerCounts, bench::Question};
use lab::{
    headline::{Per, committed_rate},
    record::{Figure, RunRecord},
};

const ORDERS: &str = "orders";
const COMMITS: &str = "commits";
const ROLLBACKS: &str = "rollbacks";

/// What is asked at both ends of the measured phase, in HammerDB's order.
pub(super) fn questions() -> Vec<Question> {
    let question = |name, sql: &str| Question { name, sql: sql.into() };
    vec![
        question(COMMITS, "SHOW GLOBAL STATUS LIKE 'Com_commit'"),
        question(ROLLBACKS, "SHOW GLOBAL STATUS LIKE 'Com_rollback'"),
        question(ORDERS, "SELECT SUM(d_next_o_id) FROM district"),
    ]
}

/// NOPM and TPM of the measured phase by the server's counters.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rates {
    nopm: f64,
    tpm: f64,
}

impl Rates {
    fn of(counts: &ServerCounts) -> Option<Self> {
        let minutes = counts.length_s / 60.0;
        let grown = |name| counts.differences.get(name).map(|count| *count as f64 / minutes);
        let rates = Self { nopm: grown(ORDERS)?, tpm: grown(COMMITS)? + grown(ROLLBACKS)? };
        (minutes > 0.0).then_some(rates)
    }
}

/// Adds the figures to the record and returns HammerDB's last line, where the server was asked.
pub(super) fn add(record: &mut RunRecord, counts: Option<&ServerCounts>) -> Option<String> {
    let rates = counts.and_then(Rates::of);
    let figure =
        |name: &str, value| Figure { name: name.into(), value, unit: "1/min".into(), ci95: None };
    if let Some(rates) = rates {
        record.headline.extend([figure("NOPM", rates.nopm), figure("TPM", rates.tpm)]);
    }
    let client = [("NOPM (client)", &["NEWORD"] as &[&str]), ("TPM (client)", &[])];
    for (name, types) in client {
        record.headline.extend(committed_rate(record, name, types, Per::Minute));
    }
    rates.map(|rates| test_result(rates, &record.server.flavour))
}

/// The line that HammerDB ends a run with; scripts read the two numbers out of it.
fn test_result(rates: Rates, flavour: &str) -> String {
    let database = if flavour == "MariaDB" { "MariaDB" } else { "MySQL" };
    let Rates { nopm, tpm } = rates;
    format!("TEST RESULT : System achieved {nopm:.0} NOPM from {tpm:.0} {database} TPM")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn rates_are_those_of_the_time_between_the_answers() {
        let differences = [(ORDERS, 300), (COMMITS, 690), (ROLLBACKS, 10)].into();
        let counts = ServerCounts { length_s: 30.0, differences, ..ServerCounts::default() };
        let rates = Rates::of(&counts).unwrap();
        assert_eq!(rates, Rates { nopm: 600.0, tpm: 1400.0 });
        assert_eq!(
            test_result(rates, "MariaDB"),
            "TEST RESULT : System achieved 600 NOPM from 1400 MariaDB TPM"
        );
        assert_eq!(
            test_result(rates, "Percona Server"),
            "TEST RESULT : System achieved 600 NOPM from 1400 MySQL TPM"
        );
        assert_eq!(Rates::of(&ServerCounts::default()), None);
    }
}
