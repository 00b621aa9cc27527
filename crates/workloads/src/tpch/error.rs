//! What can keep TPC-H from being loaded or checked, and the way out.

use super::data_set::DataSet;
use crate::tpcc;
use client::Target;

/// TPC-H could not be loaded or checked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What TPC-C has a word for as well: the server's refusals, a full disk.
    #[error(transparent)]
    Common(tpcc::Error),
    /// The database does not exist.
    #[error(
        "there is no database `{database}` on this server: load one with `myrig tpch prepare \
         --database {database}`"
    )]
    NoDatabase {
        /// The database's name.
        database: String,
    },
    /// No data set of ours is in the database.
    #[error(
        "database `{database}` holds no TPC-H data: load it with `myrig tpch prepare --database \
         {database}`"
    )]
    NotLoaded {
        /// The database's name.
        database: String,
    },
    /// The load never ended.
    #[error(
        "the TPC-H data in `{database}` is half loaded: finish it with `myrig tpch prepare \
         --scale-factor {scale_factor} --tables {tables}`, which goes on where it stopped, or drop \
         it with `myrig tpch cleanup`"
    )]
    HalfLoaded {
        /// The database's name.
        database: String,
        /// Its scale factor.
        scale_factor: f64,
        /// Its tables, separated by commas.
        tables: String,
    },
    /// The data is of another size than asked for.
    #[error(
        "`{database}` holds TPC-H data of {option} {found}, not {wanted}: say --{option} {found}, \
         or drop it with `myrig tpch cleanup`"
    )]
    OtherData {
        /// The database's name.
        database: String,
        /// The option that differs.
        option: &'static str,
        /// What the data has.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// A table of the same name is there, and it is not ours.
    #[error(
        "database `{database}` has a table `{table}` that myrig did not make: load into another \
         --database, or drop the table yourself"
    )]
    ForeignTable {
        /// The database's name.
        database: String,
        /// The table's name.
        table: String,
    },
    /// Another load or cleanup holds the database.
    #[error(
        "another `myrig tpch prepare` or `cleanup` is at work on database `{database}`: wait for \
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
    pub(super) fn of_target(
        doing: &str,
        target: &Target,
    ) -> impl FnOnce(client::Error) -> Self + use<> {
        let database = target.database.as_deref().unwrap_or_default();
        let sorted = tpcc::Error::sorted(doing, &target.user, database);
        |source| sorted(source).into()
    }

    pub(super) fn half_loaded(database: String, data: &DataSet) -> Self {
        let tables = data.names();
        Self::HalfLoaded { database, scale_factor: data.scale_factor, tables }
    }
}
