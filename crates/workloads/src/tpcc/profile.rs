//! Declared ways of doing TPC-C, each with the list of where it departs from the specification.

use std::{fmt, str::FromStr};

/// Which TPC-C is run. Every report names the profile, its version and its deviations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// TPC-C 5.11, but for the emulation of terminals.
    Spec,
    /// BenchmarkSQL 5.0 for MySQL: its tables, indexes, SQL and order on the wire.
    BenchmarkSql,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 2] = [Self::Spec, Self::BenchmarkSql];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::BenchmarkSql => "benchmarksql",
        }
    }

    /// Name and version. The version grows whenever results could differ from before.
    pub fn versioned(self) -> String {
        format!("{}/1", self.name())
    }

    /// How often a transaction is tried again after a deadlock, unless told otherwise.
    pub fn default_retries(self) -> u32 {
        match self {
            Self::Spec => 10,
            Self::BenchmarkSql => 0,
        }
    }

    /// Where it departs from TPC-C 5.11, a sentence each.
    pub fn deviations(self) -> &'static [&'static str] {
        match self {
            Self::Spec => &[
                "No terminals are emulated: there are no screens, and keying and think times \
                 (clause 5.2.5) are used only when asked for.",
                "A connection stands for a terminal; the number of connections for a warehouse \
                 is free, not ten (clause 4.2.2).",
                "The measured interval may be shorter than the two hours of clause 5.5.1.",
                "Durability and checkpoint rules (clauses 3.5 and 5.5.2) are up to the server's \
                 settings, which the report lists.",
                "Space for 60 days of growth (clause 4.2.3) is not reserved.",
            ],
            Self::BenchmarkSql => &[
                "No terminals are emulated; keying and think times are used only when asked for.",
                "The warehouse of a remote order line is drawn from all warehouses, the home \
                 warehouse included; clause 2.4.1.5 asks for another one.",
                "Delivery runs inside the terminal's turn; clause 2.7.2 asks for deferred \
                 execution.",
                "When stock runs low, 91 is added to S_QUANTITY without taking the ordered \
                 quantity off (clause 2.4.2.2).",
                "Of an item that one order names twice only the last line is taken off \
                 S_QUANTITY: all stock rows are read before any is written.",
                "Delivery reads the oldest NEW-ORDER row without a lock; where another terminal \
                 was faster it tries again, so READ COMMITTED is used unless told otherwise.",
                "Failed transactions are not tried again. Unlike in BenchmarkSQL they are not \
                 counted as done either.",
                "BenchmarkSQL draws its seeds from the clock; here the same seed gives the same \
                 inputs.",
                "ORDER has a unique index on the customer in place of the carrier, as the MySQL \
                 edition has it, and HISTORY an AUTO_INCREMENT key.",
                "The measured interval may be shorter than the two hours of clause 5.5.1.",
            ],
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|profile| profile.name() == text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|profile| profile.name()).collect();
            format!("`{text}` is no TPC-C profile; the profiles are {}", names.join(" and "))
        })
    }
}
