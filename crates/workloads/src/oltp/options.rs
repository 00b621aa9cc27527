//! How OLTP is run.

use super::{
    data_set::{DataSet, Schema, TABLES_MAX},
    kind::Kind,
    mix::Mix,
    random::DistributionOptions,
    statement::Group,
};
use client::{Error, ErrorClass};
use serde::Serialize;
use std::str::FromStr;

/// How statements travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Prepared once a connection, executed with values in binary.
    #[default]
    Prepared,
    /// As text, values included.
    Text,
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "prepared" => Ok(Self::Prepared),
            "text" => Ok(Self::Text),
            _ => Err(format!("`{text}` is no protocol; there are prepared and text")),
        }
    }
}

/// Errors after which a transaction is tried again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ignore {
    /// Those with which the server invites to do so: deadlocks, lock wait timeouts and their kin.
    #[default]
    Retryable,
    /// These error numbers and no others.
    Codes(Vec<u16>),
    /// Whatever leaves the connection standing.
    All,
}

impl Ignore {
    /// The errors that sysbench ignores unless told otherwise.
    pub const SYSBENCH: [u16; 3] = [1213, 1020, 1205];

    pub(super) fn covers(&self, error: &Error) -> bool {
        match self {
            Self::Retryable => error.class() == ErrorClass::Retryable,
            Self::Codes(codes) => codes.contains(&error.code()),
            Self::All => true,
        }
    }
}

/// What is run, against which tables and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The script.
    pub kind: Kind,
    /// Its counts.
    pub mix: Mix,
    /// The version of sysbench whose habits are followed: 1.0 draws a table for each group of
    /// statements, 0.5 for each transaction. It need not be that of the tables.
    pub schema: Schema,
    /// Tables that are used, `sbtest1` and on.
    pub tables: u32,
    /// Rows of each that are used, those with keys from 1.
    pub table_size: u32,
    /// How statements travel. sysbench's own insert script always sends text.
    pub protocol: Protocol,
    /// How rows are drawn.
    pub distribution: DistributionOptions,
    /// Inserts leave the key to the server; otherwise they take it from [`super::Unique`].
    pub auto_inc: bool,
    /// Leave out BEGIN and COMMIT: each statement is a transaction of its own.
    pub skip_trx: bool,
    /// Errors after which a transaction is tried again.
    pub ignore: Ignore,
    /// Seed of rows and values: the same seed, the same statements.
    pub seed: u64,
    /// Seed of the keys that inserts take where the server gives none. Two runs with the same one
    /// insert the same keys.
    pub unique_seed: u64,
}

impl Default for Options {
    /// What sysbench 1.0.20 does when it is told nothing but the script.
    fn default() -> Self {
        Self {
            kind: Kind::ReadWrite,
            mix: Mix::default(),
            schema: Schema::V1_0,
            tables: 1,
            table_size: DataSet::default().table_size,
            protocol: Protocol::Prepared,
            distribution: DistributionOptions::default(),
            auto_inc: true,
            skip_trx: false,
            ignore: Ignore::Retryable,
            seed: 1,
            unique_seed: 1,
        }
    }
}

impl Options {
    /// What the white paper runs: the script of 0.5 with four point selects and an index update.
    pub fn white_paper() -> Self {
        Self {
            mix: Mix::WHITE_PAPER,
            schema: Schema::V0_5,
            protocol: Protocol::Text,
            ..Self::default()
        }
    }

    /// The percentile of latencies that the white paper reports.
    pub const WHITE_PAPER_PERCENTILE: f64 = 99.0;

    /// Whether a transaction is bracketed by BEGIN and COMMIT.
    pub fn is_bracketed(&self) -> bool {
        self.kind.is_bracketed() && !self.skip_trx
    }

    /// Statements of a transaction, BEGIN and COMMIT among them.
    pub fn statements_each(&self) -> u64 {
        let of =
            |(group, count): &(Group, u32)| group.statements().len() as u64 * u64::from(*count);
        let brackets = if self.is_bracketed() { 2 } else { 0 };
        self.mix.groups(self.kind).iter().map(of).sum::<u64>() + brackets
    }

    /// Says whether this can be run.
    ///
    /// # Errors
    /// A sentence that names the option at fault.
    pub fn validate(&self) -> Result<(), String> {
        let Self { tables, table_size, .. } = *self;
        if !(1..=TABLES_MAX).contains(&tables) {
            return Err(format!("--tables {tables}: give a number from 1 to {TABLES_MAX}"));
        }
        let rows_max = self.schema.rows_max() - self.mix.range_size.min(i32::MAX as u32);
        if !(1..=rows_max).contains(&table_size) {
            return Err(format!("--table-size {table_size}: give a number from 1 to {rows_max}"));
        }
        self.mix.validate(self.kind)?;
        self.distribution.validate()
    }

    /// Where this departs from sysbench, for the report.
    pub fn deviations(&self) -> Vec<&'static str> {
        let mut deviations = vec![
            "After an error that is tried again the transaction is rolled back first, and its \
             rows and values are the same; sysbench starts anew with others, without ROLLBACK.",
            "An UPDATE or DELETE that finds no row counts as a write; sysbench counts it as other.",
            "BEGIN and COMMIT travel as text; sysbench prepares them where the server allows it.",
        ];
        if self.schema == Schema::V0_5 && self.kind == Kind::PointSelect {
            deviations.push("The point select reads c, as 1.0 does; select.lua of 0.5 reads pad.");
        }
        if self.kind == Kind::Insert && self.protocol == Protocol::Prepared {
            deviations.push("The insert is prepared; sysbench's script sends it as text.");
        }
        deviations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sysbench_does_by_default_can_be_run() {
        assert_eq!(Options::default().validate(), Ok(()));
        assert_eq!(Options::white_paper().validate(), Ok(()));
        assert_eq!(Options::default().statements_each(), 20);
        assert_eq!(Options::white_paper().statements_each(), 7);
        let bare = Options { skip_trx: true, ..Options::default() };
        assert_eq!(bare.statements_each(), 18);
    }

    #[test]
    fn errors_name_the_option() {
        let usual = Options::default;
        let flat = Mix { point_selects: 0, range_selects: false, ..Mix::default() };
        for (options, option) in [
            (Options { tables: 0, ..usual() }, "--tables 0"),
            (Options { table_size: 0, ..usual() }, "--table-size 0"),
            (Options { table_size: i32::MAX as u32, ..usual() }, "--table-size 2147483647"),
            (Options { kind: Kind::ReadOnly, mix: flat, ..usual() }, "--point-selects"),
        ] {
            let error = options.validate().expect_err("this must be refused");
            assert!(error.contains(option), "{error}");
        }
    }

    #[test]
    fn errors_are_ignored_as_the_list_says() {
        let error = |code| Error::Server { code, state: "HY000".into(), message: "no".into() };
        assert!(Ignore::Retryable.covers(&error(1213)) && !Ignore::Retryable.covers(&error(1062)));
        let codes = Ignore::Codes(vec![1062]);
        assert!(codes.covers(&error(1062)) && !codes.covers(&error(1213)));
        assert!(Ignore::All.covers(&error(1064)));
    }
}
