//! What can keep OLTP from being loaded, run or checked, and the way out.

use crate::tpcc;
use client::Target;

/// OLTP could not be loaded, run or checked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An option makes no sense; the sentence names it.
    #[error("{0}")]
    Options(String),
    /// What TPC-C has a word for as well: the server's refusals, its limits, a full disk.
    #[error(transparent)]
    Common(tpcc::Error),
    /// The database does not exist.
    #[error(
        "there is no database `{database}` on this server: make tables with `myrig oltp prepare \
         --database {database}`"
    )]
    NoDatabase {
        /// The database's name.
        database: String,
    },
    /// A table is not there.
    #[error(
        "table `sbtest{number}` is missing from `{database}`: make it with `myrig oltp prepare \
         --tables {tables} --database {database}`{smaller}"
    )]
    MissingTable {
        /// The database's name.
        database: String,
        /// The table's number.
        number: u32,
        /// Tables that are needed.
        tables: u32,
        /// `, or say --tables N` where some are there.
        smaller: String,
    },
    /// The tables are smaller than said.
    #[error(
        "the tables in `{database}` hold keys up to {found} only, not {wanted}: say --table-size \
         {found}, or make larger ones with `myrig oltp cleanup` and `prepare --table-size {wanted}`"
    )]
    TooFewRows {
        /// The database's name.
        database: String,
        /// The greatest key that all tables have.
        found: u32,
        /// What was asked for.
        wanted: u32,
    },
    /// A table of that name is there and none of sysbench's.
    #[error(
        "table `sbtest{number}` of `{database}` is not made like those of sysbench ({why}): use \
         another --database, or drop the table yourself"
    )]
    ForeignTable {
        /// The database's name.
        database: String,
        /// The table's number.
        number: u32,
        /// What is different.
        why: String,
    },
    /// Other tables are in the way of those that are to be made.
    #[error(
        "`{database}` holds tables with {option} {found}, not {wanted}: drop them with `myrig oltp \
         cleanup --database {database}`, or use another --database"
    )]
    OtherData {
        /// The database's name.
        database: String,
        /// The option that differs, without its dashes.
        option: &'static str,
        /// What the tables have.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// The load never ended.
    #[error(
        "the tables in `{database}` are half loaded: finish them with `myrig oltp prepare --tables \
         {tables} --table-size {table_size} --seed {seed}`, which goes on where it stopped, or \
         drop them with `myrig oltp cleanup`"
    )]
    HalfLoaded {
        /// The database's name.
        database: String,
        /// Tables that there will be.
        tables: u32,
        /// Rows that each will have.
        table_size: u32,
        /// Seed that they are made from.
        seed: u64,
    },
    /// The server has no room for the prepared statements.
    #[error(
        "{wanted} prepared statements do not fit: the server allows \
         max_prepared_stmt_count={allowed} and {in_use} are in use; use fewer --connections or \
         --tables, --protocol text, or SET GLOBAL max_prepared_stmt_count={enough}"
    )]
    TooManyStatements {
        /// Statements that the run needs.
        wanted: u64,
        /// The server's limit.
        allowed: u64,
        /// `Prepared_stmt_count`.
        in_use: u64,
        /// A value that would do.
        enough: u64,
    },
    /// Another load or cleanup holds the database.
    #[error(
        "another `myrig oltp prepare` or `cleanup` is at work on database `{database}`: wait for \
         it, or stop it"
    )]
    Busy {
        /// The database's name.
        database: String,
    },
}

impl From<tpcc::Error> for Error {
    /// Those whose way out is a command have words of their own.
    fn from(error: tpcc::Error) -> Self {
        match error {
            tpcc::Error::NoDatabase { database } => Self::NoDatabase { database },
            tpcc::Error::Busy { database } => Self::Busy { database },
            tpcc::Error::TooManyStatements { wanted, allowed, in_use, enough } => {
                Self::TooManyStatements { wanted, allowed, in_use, enough }
            }
            other => Self::Common(other),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Common(error.into())
    }
}

impl Error {
    /// Whether the load ended because it was asked to; calling it again goes on.
    pub fn is_stopped(&self) -> bool {
        matches!(self, Self::Common(tpcc::Error::Stopped))
    }

    /// Wraps an error of `target`'s server with what was being done, giving those a name that a
    /// person can mend.
    pub(crate) fn of_target(
        doing: &str,
        target: &Target,
    ) -> impl FnOnce(client::Error) -> Self + use<> {
        let database = target.database.as_deref().unwrap_or_default();
        let sorted = tpcc::Error::sorted(doing, &target.user, database);
        |source| sorted(source).into()
    }
}
