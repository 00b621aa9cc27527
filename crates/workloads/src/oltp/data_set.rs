//! The tables: what they are made of, and how many of what size.

use serde::Serialize;
use std::{fmt, str::FromStr};

/// The version of sysbench that tables are made as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum Schema {
    /// 1.0: signed columns.
    #[default]
    #[serde(rename = "1.0")]
    V1_0,
    /// 0.5: unsigned columns and MAX_ROWS.
    #[serde(rename = "0.5")]
    V0_5,
}

impl Schema {
    /// Every version with its name.
    pub const NAMES: [(&'static str, Self); 2] = [("1.0", Self::V1_0), ("0.5", Self::V0_5)];

    /// The greatest key that its tables can hold.
    pub fn rows_max(self) -> u32 {
        match self {
            Self::V1_0 => i32::MAX as u32,
            Self::V0_5 => u32::MAX,
        }
    }

    /// The key that a number of [`super::Unique`] becomes, over all that its columns can hold.
    pub(super) fn key(self, number: u32) -> i64 {
        match self {
            Self::V1_0 => i64::from(number) + i64::from(i32::MIN),
            Self::V0_5 => number.into(),
        }
    }
}

impl FromStr for Schema {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        found
            .map(|(_, schema)| *schema)
            .ok_or_else(|| format!("`{text}` is no schema of sysbench; there are 1.0 and 0.5"))
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1_0 => "1.0",
            Self::V0_5 => "0.5",
        })
    }
}

/// The most tables.
pub const TABLES_MAX: u32 = 100_000;

/// The most rows of all tables together, some 20 TB; what the loader knows of each chunk of them
/// still fits in 100 MB.
pub const ROWS_MAX: u64 = 100_000_000_000;

/// MAX_ROWS that 0.5 gives every table, whatever the engine makes of it.
const MAX_ROWS: u32 = 1_000_000;

/// Tables `sbtest1` and on, all alike: those that are to be made, or those that were found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DataSet {
    /// The version whose columns they have.
    pub schema: Schema,
    /// How many they are.
    pub tables: u32,
    /// Rows of each; of tables that were found, the greatest key that all have.
    pub table_size: u32,
    /// The server gives keys to new rows.
    pub auto_inc: bool,
    /// An index `xid` on the key in place of a primary key.
    pub secondary: bool,
    /// An index on `k`.
    pub create_secondary: bool,
    /// Storage engine.
    pub engine: String,
    /// What else is said of each table, such as `DEFAULT CHARSET=utf8mb3`.
    pub table_options: String,
}

impl Default for DataSet {
    /// What sysbench 1.0 makes when it is told nothing.
    fn default() -> Self {
        Self {
            schema: Schema::V1_0,
            tables: 1,
            table_size: 10_000,
            auto_inc: true,
            secondary: false,
            create_secondary: true,
            engine: "innodb".into(),
            table_options: String::new(),
        }
    }
}

impl DataSet {
    /// The table that the white paper shows, 20 of them with 10 million rows.
    pub fn white_paper() -> Self {
        Self {
            schema: Schema::V0_5,
            tables: 20,
            table_size: 10_000_000,
            table_options: "DEFAULT CHARSET=utf8mb3".into(),
            ..Self::default()
        }
    }

    /// Rows of all tables.
    pub fn rows(&self) -> u64 {
        u64::from(self.tables) * u64::from(self.table_size)
    }

    /// Says whether such tables can be made.
    ///
    /// # Errors
    /// A sentence that names the option at fault.
    pub fn validate(&self) -> Result<(), String> {
        let Self { tables, table_size, .. } = *self;
        if !(1..=TABLES_MAX).contains(&tables) {
            return Err(format!("--tables {tables}: give a number from 1 to {TABLES_MAX}"));
        }
        let rows_max = self.schema.rows_max();
        if table_size > rows_max {
            return Err(format!(
                "--table-size {table_size}: schema {} has room for {rows_max} rows",
                self.schema
            ));
        }
        if self.rows() > ROWS_MAX {
            return Err(format!(
                "--tables {tables} --table-size {table_size}: together more than {ROWS_MAX} rows"
            ));
        }
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if self.engine.is_empty() || !self.engine.bytes().all(word) {
            return Err(format!(
                "--mysql-storage-engine `{}`: give an engine's name, such as innodb",
                self.engine
            ));
        }
        if self.table_options.contains(';') {
            return Err("--mysql-table-options: one statement only, without `;`".into());
        }
        Ok(())
    }

    /// The statement that makes table `number`.
    pub(super) fn create_table(&self, number: u32) -> String {
        let (integer, max_rows) = match self.schema {
            Schema::V1_0 => ("INTEGER", String::new()),
            Schema::V0_5 => ("INTEGER UNSIGNED", format!(" MAX_ROWS = {MAX_ROWS}")),
        };
        let auto = if self.auto_inc { " AUTO_INCREMENT" } else { "" };
        let key = if self.secondary { "KEY xid" } else { "PRIMARY KEY" };
        let Self { engine, table_options, .. } = self;
        format!(
            "CREATE TABLE sbtest{number} (id {integer} NOT NULL{auto}, \
             k {integer} DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, \
             pad CHAR(60) DEFAULT '' NOT NULL, {key} (id)) ENGINE = {engine}{max_rows} \
             {table_options}"
        )
    }

    /// The statement that makes the index on `k` of table `number`.
    pub(super) fn create_index(number: u32) -> String {
        format!("CREATE INDEX k_{number} ON sbtest{number} (k)")
    }

    /// Whether a transaction of the engine can be rolled back.
    pub(super) fn is_transactional(&self) -> bool {
        ["innodb", "rocksdb", "tokudb"].contains(&self.engine.to_ascii_lowercase().as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_made_as_the_versions_make_them() {
        assert_eq!(
            DataSet::default().create_table(3).trim_end(),
            "CREATE TABLE sbtest3 (id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER DEFAULT '0' NOT \
             NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY \
             (id)) ENGINE = innodb"
        );
        let odd = DataSet { auto_inc: false, secondary: true, ..DataSet::white_paper() };
        assert_eq!(
            odd.create_table(1),
            "CREATE TABLE sbtest1 (id INTEGER UNSIGNED NOT NULL, k INTEGER UNSIGNED DEFAULT '0' \
             NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, KEY xid \
             (id)) ENGINE = innodb MAX_ROWS = 1000000 DEFAULT CHARSET=utf8mb3"
        );
    }

    #[test]
    fn errors_name_the_option() {
        let usual = DataSet::default;
        for (data, option) in [
            (DataSet { tables: 0, ..usual() }, "--tables 0"),
            (DataSet { table_size: u32::MAX, ..usual() }, "--table-size 4294967295"),
            (DataSet { tables: 100_000, table_size: 1_000_001, ..usual() }, "--tables 100000 --t"),
            (DataSet { engine: "x; DROP".into(), ..usual() }, "--mysql-storage-engine `x; DROP`"),
            (DataSet { table_options: "; DROP".into(), ..usual() }, "--mysql-table-options"),
        ] {
            let error = data.validate().expect_err("this must be refused");
            assert!(error.starts_with(option), "{error}");
        }
        assert_eq!(DataSet { table_size: 0, ..usual() }.validate(), Ok(()));
    }
}
