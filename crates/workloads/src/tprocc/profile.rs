//! Declared ways of doing TPROC-C, each with the list of where it departs from TPC-C.

use std::{fmt, str::FromStr};

/// Which TPROC-C is run. Every report names the profile, its version and its deviations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// HammerDB 4 and 5 for MySQL and MariaDB: its tables, data, procedures, mix and inputs.
    HammerDb,
    /// HammerDB's tables with the semantics of TPC-C 5.11 in data, procedures and inputs.
    Spec,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 2] = [Self::HammerDb, Self::Spec];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::HammerDb => "hammerdb",
            Self::Spec => "spec",
        }
    }

    /// Name and version. The version grows whenever results could differ from before: with the
    /// text of the procedures, the data, the mix or the inputs.
    pub fn versioned(self) -> String {
        format!("{}/1", self.name())
    }

    /// How often a transaction is tried again after a deadlock, unless told otherwise.
    pub fn default_retries(self) -> u32 {
        match self {
            Self::HammerDb => 0,
            Self::Spec => 10,
        }
    }

    /// Shares of New-Order, Payment, Order-Status, Delivery and Stock-Level.
    pub fn default_weights(self) -> [f64; 5] {
        match self {
            // A whole number of 1 to 23 is drawn: 10, 10, 1, 1, 1.
            Self::HammerDb => [10.0, 10.0, 1.0, 1.0, 1.0],
            Self::Spec => [45.0, 43.0, 4.0, 4.0, 4.0],
        }
    }

    /// The consistency conditions of clause 3.3.2 that its data or procedures break by design.
    pub fn conditions_broken(self) -> &'static [&'static str] {
        match self {
            Self::HammerDb => &["3.3.2.10", "3.3.2.11", "3.3.2.12"],
            Self::Spec => &[],
        }
    }

    /// Where it departs from TPC-C 5.11, a sentence each.
    pub fn deviations(self) -> &'static [&'static str] {
        match self {
            Self::HammerDb => HAMMERDB,
            Self::Spec => SPEC,
        }
    }
}

const SPEC: &[&str] = &[
    "No terminals are emulated: there are no screens, and keying and think times (clause 5.2.5) \
     are used only when asked for.",
    "A connection stands for a terminal; the number of connections for a warehouse is free, not \
     ten (clause 4.2.2).",
    "The lines of orders are read by the procedures and not sent to the client: New-Order returns \
     the header and the total, Order-Status the number of lines.",
    "Delivery runs inside the terminal's turn; clause 2.7.2 asks for deferred execution.",
    "The measured interval may be shorter than the two hours of clause 5.5.1.",
];

const HAMMERDB: &[&str] = &[
    "Keying and think times are used only when asked for; think times are then rounded to whole \
     seconds.",
    "A virtual user draws its home warehouse and the district of its Stock-Levels; any number of \
     users may share them (clause 2.4.1.1).",
    "The mix is 10 New-Order, 10 Payment and 1 each of Order-Status, Delivery and Stock-Level out \
     of 23 (43.5, 43.5 and 4.3%; clause 5.2.3 asks for at least 43, 4, 4 and 4%).",
    "Customers and items are drawn uniformly where clauses 2.4.1 and 2.5.1 ask for NURand; only \
     last names follow NURand, with the constant 123 in data and runs (clause 2.1.6.1 asks for \
     two constants).",
    "Items, quantities, supplying warehouses and rollbacks are drawn by RAND() inside the \
     procedure: the same seed gives the same calls, not the same orders.",
    "One New-Order in 99 rolls back, not one in 100 (clause 2.4.1.4).",
    "With a single warehouse a remote line is supplied from home and still counts as remote \
     (O_ALL_LOCAL = 0).",
    "New-Order reads STOCK without a lock and writes S_QUANTITY back, so that concurrent orders \
     can lose an update; S_YTD, S_ORDER_CNT and S_REMOTE_CNT are not kept (clause 2.4.2.2).",
    "New-Order reads WAREHOUSE and CUSTOMER before its transaction begins.",
    "Stock is refilled when it does not exceed the quantity, not when less than 10 would remain.",
    "OL_AMOUNT is a whole number with taxes and discount in it; clause 1.3 asks for two decimals, \
     clause 2.4.2.2 for price times quantity.",
    "Payment adds the amount to C_BALANCE where clause 2.5.2.2 takes it off, and leaves \
     C_YTD_PAYMENT and C_PAYMENT_CNT alone; amounts are whole, 1 to 5,000.",
    "Payment reads CUSTOMER without a lock and writes C_BALANCE back, so that concurrent payments \
     can lose an update.",
    "Of customers that share a name the one after the middle is taken (clause 2.5.2.2).",
    "C_DATA of customers with bad credit is cut shorter by what is put before it.",
    "Delivery reads the oldest NEW-ORDER row without a lock, so that two can deliver the same \
     order; it leaves C_DELIVERY_CNT alone, and in a district without waiting orders it delivers \
     the number of the district before again (clause 2.7.4.2).",
    "Half of the customers have bad credit, not a tenth (clause 4.3.3.1).",
    "Discounts are whole percents up to 50 and taxes whole percents from 10 to 20 (clause 4.3.3.1: \
     0.01% steps, from 0).",
    "Order lines delivered at load time cost 0.10 to 100.00 and waiting ones nothing (clause \
     4.3.3.1 has it the other way round).",
    "A loaded order's customer is drawn from its own number upwards instead of being a \
     permutation: some customers have no order.",
    "`original` is written in small letters, and 8 characters take the place of 9.",
    "After a failed transaction the session is rolled back; HammerDB goes on, and its next START \
     TRANSACTION commits what was done before a lock wait timeout.",
    "No failed transaction is tried again.",
    "NEWORD returns NULL for the order's number after a rollback; HammerDB's client cannot tell a \
     rollback from a commit.",
    "Procedures run with the caller's rights (SQL SECURITY INVOKER), HammerDB's with the maker's.",
];

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
            format!("`{text}` is no TPROC-C profile; the profiles are {}", names.join(" and "))
        })
    }
}
